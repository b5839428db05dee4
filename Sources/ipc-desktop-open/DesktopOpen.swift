import Glibc

/// Asks GIO for the desktop's handler of a URL, or has it start one. The broker runs it; people have `gio open`.
///
///     ipc-desktop-open find           prints entry=ID and, with D-Bus activation, service=NAME; exit 68 where nobody is
///     ipc-desktop-open launch ENTRY   exit 69 and a sentence where it cannot be started
///
/// Standard input is the activation token, which may be empty, a NUL, and the URL, byte for byte.
@main
struct DesktopOpen {
    /// The descriptor of the answer, which no program inherits.
    private let answer: CInt

    private static let (usage, nobody, unavailable) = (CInt(64), CInt(68), CInt(69))

    static func main() {
        guard let (token, url) = input() else { exit(usage) }
        let program = DesktopOpen(answer: leaveNothingBehind())
        switch Array(CommandLine.arguments.dropFirst()) {
        case ["find"]: program.find(url)
        case let words where words.count == 2 && words[0] == "launch": program.launch(words[1], url, token)
        default: exit(usage)
        }
    }

    private func find(_ url: String) {
        if let entry = DesktopApplication(handlerOf: url), let id = entry.id {
            guard !entry.leadsToBroker else { exit(Self.nobody) }
            tell("entry=\(id)\n" + (entry.service.map { "service=\($0)\n" } ?? ""))
        } else if Portal.isUsed {
            tell("entry=\(Portal.entry)\n")
        } else {
            exit(Self.nobody)
        }
    }

    private func launch(_ id: String, _ url: String, _ token: String) {
        do throws(Failure) {
            if id == Portal.entry { return try Portal.open(url) }
            guard let entry = DesktopApplication(id: id) else {
                throw Failure("there is no such desktop entry any more")
            }
            try entry.launch(url, token: token)
        } catch {
            tell(error.message)
            exit(Self.unavailable)
        }
    }

    // MARK: Streams

    /// Token and URL; nil where there is no NUL between them.
    private static func input() -> (token: String, url: String)? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        guard let end = bytes.firstIndex(of: 0) else { return nil }
        return (
            String(decoding: bytes[..<end], as: UTF8.self),
            String(decoding: bytes[bytes.index(after: end)...], as: UTF8.self)
        )
    }

    /// What is started here has nothing of ours: not the answer, not the session, and not the broker's limit of
    /// descriptors, which programs that use select(2) cannot live with.
    /// - Returns: a copy of the standard output.
    private static func leaveNothingBehind() -> CInt {
        let answer = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let nothing = open("/dev/null", O_RDWR)
        for stream in [STDIN_FILENO, STDOUT_FILENO] { dup2(nothing, stream) }
        if nothing > STDERR_FILENO { close(nothing) }
        setsid()
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if getrlimit(resource, &limit) == 0 {
            limit.rlim_cur = min(limit.rlim_max, 1_024)
            setrlimit(resource, &limit)
        }
        return answer
    }

    private func tell(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(answer, $0.baseAddress, $0.count) }
    }
}
