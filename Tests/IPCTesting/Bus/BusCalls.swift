/// Calls to the bus itself, by `dbus-send`: the cheapest tool, and none of ours.
extension BusDirectory {
    /// Calls a method of `org.freedesktop.DBus`; the arguments are written as `dbus-send` wants them.
    func callBus(_ member: String, _ arguments: String...) async throws -> String {
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
    /// - Throws: a ``HarnessError`` when it has no owner.
    func processID(ofName name: String) async throws -> Int32 {
        let reply = try await callBus("GetConnectionUnixProcessID", "string:\(name)")
        guard let word = reply.split(whereSeparator: { $0 == " " || $0 == "\n" }).last, let pid = Int32(word) else {
            throw HarnessError("The bus answered GetConnectionUnixProcessID with “\(reply)”.")
        }
        return pid
    }
}

extension PrivateBus {
    /// Reads the `.service` files again (`ReloadConfig`), and returns when that is done.
    package func reloadConfiguration() async throws {
        _ = try await files.callBus("ReloadConfig")
    }

    /// The process that owns a name.
    ///
    /// - Throws: a ``HarnessError`` when it has no owner.
    package func processID(ofName name: String) async throws -> Int32 { try await files.processID(ofName: name) }

    /// Whether somebody owns a name.
    package func hasOwner(_ name: String) async throws -> Bool {
        try await files.callBus("NameHasOwner", "string:\(name)").contains("boolean true")
    }

    /// Waits until somebody owns a name; the event is the bus's signal (`gdbus wait`).
    ///
    /// - Throws: ``DeadlineExceeded``.
    package func waitForOwner(of name: String, deadline: Duration = usualDeadline) async throws {
        _ = try await RunningProcess.run(
            "gdbus", ["wait", "--session", name], environment: environment, deadline: deadline
        ).succeeded()
    }
}
