internal import Glibc
internal import IPCDBus
internal import IPCModel
internal import Logging

/// Runs `ipc-desktop-open`, which is a separate program because it links GLib to look up the desktop's handlers. Only a
/// few of its processes run at once, each for a moment. Further calls wait for their turn.
///
/// The activation token and the URL are passed as standard input, separated by a NUL. They are never arguments, because
/// every user of the machine can read the arguments of a process (`/proc/PID/cmdline`).
@DBusActor
final class DesktopProgram {
    /// Whether unclaimed URLs go to desktop applications.
    var isEnabled = true
    private let path: String
    private let launcher: [String]
    private let environment: [String: String]
    private let limits: Limits
    private let logger: Logger
    private var running: UInt64 = 0
    private var waiting = CallersInTurn<CheckedContinuation<Void, Never>>()
    /// The latest launch. Each launch waits for the one before it, so that a sender's URLs arrive in order.
    private var lastLaunch: Task<Void, any Error>?

    /// - Returns: `nil` if there is no executable file at `path`.
    init?(_ path: String, environment: [String: String], limits: Limits, logger: Logger) {
        guard access(path, X_OK) == 0 else { return nil }
        (self.path, self.environment, self.limits, self.logger) = (path, environment, limits, logger)
        launcher = Self.launcher(environment)
    }

    /// The prefix of a command that starts an application; empty if systemd did not start the broker. The broker's
    /// systemd unit is too restricted for a browser. So the user's service manager starts each application in a unit of
    /// its own, which outlives the broker.
    private static func launcher(_ environment: [String: String]) -> [String] {
        guard environment["SYSTEMD_EXEC_PID"] == "\(getpid())" else { return [] }
        return [
            "systemd-run", "--user", "--quiet", "--collect", "--wait", "--pipe", "--slice=app.slice",
            "--property=KillMode=process", "--",
        ]
    }

    /// The desktop application for a URL; `nil` if there is none.
    /// - Throws: `limitExceeded` if too many calls of all callers, or of this one, are waiting.
    func handler(of url: URLText, for caller: BusName?) async throws(IPCError) -> DesktopHandler? {
        guard isEnabled else { return nil }
        let output = try await run([path, "find"], input: "\0" + url.text, for: caller)
        switch output?.end {
        case .exited(0): return output.flatMap { DesktopHandler(answer: $0.text) }
        case .exited(Self.nobody): return nil
        case let end:
            logger.warning(
                "ipc-desktop-open could not look up a handler",
                metadata: ["end": "\(end.map { "\($0)" } ?? "it could not be run")"])
            return nil
        }
    }

    /// Why a request that an earlier broker has accepted is not sent to a desktop application.
    static let refusal = "this broker does not start desktop applications"
    private static let nobody = ExitCode.noHandler.rawValue

    /// Starts a desktop application with a URL, after all earlier launches.
    /// - Parameter begins: runs when it is this launch's turn, and returns whether to start the application at all.
    /// - Returns: why the launch failed; `nil` if the application was started, or `begins` returned false.
    func launch(
        _ handler: DesktopHandler, _ url: String, token: String?, begins: @escaping @DBusActor @Sendable () -> Bool
    ) async -> String? {
        guard isEnabled else { return Self.refusal }
        let before = lastLaunch
        let task = DBusActor.task { () async -> String? in
            _ = await before?.result
            guard begins() else { return nil }
            return await self.start(handler, input: (token ?? "") + "\0" + url)
        }
        lastLaunch = DBusActor.task { _ = await task.result }
        return (try? await task.value) ?? nil
    }

    private func start(_ handler: DesktopHandler, input: String) async -> String? {
        do throws(IPCError) {
            let command = launcher + [path, "launch", handler.entry]
            guard let output = try await run(command, input: input, for: nil) else {
                return "ipc-desktop-open cannot be run"
            }
            if case .exited(0) = output.end { return nil }
            return output.text.isEmpty ? "ipc-desktop-open stopped: \(output.end)" : output.text
        } catch { return error.message }
    }

    /// Runs a command once fewer processes than the limit are running; `nil` if no process can be created.
    private func run(
        _ command: [String], input: String, for caller: BusName?
    ) async throws(IPCError) -> ChildProcess.Output? {
        try await begin(for: caller)
        defer { end() }
        let (time, environment) = (Int32(clamping: limits.desktopMilliseconds), environment)
        return await Background.run {
            ChildProcess.run(command, environment, input: input, milliseconds: time)
        }
    }

    private func begin(for caller: BusName?) async throws(IPCError) {
        guard running >= limits.desktopQuestions else {
            running += 1
            return
        }
        do throws(LimitExceeded) {
            try limits.checkShared(
                \.desktopQuestionsWaiting, use: waiting.count, ofCaller: waiting.count(of: caller))
        } catch { throw error.ipcError }
        let latest = ContinuousClock.now + .milliseconds(Int(clamping: limits.desktopMilliseconds))
        // The call that resumes this one hands over its slot, so `running` does not change.
        await withCheckedContinuation { waiting.append($0, of: caller) }
        guard ContinuousClock.now > latest else { return }
        // The caller may have timed out by now, so do not run a program for it.
        end()
        throw IPCError(
            .limitExceeded,
            "\(limits.desktopQuestions) other lookups of the desktop's handlers took longer than "
                + "\(limits.desktopMilliseconds) ms; try again later")
    }

    private func end() {
        if let next = waiting.takeNext() { next.resume() } else { running -= 1 }
    }
}

extension DesktopHandler {
    /// Reads the output of `ipc-desktop-open find`; `nil` if it has no line `entry=`.
    convenience init?(answer: String) {
        var lines: [Substring: Substring] = [:]
        for line in answer.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { lines[parts[0]] = parts[1] }
        }
        guard let entry = lines["entry"], !entry.isEmpty else { return nil }
        self.init(entry: String(entry), service: lines["service"].flatMap { try? ApplicationID(String($0)) })
    }
}
