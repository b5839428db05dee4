import Glibc
import IPCModel

import class IPCDBus.DBusActor
import class IPCDBus.Descriptor
import class IPCDBus.DescriptorWatch
import class IPCDBus.LimitedWait

/// A pipe to another program. Reading and writing do not block the I/O thread.
@DBusActor
final class WaylandPipe {
    private let descriptor: Descriptor
    private var isSuperseded = false
    private var wake: () -> Void = {}

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        _ = fcntl(descriptor.rawValue, F_SETFL, O_NONBLOCK)
    }

    /// Stops reading, because the content is no longer on the clipboard.
    func supersede() {
        isSuperseded = true
        wake()
    }

    /// Reads all content, up to the end of the pipe.
    /// - Parameter most: the size limit in bytes.
    func read(atMost most: Int) async throws(ClipboardFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            guard await isReady(for: .reading, within: .seconds(10)) else { throw .stalled }
            guard !isSuperseded else { throw .superseded }
            let count = Glibc.read(descriptor.rawValue, &chunk, chunk.count)
            if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
            guard count >= 0 else { throw .refused }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= most else { throw .tooLarge }
        }
    }

    /// Writes content. Stops early if the other program stops reading.
    func write(_ value: Representation.Value) async {
        var sent = 0
        while sent < value.byteCount, await isReady(for: .writing, within: .seconds(30)) {
            let part = sent..<min(value.byteCount, sent + 65_536)
            let written = value.withPart(part) { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
            guard let written, written > 0 || written < 0 && (errno == EAGAIN || errno == EINTR) else { return }
            sent += max(0, written)
        }
    }

    /// Waits until the pipe is ready or ``supersede()`` is called.
    /// - Returns: false if neither happens within the limit.
    private func isReady(for readiness: DescriptorWatch.Readiness, within limit: Duration) async -> Bool {
        guard !isSuperseded else { return true }
        var watch: DescriptorWatch?
        defer { watch?.end() }
        let ready: Void? = await LimitedWait.result(until: .now + limit) { end in
            wake = { end(()) }
            watch = DescriptorWatch(descriptor.rawValue, for: readiness) { end(()) }
        }
        return ready != nil
    }
}
