/// A D-Bus message that a traced process sent or received.
package struct TracedMessage: Sendable {
    package enum Direction: Sendable {
        case sent, received
    }

    package let message: WireMessage
    package let direction: Direction
    /// The socket, named as in the trace.
    package let socket: String
    /// The start, as a position in the trace, of the system call that moved the first byte: ``SystemCallEvent/begin``.
    package let begin: Int
    /// The end, as a position in the trace, of the system call that moved the last byte.
    package let end: Int
    /// Seconds since 1970 at `begin`.
    package let time: Double
}

/// A reply that a traced process sent, with the call that it answers.
package struct TracedAnswer: Sendable {
    package let answer: TracedMessage
    /// The call that is answered; `nil` if it came before the trace began.
    package let call: TracedMessage?

    package var member: String? { call?.message.member }
}

extension SystemCallRecording {
    /// The D-Bus messages on all stream sockets, in the order of their start. Other traffic, such as authentication, is
    /// skipped.
    package var messages: [TracedMessage] {
        var streams: [String: MessageStream] = [:]
        var messages: [TracedMessage] = []
        for event in events where event.isOnStreamSocket && (event.result ?? 0) > 0 {
            guard let direction = Self.direction[event.name], let socket = event.path else { continue }
            messages += streams["\(direction) \(socket)", default: MessageStream(direction, socket)].read(event)
        }
        return messages.sorted { $0.begin < $1.begin }
    }

    /// The method returns and errors that the process sent, with their calls.
    package var answers: [TracedAnswer] {
        struct Key: Hashable {
            let socket: String
            let caller: String?
            let serial: UInt32
        }
        var calls: [Key: TracedMessage] = [:]
        var answers: [TracedAnswer] = []
        for traced in messages {
            let message = traced.message
            switch (traced.direction, message.kind) {
            case (.received, .methodCall):
                calls[Key(socket: traced.socket, caller: message.sender, serial: message.serial)] = traced
            case (.sent, .methodReturn), (.sent, .error):
                let key = message.replySerial.map {
                    Key(socket: traced.socket, caller: message.destination, serial: $0)
                }
                answers.append(TracedAnswer(answer: traced, call: key.flatMap { calls.removeValue(forKey: $0) }))
            default: break
            }
        }
        return answers
    }

    private static let direction: [String: TracedMessage.Direction] = [
        "sendmsg": .sent, "sendto": .sent, "write": .sent, "writev": .sent,
        "recvmsg": .received, "recvfrom": .received, "read": .received, "readv": .received,
    ]
}

/// Splits the bytes that flow through a socket in one direction into messages. The trace cuts off long data, so bytes
/// may be missing from the bodies.
private struct MessageStream {
    private let direction: TracedMessage.Direction
    private let socket: String
    /// The visible beginning of the current message.
    private var shown: [UInt8] = []
    /// How many bytes of the current message have been transferred.
    private var flowed = 0
    private var length: Int?
    private var first: (begin: Int, time: Double)?
    /// Whether message boundaries are known, so that the next byte starts a message or belongs to the current one.
    private var isInStep = false

    init(_ direction: TracedMessage.Direction, _ socket: String) {
        self.direction = direction
        self.socket = socket
    }

    mutating func read(_ event: SystemCallEvent) -> [TracedMessage] {
        var messages: [TracedMessage] = []
        if !isInStep {
            // Skip data until some looks like the fixed part of a message header; authentication data never does.
            guard case .bytes(let bytes)? = event.data.first else { return [] }
            isInStep = WireMessage.length(fixedHeader: bytes) != nil
        }
        for data in event.data {
            var left = data
            while isInStep, let rest = advance(left, event, &messages) { left = rest }
        }
        return messages
    }

    /// Takes the bytes of the current message; returns the remaining bytes, or `nil` if there are none.
    private mutating func advance(
        _ data: SystemCallEvent.Data, _ event: SystemCallEvent, _ messages: inout [TracedMessage]
    ) -> SystemCallEvent.Data? {
        if first == nil { first = (event.begin, event.time) }
        let wanted = (length ?? WireMessage.fixedLength) - flowed
        let rest: SystemCallEvent.Data?
        switch data {
        case .bytes(let bytes):
            if shown.count == flowed { shown += bytes.prefix(wanted) }
            flowed += min(wanted, bytes.count)
            rest = bytes.count > wanted ? .bytes(Array(bytes.dropFirst(wanted))) : nil
        case .missing(let count):
            // If the header is cut off, the length of the message and the start of the next one are unknown.
            isInStep = length != nil
            flowed += min(wanted, count)
            rest = count > wanted ? .missing(count - wanted) : nil
        }
        if isInStep, length == nil, flowed == WireMessage.fixedLength {
            length = WireMessage.length(fixedHeader: shown)
            isInStep = length != nil
        }
        if !isInStep || flowed == length { finish(event, &messages) }
        return rest
    }

    private mutating func finish(_ event: SystemCallEvent, _ messages: inout [TracedMessage]) {
        if isInStep, let message = WireMessage(shown), let first {
            messages.append(
                TracedMessage(
                    message: message, direction: direction, socket: socket, begin: first.begin, end: event.end,
                    time: first.time))
        }
        (shown, flowed, length, first) = ([], 0, nil, nil)
    }
}
