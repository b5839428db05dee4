import IPCTesting
import Testing

/// A call that must be rejected, and the expected rejection.
struct BadCall: Sendable, CustomStringConvertible {
    enum Refusal: Sendable {
        /// An error with this name whose message contains these words.
        case error(String, naming: [String])
        /// The bus closes the connection, and the broker never sees the message.
        case thrownOff
    }

    let call: WireCall
    let refusal: Refusal
    let description: String

    /// - Parameters:
    ///     - error: the last part of an error name in the contract, or a complete name.
    ///     - words: the key, the limit or the character that the message must name.
    init(_ description: String, _ call: WireCall, _ error: String, naming words: String...) {
        self.description = "\(call.member): \(description)"
        self.call = call
        refusal = .error(error.contains(".") ? error : "org.swiftipc.Error.\(error)", naming: words)
    }

    init(thrownOff description: String, _ call: WireCall) {
        self.description = "\(call.member): \(description)"
        self.call = call
        refusal = .thrownOff
    }

    /// Checks that the calls are rejected as documented, that nothing is written, and that the broker is undamaged.
    static func expectRefused(_ rows: [BadCall], rounds: Int = 2) async throws {
        #expect(Set(rows.map(\.call)).count == rows.count, "two rows are the same call")
        #expect(Set(rows.map(\.description)).count == rows.count, "two rows have the same name")
        #expect(rows.count >= 20)
        print("ROWS", rows.count, rows[0])
        var settings = BrokerProcess.Settings()
        // The time-out is short, so that a request that is wrongly accepted fails only its own row and does not delay
        // the other rows.
        settings.arguments = ["--limit", "request-timeout-milliseconds=500"]
        let scene = try await BadInputScene.start(settings)
        try await scene.runRounds(rounds) {
            for row in rows { try await row.expectRefused(in: scene) }
        }
    }

    /// Makes the call, and checks that it is rejected as documented.
    func expectRefused(in scene: BadInputScene) async throws {
        let answer = try await scene.peer.call(call)
        switch refusal {
        case .error(let name, let words):
            #expect(answer.error == name, "\(description): \(answer)")
            for word in words { #expect(answer.text.contains(word), "\(description): \(answer)") }
            #expect(!answer.text.isEmpty && answer.text.utf8.count < 2000, "\(description): \(answer)")
        case .thrownOff: #expect(answer.gone, "\(description): \(answer)")
        }
        if answer.gone {
            try await scene.peer.close("caller")
            try await scene.peer.open("caller")
        }
    }
}
