/// The conversation before the first message (D-Bus specification, "Authentication Protocol") as a value, without I/O.
/// Its only mechanism is `EXTERNAL`: the system attests the user at the other end of the socket.
struct Authentication {
    enum Side {
        /// - Parameter server: the required server ID (`guid` in its address); `nil` accepts any.
        case client(server: String?)
        /// The attested user at the other end, and the user of this process. Both must be the same.
        case server(peer: UInt32, own: UInt32, id: String)
    }

    enum State: Equatable {
        case speaking
        case finished
        /// The server rejects `EXTERNAL`, but accepts these mechanisms.
        case rejected(mechanisms: [String])
        case failed(reason: String)
    }

    private enum Step {
        /// `nul`: the server waits for the NUL byte that a client sends first. On some systems, it carries credentials.
        case nul, awaitsMechanism, awaitsIdentity, awaitsBeginning, awaitsConsent, awaitsDescriptors
    }

    private let side: Side
    private var step: Step
    private(set) var state = State.speaking
    /// Whether both sides have agreed to pass descriptors.
    private(set) var passesDescriptors = false
    private var line: [UInt8] = []
    private var lines = 0
    private(set) var outgoing: [UInt8] = []

    private static let longestLine = 4_096
    private static let mostLines = 32

    /// - Parameter user: the user of this process; a client sends it to the server.
    init(_ side: Side, user: UInt32) {
        self.side = side
        switch side {
        case .client:
            step = .awaitsConsent
            // Send all lines at once, because the server's answers do not change what the client sends next.
            outgoing = [0] + Array("AUTH EXTERNAL \(Self.identity(of: user))\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8)
        case .server: step = .nul
        }
    }

    /// A client-side conversation that another implementation has completed.
    init(finishedWith passesDescriptors: Bool) {
        (side, step, state) = (.client(server: nil), .awaitsConsent, .finished)
        self.passesDescriptors = passesDescriptors
    }

    mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// - Returns: the number of bytes that belong to the conversation; messages follow them.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        for (index, byte) in bytes.enumerated() {
            guard state == .speaking else { return index }
            if step == .nul {
                guard byte == 0 else { return fail("it does not start with a NUL byte", index) }
                step = .awaitsMechanism
                continue
            }
            guard line.count < Self.longestLine else { return fail("a line is too long", index) }
            line.append(byte)
            guard line.suffix(2) == [UInt8(ascii: "\r"), UInt8(ascii: "\n")] else { continue }
            let words = String(decoding: line.dropLast(2), as: UTF8.self)
                .split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            line = []
            lines += 1
            guard lines <= Self.mostLines else { return fail("it has too many lines", index) }
            switch side {
            case .client(let server): answered(words, server)
            case .server(let peer, let own, let id): asked(words, peer, own, id)
            }
        }
        return bytes.count
    }

    private mutating func fail(_ reason: String, _ index: Int) -> Int {
        state = .failed(reason: reason)
        return index
    }

    // MARK: Server

    private mutating func asked(_ words: [String], _ peer: UInt32, _ own: UInt32, _ id: String) {
        switch (words[0], step) {
        case ("AUTH", .awaitsMechanism):
            guard words.count > 1, words[1] == "EXTERNAL" else { return reject() }
            guard words.count > 2 else {
                step = .awaitsIdentity
                return say("DATA")
            }
            identify(words[2], peer, own, id)
        case ("DATA", .awaitsIdentity): identify(words.count > 1 ? words[1] : "", peer, own, id)
        case ("NEGOTIATE_UNIX_FD", .awaitsBeginning):
            passesDescriptors = true
            say("AGREE_UNIX_FD")
        case ("BEGIN", .awaitsBeginning): state = .finished
        case ("BEGIN", _): state = .failed(reason: "the client sent BEGIN before authenticating")
        case ("CANCEL", _), ("ERROR", _): reject()
        default: say("ERROR \"unknown command, or not allowed now\"")
        }
    }

    /// Checks the user that the client states. If it states none, only the attested user is checked.
    private mutating func identify(_ stated: String, _ peer: UInt32, _ own: UInt32, _ id: String) {
        guard peer == own, stated.isEmpty || stated == Self.identity(of: peer) else { return reject() }
        step = .awaitsBeginning
        say("OK \(id)")
    }

    private mutating func reject() {
        step = .awaitsMechanism
        say("REJECTED EXTERNAL")
    }

    private mutating func say(_ line: String) { outgoing += Array((line + "\r\n").utf8) }

    // MARK: Client

    private mutating func answered(_ words: [String], _ server: String?) {
        switch (words[0], step) {
        case ("OK", .awaitsConsent):
            guard server == nil || words.count > 1 && words[1] == server else {
                state = .failed(reason: "the id of the server differs from the guid in the address")
                return
            }
            step = .awaitsDescriptors
        case ("AGREE_UNIX_FD", .awaitsDescriptors):
            passesDescriptors = true
            state = .finished
        // Without the server's agreement, messages can still be sent, just not with descriptors.
        case ("ERROR", .awaitsDescriptors): state = .finished
        case ("REJECTED", .awaitsConsent): state = .rejected(mechanisms: Array(words.dropFirst()))
        default: state = .failed(reason: "the server rejects this user, or gave an unexpected answer")
        }
    }

    /// The user ID in decimal digits, each of them encoded as two hexadecimal digits.
    private static func identity(of user: UInt32) -> String {
        String(user).utf8.map { String($0, radix: 16) }.joined()
    }
}
