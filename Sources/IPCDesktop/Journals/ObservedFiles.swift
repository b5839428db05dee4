/// What files were before something was done, to tell what has become of them.
struct ObservedFiles {
    private var states: [(path: String, before: FileState?)] = []

    mutating func note(_ path: String) throws(FileFailure) {
        guard !states.contains(where: { $0.path == path }) else { return }
        states.append((path, try FileState.read(path)))
    }

    func changes() throws(FileFailure) -> [FileChange] {
        var changes: [FileChange] = []
        for (path, before) in states {
            let now = try FileState.read(path)
            switch (before, now) {
            case (nil, .some): changes.append(FileChange(path: path, kind: .made))
            case (.some, nil): changes.append(FileChange(path: path, kind: .removed))
            case _ where before?.bytes != now?.bytes: changes.append(FileChange(path: path, kind: .changed))
            default: break
            }
        }
        return changes
    }
}
