/// Calls to the bus itself with `dbus-send`, the simplest tool that is not our own.
extension BusDirectory {
    /// Calls a method of `org.freedesktop.DBus`; the arguments are in the notation of `dbus-send`.
    package func callBus(_ member: String, _ arguments: String...) async throws -> String {
        try await RunningProcess.run(
            "dbus-send",
            [
                "--bus=\(address)", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.\(member)",
            ] + arguments, environment: environment
        ).succeeded().output
    }

    /// The process that owns a name; the bus itself owns `org.freedesktop.DBus`.
    ///
    /// - Throws: a ``HarnessError`` if the name has no owner.
    func processID(ofName name: String) async throws -> Int32 {
        let reply = try await callBus("GetConnectionUnixProcessID", "string:\(name)")
        guard let word = reply.split(whereSeparator: { $0 == " " || $0 == "\n" }).last, let pid = Int32(word) else {
            throw HarnessError("The bus answered GetConnectionUnixProcessID with “\(reply)”.")
        }
        return pid
    }
}

extension PrivateBus {
    /// Reads the `.service` files again (`ReloadConfig`), and returns when the bus has done so.
    package func reloadConfiguration() async throws {
        _ = try await files.callBus("ReloadConfig")
    }

    /// The process that owns a name.
    ///
    /// - Throws: a ``HarnessError`` if the name has no owner.
    package func processID(ofName name: String) async throws -> Int32 { try await files.processID(ofName: name) }

    /// Whether a name has an owner.
    package func hasOwner(_ name: String) async throws -> Bool {
        try await files.callBus("NameHasOwner", "string:\(name)").contains("boolean true")
    }

    /// Waits until a name has an owner, by listening for the bus's signal (`gdbus wait`).
    ///
    /// - Throws: ``DeadlineExceeded``.
    package func waitForOwner(of name: String, deadline: Duration = usualDeadline) async throws {
        _ = try await RunningProcess.run(
            "gdbus", ["wait", "--session", name], environment: environment, deadline: deadline
        ).succeeded()
    }
}
