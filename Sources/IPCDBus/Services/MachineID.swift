internal import Glibc

/// What tells this machine from others (machine-id(5)).
enum MachineID {
    /// Blocks for the reading of a file; `nil` where the machine has none.
    static func read() -> String? {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            let id = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { room in
                Glibc.read(file, room.baseAddress, 32) == 32 ? String(decoding: room, as: UTF8.self) : nil
            }
            if let id, id.allSatisfy(\.isHexDigit) { return id }
        }
        return nil
    }
}
