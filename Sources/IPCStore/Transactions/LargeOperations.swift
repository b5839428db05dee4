package import IPCModel
internal import Synchronization

/// Lets large operations into the store's queue one at a time, in order of arrival. The queue runs operations in order,
/// so no other operation waits behind several large ones (I15). A deletion counts as a write: SQLite reads all pages of
/// a value to free them.
package final class LargeOperations: Sendable {
    private enum Kind { case read, write, portion }

    private struct State {
        private var isRunning = false
        private var isInPortions = false
        private var waiting: [(kind: Kind, begin: CheckedContinuation<Void, Never>)] = []

        /// Begins an operation, at once or in its turn.
        /// - Returns: what runs now.
        mutating func add(
            _ kind: Kind, _ begin: CheckedContinuation<Void, Never>
        ) -> CheckedContinuation<Void, Never>? {
            waiting.append((kind, begin))
            return isRunning ? nil : takeNext()
        }

        mutating func ended() -> CheckedContinuation<Void, Never>? {
            isRunning = false
            return takeNext()
        }

        mutating func setInPortions(_ isInPortions: Bool) -> CheckedContinuation<Void, Never>? {
            self.isInPortions = isInPortions
            return isRunning ? nil : takeNext()
        }

        /// A portion is added only after the one before it has ended. So if reads are waiting, one comes between them.
        private mutating func takeNext() -> CheckedContinuation<Void, Never>? {
            func first(_ kind: Kind) -> Int? { waiting.firstIndex { $0.kind == kind } }
            guard let next = isInPortions ? first(.portion) ?? first(.read) : waiting.indices.first else { return nil }
            isRunning = true
            return waiting.remove(at: next).begin
        }
    }

    private let state = Mutex(State())

    /// Waits until the earlier large operations are done, and then runs a large write.
    nonisolated(nonsending) func write<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        try await alone(.write, operation)
    }

    /// Waits until the earlier large operations are done, and then runs a large read.
    nonisolated(nonsending) func read<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        try await alone(.read, operation)
    }

    /// Runs the portions of a large write until one returns false. Large reads run between them, but no large writes.
    nonisolated(nonsending) func writePortions(
        _ portion: nonisolated(nonsending) () async throws -> Bool
    ) async rethrows {
        state.withLock { $0.setInPortions(true) }?.resume()
        defer { state.withLock { $0.setInPortions(false) }?.resume() }
        while try await alone(.portion, portion) {}
    }

    private nonisolated(nonsending) func alone<Value>(
        _ kind: Kind, _ operation: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            state.withLock { $0.add(kind, continuation) }?.resume()
        }
        defer { state.withLock { $0.ended() }?.resume() }
        return try await operation()
    }

    package static func areSmall(inlineBytes bytes: UInt64, values: Int) -> Bool { bytes <= 64 << 10 && values <= 256 }
}

extension [PasteboardItem] {
    /// Whether the store writes the items so fast that this may happen on the I/O thread, and that other calls need not
    /// be protected from it. Values in files do not count, because the store takes them in before it writes the items.
    package var areSmall: Bool {
        LargeOperations.areSmall(
            inlineBytes: reduce(0) { $0 + $1.inlineByteCount },
            values: reduce(0) { $0 + $1.representations.count })
    }
}

extension PasteboardItem {
    /// The size of the values that are not files, in bytes.
    package var inlineByteCount: UInt64 {
        representations.reduce(0) { sum, representation in
            if case .file = representation.value { sum } else { sum + UInt64(representation.byteCount) }
        }
    }
}
