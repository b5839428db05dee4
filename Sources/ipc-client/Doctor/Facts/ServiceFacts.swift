/// A D-Bus service file (D-Bus specification, "Message Bus Starting Services").
struct ServiceFacts: Sendable {
    var path = ""
    /// `Name`; nil where there is none.
    var name: String?
    /// The words of `Exec`; nil where there is none, or it cannot be taken apart.
    var command: [String]?
    /// The line of `Exec`, and its text behind the `=`.
    var commandLine: String?
    var commandText = ""
    /// `SystemdService`, and its line.
    var unit: String?
    var unitLine: String?
    /// Why it cannot be read as a key file; nil where it can.
    var malformation: String?
    /// The program of `Exec`.
    var program: FileFacts?
    /// Its path without links.
    var programResolved: String?
    /// Where a program of that name is found by `PATH`, for one that is no absolute path.
    var programInPath: String?
    /// Whether the unit is where systemd looks.
    var hasUnit = true
    /// Whether this user may change the file and its folder.
    var isWritable = true

    /// The name that the file's own name states.
    var statedName: String {
        let name = FilePlace.name(of: path)
        return name.hasSuffix(".service") ? String(name.dropLast(8)) : name
    }
}

extension Facts {
    /// The files that count: of each name the first.
    var effectiveServices: [ServiceFacts] {
        var seen: Set<String> = []
        return services.filter { service in service.name.map { seen.insert($0).inserted } ?? true }
    }

    /// The file by which the bus starts a name.
    func service(of name: String) -> ServiceFacts? { services.first { $0.name == name } }
}
