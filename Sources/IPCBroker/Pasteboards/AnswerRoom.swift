internal import IPCDBus
internal import IPCModel

/// Limits the total size of the answers to reads in progress, for all callers together (I15, I16).
///
/// A call of a few bytes can read 16 MiB, and many calls can start before the first one is answered. The size of an
/// answer is known from the last write or read of the pasteboard; an unknown size counts as 1 MiB. A value counts as
/// 1 KiB in addition to its bytes, because many short ones take as long as a few long ones. A descriptor counts as
/// 64 KiB, so that at most 128 exist before they are sent, and at most 32 for one caller (I17). A caller that does
/// not read its answers gets no further answers, and delays only itself.
///
/// Small answers have space of their own, so that they never wait for large ones. Lists are read one at a time, because
/// each takes the store and the I/O thread some milliseconds.
@DBusActor
final class AnswerRoom {
    /// What a read asks for.
    struct Subject: Hashable {
        let name: PasteboardName
        let takesDescriptors: Bool
        /// Whether the read asks for one value, not for all items.
        let isOneValue: Bool
    }

    /// The space that is reserved for the answer to one read, until this object is deinitialized.
    @DBusActor
    final class Place {
        fileprivate let bytes: Int
        fileprivate let caller: BusName?
        fileprivate let space: SpaceOfSize
        private weak var room: AnswerRoom?

        fileprivate init(_ bytes: Int, in space: SpaceOfSize, _ caller: BusName?, _ room: AnswerRoom) {
            (self.bytes, self.space, self.caller, self.room) = (bytes, space, caller, room)
        }

        isolated deinit { room?.release(self) }
    }

    fileprivate struct Waiting {
        let bytes: @DBusActor () -> Int
        let caller: BusName?
        /// Resumed with `nil` if the caller has used up its own share in the meantime.
        let continuation: CheckedContinuation<Place?, Never>
    }

    /// The sizes of answers for a pasteboard, in bytes; `nil` if unknown.
    private struct Known {
        /// The size of all values for a caller that takes no descriptors and gets them inline.
        var whole: Int?
        /// The size of all values for a caller that takes descriptors: inline values plus the charge for descriptors.
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

    /// The space for the answers to all callers, and the reads that are waiting because it is used up.
    fileprivate struct Space {
        /// Another answer on the bus waits until the bus has read this many bytes, which takes about 30 ms.
        var bytes = 8 << 20
        var taken = 0
        var waiting = CallersInTurn<Waiting>()

        /// A single answer may be larger than the space.
        func has(_ bytes: Int) -> Bool { taken == 0 || taken + bytes <= self.bytes }
    }

    fileprivate typealias SpaceOfSize = ReferenceWritableKeyPath<AnswerRoom, Space>

    private var known: [PasteboardName: Known] = [:]
    private var small = Space()
    private var large = Space()
    private var lists = Space(bytes: 0)
    private var takenBy: [BusName?: Int] = [:]
    /// Reads whose caller has used up its own share. If they were in a space, they would delay other callers.
    private var held: [BusName?: [CheckedContinuation<Void, Never>]] = [:]

    private let inlineValueBytes: Int

    init(limits: Limits) { inlineValueBytes = Int(clamping: limits.inlineValueBytes) }

    private static let mostOfSmallAnswer = 64 << 10
    /// The share of one caller, which a single answer may exceed. The share leaves space for other callers, and keeps a
    /// caller's unread answers far below the size at which its direct connection would be closed.
    fileprivate nonisolated static let mostOfCaller = 2 << 20
    private static let unknownBytes = 1 << 20
    private static let bytesOfDescriptor = 64 << 10
    private static let bytesOfValue = 1 << 10
    /// The maximum number of pasteboards with known sizes. When it is reached, all sizes are forgotten.
    private static let mostKnown = 10_000

    /// The error that is thrown if the caller has left. It is never sent.
    static let callerHasLeft = ErrorReply(.failed, "the caller has disconnected")

    /// Reserves space for an answer. Waits until the caller has read its earlier answers and there is enough space.
    /// - Throws: an `ErrorReply` if the caller has left, so that nothing is read for it.
    func place(for subject: Subject, _ call: IncomingCall) async throws -> Place {
        try await place(in: { self.space(for: subject) }, { self.bytes(subject) }, call)
    }

    /// Lets a call read a list. Waits as ``place(for:_:)`` does.
    func placeForList(_ call: IncomingCall) async throws -> Place {
        try await place(in: { \.lists }, { Self.unknownBytes }, call)
    }

    private func place(
        in space: () -> SpaceOfSize, _ bytes: @escaping @DBusActor () -> Int, _ call: IncomingCall
    ) async throws -> Place {
        while true {
            if call.hasBacklog { await call.backlogRead() }
            guard call.isAwaited else { throw Self.callerHasLeft }
            guard takenBy.hasRoom(for: bytes(), of: call.sender) else {
                await withCheckedContinuation { continuation in
                    // `withCheckedContinuation` may suspend first, so there may be space by now.
                    guard !takenBy.hasRoom(for: bytes(), of: call.sender) else { return continuation.resume() }
                    held[call.sender, default: []].append(continuation)
                }
                continue
            }
            let space = space()
            if self[keyPath: space].waiting.count == 0, let place = take(bytes(), in: space, call.sender) {
                return place
            }
            let place = await withCheckedContinuation { continuation in
                self[keyPath: space].waiting.append(
                    Waiting(bytes: bytes, caller: call.sender, continuation: continuation), of: call.sender)
                giveToWaiting(in: space)
            }
            // If the caller has an unread answer by now, it waits again, and others get the space.
            if let place, call.isAwaited, !call.hasBacklog { return place }
        }
    }

    /// Notes the size of an answer: the bytes sent inline, and the number of values and of descriptors.
    func learn(_ bytes: Int, values: Int, descriptors: Int, of subject: Subject) {
        if known.count >= Self.mostKnown { known = [:] }
        known[subject.name, default: Known()][subject] =
            bytes + values * Self.bytesOfValue + descriptors * Self.bytesOfDescriptor
    }

    /// Notes that items are about to replace the content of a pasteboard, or to be added to it.
    func writing(_ items: [PasteboardItem], to name: PasteboardName, isAddition: Bool) {
        if known.count >= Self.mostKnown { known = [:] }
        let former = isAddition ? known[name] ?? Known() : Known(whole: 0, beside: 0)
        var (whole, beside) = (0, 0)
        for item in items {
            for value in item.representations {
                whole += Self.bytesOfValue + value.byteCount
                beside +=
                    Self.bytesOfValue
                    + (value.byteCount <= inlineValueBytes ? value.byteCount : Self.bytesOfDescriptor)
            }
        }
        known[name] = Known(whole: former.whole.map { $0 + whole }, beside: former.beside.map { $0 + beside })
    }

    /// Notes that the content of a pasteboard has changed in an unknown way.
    func forget(_ name: PasteboardName) { known[name] = nil }

    func bytes(_ subject: Subject) -> Int {
        min(known[subject.name]?[subject] ?? Self.unknownBytes, large.bytes)
    }

    /// Whether a read takes the store some milliseconds, as far as known.
    func isLarge(_ subject: Subject) -> Bool { bytes(subject) > Self.unknownBytes }

    private func space(for subject: Subject) -> SpaceOfSize {
        bytes(subject) <= Self.mostOfSmallAnswer ? \.small : \.large
    }

    /// Reserves space for a caller that has not used up its share; `nil` if the space for all callers is used up.
    private func take(_ bytes: Int, in space: SpaceOfSize, _ caller: BusName?) -> Place? {
        guard self[keyPath: space].has(bytes) else { return nil }
        self[keyPath: space].taken += bytes
        takenBy.add(bytes, of: caller)
        return Place(bytes, in: space, caller, self)
    }

    fileprivate func release(_ place: Place) {
        self[keyPath: place.space].taken -= place.bytes
        takenBy.remove(place.bytes, of: place.caller)
        for continuation in held.removeValue(forKey: place.caller) ?? [] { continuation.resume() }
        giveToWaiting(in: place.space)
    }

    private func giveToWaiting(in space: SpaceOfSize) {
        while let next = self[keyPath: space].waiting.next {
            let hasRoom = takenBy.hasRoom(for: next.bytes(), of: next.caller)
            let place = hasRoom ? take(next.bytes(), in: space, next.caller) : nil
            if hasRoom, place == nil { return }
            _ = self[keyPath: space].waiting.takeNext()
            next.continuation.resume(returning: place)
        }
    }
}

extension ArrivalOrder {
    /// Waits for the caller's turn to read a list, and keeps other lists from being read until the answer is sent.
    func turn(ofList call: IncomingCall, in room: AnswerRoom) async throws {
        try await inTurn(of: call.sender) { call.keepUntilAnswered(try await room.placeForList(call)) }
    }
}

/// The bytes reserved for each caller. A caller without reserved bytes has no entry.
extension [BusName?: Int] {
    /// Whether the bytes fit into the caller's share, or the caller has nothing reserved yet.
    fileprivate func hasRoom(for bytes: Int, of caller: BusName?) -> Bool {
        self[caller].map { $0 + bytes <= AnswerRoom.mostOfCaller } ?? true
    }

    fileprivate mutating func add(_ bytes: Int, of caller: BusName?) { self[caller, default: 0] += bytes }

    fileprivate mutating func remove(_ bytes: Int, of caller: BusName?) {
        func remove(_ own: inout Int?) { own = own.flatMap { $0 > bytes ? $0 - bytes : nil } }
        remove(&self[caller])
    }
}
