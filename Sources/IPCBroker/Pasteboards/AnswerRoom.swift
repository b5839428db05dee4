internal import IPCDBus
internal import IPCModel

/// Limits the size of the answers to open readings, for all callers together (I16).
///
/// A call of a few bytes may read 16 MiB, and many calls begin before the first one is answered. The size of an answer is
/// known from the last write or reading; an unknown one counts as a few MiB. A descriptor counts as 256 KiB, so that no more
/// than 128 are made before they are sent, and 32 for one caller (I17). A caller that does not read its answers gets no
/// further ones, and delays only itself.
@DBusActor
final class AnswerRoom {
    /// The content that a reading asks for.
    struct Subject: Hashable {
        let name: PasteboardName
        let takesDescriptors: Bool
        /// Whether one value is read, and not all items.
        let isOneValue: Bool
    }

    /// The room that one reading takes, until it is destroyed.
    @DBusActor
    final class Place {
        fileprivate let bytes: Int
        fileprivate let caller: BusName?
        private weak var room: AnswerRoom?

        fileprivate init(_ bytes: Int, _ caller: BusName?, _ room: AnswerRoom) {
            (self.bytes, self.caller, self.room) = (bytes, caller, room)
        }

        isolated deinit { room?.release(self) }
    }

    private struct Waiting {
        let subject: Subject
        let caller: BusName?
        /// Receives nil if the caller has no room of its own by then.
        let continuation: CheckedContinuation<Place?, Never>
    }

    /// The sizes of answers about a pasteboard.
    private struct Known {
        /// All values in the message.
        var whole: Int?
        /// All values for a receiver of descriptors: these, and the values in the message.
        var beside: Int?
        var value: Int?

        subscript(_ subject: Subject) -> Int? {
            get { subject.isOneValue ? value : subject.takesDescriptors ? beside : whole }
            set {
                switch (subject.isOneValue, subject.takesDescriptors) {
                case (true, _): value = newValue
                case (false, true): beside = newValue
                case (false, false): whole = newValue
                }
            }
        }
    }

    private var known: [PasteboardName: Known] = [:]
    private var taken = 0
    private var takenBy: [BusName?: Int] = [:]
    /// Readings that wait for room of all callers together.
    private var waiting = CallersInTurn<Waiting>()
    /// Reads whose own caller has no room. They are not in the queue of all callers, where they would delay others.
    private var held: [BusName?: [CheckedContinuation<Void, Never>]] = [:]

    private let inlineValueBytes: Int

    init(limits: Limits) { inlineValueBytes = Int(clamping: limits.inlineValueBytes) }

    /// Twice the largest answer.
    private static let most = 32 << 20
    /// The limit of one caller, or one answer. It leaves room for other callers, and keeps the unread answers of a caller far
    /// below the limit that ends a direct connection.
    fileprivate nonisolated static let mostOfCaller = 8 << 20
    private static let unknownBytes = 4 << 20
    private static let bytesOfDescriptor = 256 << 10
    /// The limit of pasteboards with known sizes; beyond it all sizes are removed.
    private static let mostKnown = 10_000

    /// It is sent to no caller.
    static let callerHasLeft = ErrorReply(.failed, "the caller has left")

    /// Takes a place; waits until the caller has read its earlier answers, and until there is room.
    /// - Throws: an `ErrorReply` if the caller has left: nothing needs to be read for it.
    func place(for subject: Subject, _ call: IncomingCall) async throws -> Place {
        while true {
            if call.hasBacklog { await call.backlogRead() }
            guard call.isAwaited else { throw Self.callerHasLeft }
            guard takenBy.hasRoom(for: bytes(subject), of: call.sender) else {
                await withCheckedContinuation { continuation in
                    // To enter this function may suspend, so there may be room by now.
                    guard !takenBy.hasRoom(for: bytes(subject), of: call.sender) else { return continuation.resume() }
                    held[call.sender, default: []].append(continuation)
                }
                continue
            }
            if waiting.count == 0, let place = take(subject, call.sender) { return place }
            let place = await withCheckedContinuation { continuation in
                waiting.append(
                    Waiting(subject: subject, caller: call.sender, continuation: continuation), of: call.sender)
                giveToWaiting()
            }
            // If the caller has not read an earlier answer in the meantime, the place is for others.
            if let place, call.isAwaited, !call.hasBacklog { return place }
        }
    }

    /// Notes the size of an answer, in the message and in descriptors.
    func learn(_ bytes: Int, descriptors: Int, of subject: Subject) {
        if known.count >= Self.mostKnown { known = [:] }
        known[subject.name, default: Known()][subject] = bytes + descriptors * Self.bytesOfDescriptor
    }

    /// Notes that items will replace the content of a pasteboard, or be added to it.
    func writing(_ items: [PasteboardItem], to name: PasteboardName, isAddition: Bool) {
        if known.count >= Self.mostKnown { known = [:] }
        let former = isAddition ? known[name] ?? Known() : Known(whole: 0, beside: 0)
        var (whole, beside) = (0, 0)
        for item in items {
            for value in item.representations {
                whole += value.byteCount
                beside += value.byteCount <= inlineValueBytes ? value.byteCount : Self.bytesOfDescriptor
            }
        }
        known[name] = Known(whole: former.whole.map { $0 + whole }, beside: former.beside.map { $0 + beside })
    }

    /// Notes that the content of a pasteboard has changed in an unknown way.
    func forget(_ name: PasteboardName) { known[name] = nil }

    func bytes(_ subject: Subject) -> Int {
        min(known[subject.name]?[subject] ?? Self.unknownBytes, Self.most)
    }

    /// Takes a place of a caller that has room of its own; nil if there is no room for all callers together.
    private func take(_ subject: Subject, _ caller: BusName?) -> Place? {
        let bytes = bytes(subject)
        guard taken == 0 || taken + bytes <= Self.most else { return nil }
        taken += bytes
        takenBy.add(bytes, of: caller)
        return Place(bytes, caller, self)
    }

    fileprivate func release(_ place: Place) {
        taken -= place.bytes
        takenBy.remove(place.bytes, of: place.caller)
        for continuation in held.removeValue(forKey: place.caller) ?? [] { continuation.resume() }
        giveToWaiting()
    }

    private func giveToWaiting() {
        while let next = waiting.next {
            let hasRoom = takenBy.hasRoom(for: bytes(next.subject), of: next.caller)
            let place = hasRoom ? take(next.subject, next.caller) : nil
            if hasRoom, place == nil { return }
            _ = waiting.takeNext()
            next.continuation.resume(returning: place)
        }
    }
}

/// The bytes of each caller; none for a caller that has no place.
extension [BusName?: Int] {
    /// Whether the bytes are within the limit of one caller, or would be the caller's only ones.
    fileprivate func hasRoom(for bytes: Int, of caller: BusName?) -> Bool {
        self[caller].map { $0 + bytes <= AnswerRoom.mostOfCaller } ?? true
    }

    fileprivate mutating func add(_ bytes: Int, of caller: BusName?) { self[caller, default: 0] += bytes }

    fileprivate mutating func remove(_ bytes: Int, of caller: BusName?) {
        func remove(_ own: inout Int?) { own = own.flatMap { $0 > bytes ? $0 - bytes : nil } }
        remove(&self[caller])
    }
}
