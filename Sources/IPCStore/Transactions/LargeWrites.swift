package import IPCModel
internal import Synchronization

/// Lets large writes into the store's queue one at a time, in order of arrival. The queue runs operations in order, so
/// no other operation waits behind several large writes (I15). A deletion counts as a write: SQLite reads all pages of a
/// value to free them.
package final class LargeWrites: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits until the earlier large writes are done, and then runs a large write.
    nonisolated(nonsending) func alone<Value>(
        _ write: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                defer { state.isBusy = true }
                if state.isBusy { state.waiting.append(continuation) }
                return !state.isBusy
            }
            if isFirst { continuation.resume() }
        }
        defer { endTurn() }
        return try await write()
    }

    private func endTurn() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isBusy = !state.waiting.isEmpty
            return state.isBusy ? state.waiting.removeFirst() : nil
        }
        next?.resume()
    }

    package static func areSmall(inlineBytes bytes: UInt64, values: Int) -> Bool { bytes <= 64 << 10 && values <= 256 }
}

extension [PasteboardItem] {
    /// Whether the store writes the items so fast that this may happen on the I/O thread, and that other calls need not
    /// be protected from it. Values in files do not count, because the store takes them in before it writes the items.
    package var areSmall: Bool {
        LargeWrites.areSmall(
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
