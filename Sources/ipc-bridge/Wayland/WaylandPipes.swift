import Glibc
import IPCModel

import class IPCDBus.DBusActor
import class IPCDBus.DBusTimer
import class IPCDBus.Descriptor
import class IPCDBus.DescriptorWatch

/// Reads a pipe to its end.
@DBusActor
final class WaylandReading {
    private let input: Descriptor
    private let most: Int
    private var bytes: [UInt8] = []
    private var watch: DescriptorWatch?
    private let timer = DBusTimer()
    private var answer: CheckedContinuation<Result<[UInt8], ClipboardFailure>, Never>?
    private var isEnded = false

    /// The time in which the other program has to write something.
    private static let patience = Duration.seconds(10)

    init(_ input: Descriptor, atMost most: Int) {
        (self.input, self.most) = (input, most)
        _ = fcntl(input.rawValue, F_SETFL, O_NONBLOCK)
    }

    func content() async throws(ClipboardFailure) -> [UInt8] {
        try await withCheckedContinuation { (answer: CheckedContinuation<Result<[UInt8], ClipboardFailure>, Never>) in
            self.answer = answer
            guard !isEnded else { return end(.failure(.superseded)) }
            watch = DescriptorWatch(input.rawValue, for: .reading) { [weak self] in self?.read() }
            wait()
        }.get()
    }

    func end(_ result: Result<[UInt8], ClipboardFailure>) {
        isEnded = true
        watch?.end()
        timer.cancel()
        let answer = answer
        self.answer = nil
        answer?.resume(returning: result)
    }

    private func wait() {
        timer.set(at: .now + Self.patience) { [weak self] in self?.end(.failure(.stalled)) }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(input.rawValue, &chunk, chunk.count)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        guard count > 0 else { return end(count == 0 ? .success(bytes) : .failure(.refused)) }
        bytes += chunk.prefix(count)
        guard bytes.count <= most else { return end(.failure(.tooLarge)) }
        wait()
    }
}

/// Writes a content into a pipe, as fast as the other program reads.
@DBusActor
final class WaylandWriting {
    private let value: Representation.Value
    private let output: Descriptor
    private var sent = 0
    private var watch: DescriptorWatch?
    private let timer = DBusTimer()
    private var done: CheckedContinuation<Void, Never>?

    /// The time in which the other program has to read something.
    private static let patience = Duration.seconds(30)
    private static let piece = 65_536

    init(_ value: Representation.Value, to output: Descriptor) {
        (self.value, self.output) = (value, output)
        _ = fcntl(output.rawValue, F_SETFL, O_NONBLOCK)
    }

    /// Returns when all is written, or the other program does not read on.
    func run() async {
        await withCheckedContinuation { done in
            self.done = done
            watch = DescriptorWatch(output.rawValue, for: .writing) { self.write() }
            wait()
        }
    }

    private func wait() {
        timer.set(at: .now + Self.patience) { self.end() }
    }

    private func end() {
        watch?.end()
        watch = nil
        timer.cancel()
        let done = done
        self.done = nil
        done?.resume()
    }

    private func write() {
        let part = sent..<min(value.byteCount, sent + Self.piece)
        let output = output.rawValue
        guard !part.isEmpty, let count = value.withPart(part, { Glibc.write(output, $0.baseAddress, $0.count) })
        else { return end() }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        guard count > 0 else { return end() }
        sent += count
        wait()
    }
}
