import Glibc

import class IPCDBus.DBusActor
import class IPCDBus.Descriptor
import class IPCDBus.DescriptorWatch

/// Watches for a new entry of a folder, such as the socket of a display; inotify(7).
@DBusActor
final class FolderWatch {
    /// Yields an element for each arrival. Finishes when the folder is gone.
    private let arrivals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let name: String
    private let descriptor: Descriptor
    private var watch: DescriptorWatch?

    /// - Returns: `nil` if the folder cannot be watched, for example because it does not exist.
    init?(for path: String) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        name = String(path[end...].drop { $0 == "/" })
        descriptor = Descriptor(owning: inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)))
        let wanted = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
        guard inotify_add_watch(descriptor.rawValue, String(path[..<end]), wanted) >= 0 else { return nil }
        watch = DescriptorWatch(descriptor.rawValue, for: .reading) { [weak self] in self?.read() }
    }

    /// Waits until the entry is created or another one gets its name. An arrival since the last call counts too.
    /// - Returns: `false` if the folder has been removed or unmounted, or the task is cancelled.
    func arrival() async -> Bool {
        for await _ in arrivals.stream { return true }
        return false
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = Glibc.read(descriptor.rawValue, &chunk, chunk.count)
        chunk.withUnsafeBytes { bytes in
            let header = MemoryLayout<inotify_event>.size
            var rest = UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)])
            while rest.count >= header {
                let event = rest.loadUnaligned(as: inotify_event.self)
                let entry = rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
                take(event.mask, String(decoding: entry, as: UTF8.self))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(header + Int(event.len)))
            }
        }
    }

    private func take(_ mask: UInt32, _ entry: String) {
        // After an overflow, events are missing, and the entry may be there.
        if entry == name || mask & UInt32(IN_Q_OVERFLOW) != 0 { arrivals.continuation.yield() }
        // The system has removed the watch, because the folder is gone.
        if mask & UInt32(IN_IGNORED) != 0 { arrivals.continuation.finish() }
    }
}
