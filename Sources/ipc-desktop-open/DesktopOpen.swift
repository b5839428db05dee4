import Glibc

/// Finds or starts the desktop's handler of a URL, with GIO. The broker runs this program; people use `gio open`.
///
///     ipc-desktop-open find           prints entry=ID and, with D-Bus activation, service=NAME; exits with 68 if none
///     ipc-desktop-open launch ENTRY   prints a message and exits with 69 if the handler cannot be started
///
/// Standard input contains the activation token (which may be empty), a NUL, and the URL, byte for byte. Other input and
/// other arguments exit with 64, and an answer that cannot be written with 74.
@main
struct DesktopOpen {
    /// The descriptor to write the answer to. Child processes do not inherit it.
    private let answer: CInt

    private static let (usage, noHandler, unavailable, inputOutput) = (CInt(64), CInt(68), CInt(69), CInt(74))

    static func main() {
        guard let (token, url) = input() else { exit(usage) }
        let program = DesktopOpen(answer: detach())
        switch Array(CommandLine.arguments.dropFirst()) {
        case ["find"]: program.find(url)
        case let words where words.count == 2 && words[0] == "launch": program.launch(words[1], url, token)
        default: exit(usage)
        }
    }

    private func find(_ url: String) {
        if let entry = DesktopApplication(handlerOf: url), let id = entry.id {
            guard !entry.leadsToBroker else { exit(Self.noHandler) }
            write("entry=\(id)\n" + (entry.service.map { "service=\($0)\n" } ?? ""))
        } else if Portal.isUsed {
            write("entry=\(Portal.entry)\n")
        } else {
            exit(Self.noHandler)
        }
    }

    private func launch(_ id: String, _ url: String, _ token: String) {
        do throws(Failure) {
            if id == Portal.entry { return try Portal.open(url) }
            guard let entry = DesktopApplication(id: id) else {
                throw Failure("the desktop entry no longer exists")
            }
            try entry.launch(url, token: token)
        } catch {
            write(error.message)
            exit(Self.unavailable)
        }
    }

    /// Reads the token and the URL; `nil` if there is no NUL between them, or if they are not UTF-8 (I20).
    private static func input() -> (token: String, url: String)? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let token = String(validating: parts[0], as: UTF8.self),
            let url = String(validating: parts[1], as: UTF8.self)
        else { return nil }
        return (token, url)
    }

    /// Keeps child processes away from the standard output that carries the answer, from the broker's session
    /// (setsid(2)), and from its descriptor limit, which is too high for programs that use select(2).
    /// - Returns: a copy of standard output.
    private static func detach() -> CInt {
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

    /// The broker must not take an answer that is missing or cut off for a whole one.
    private func write(_ text: String) {
        if Glibc.write(answer, text, text.utf8.count) != text.utf8.count { exit(Self.inputOutput) }
    }
}
