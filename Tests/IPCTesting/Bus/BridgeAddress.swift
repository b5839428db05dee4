/// D-Bus addresses that reach a bus through a relay program on this machine, as a stand-in for one reached with `ssh
/// HOST systemd-stdio-bridge`.
package enum BridgeAddress {
    /// - Parameters:
    ///     - bus: the address of the bus.
    ///     - throughPipes: whether pipes are in between, as with ssh. Pipes carry no descriptors.
    ///     - file: the path of a file to which the program writes its process ID.
    package static func of(_ bus: String, throughPipes: Bool, noting file: String? = nil) -> String {
        let bridge = "systemd-stdio-bridge -p '\(bus)'"
        let script = throughPipes ? "cat | \(bridge) | cat" : "exec \(bridge)"
        let text = file.map { "echo $$ >'\($0)'; \(script)" } ?? script
        return "unixexec:path=sh,argv1=-c,argv2=\(escaped(text))"
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
