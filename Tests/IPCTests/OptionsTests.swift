import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPC

@DBusActor
struct OptionsTests {
    @Test func writeOptionsAreSent() async throws {
        let pair = try await Pair(id: "demo.IPCClient")
        let board = pair.application.generalPasteboard
        try await board.setItems(
            [.string("x")],
            options: PasteboardOptions(
                timeToLive: .milliseconds(1500), isSensitive: true, isOnce: true, ifChangeCount: 7,
                id: "0123456789abcdef"))
        try await board.addItems([.string("y")], options: PasteboardOptions(timeToLive: .seconds(3)))
        try await board.setString("z")
        let options = pair.broker.written.map(\.options)
        #expect(options.map(\.timeToLive) == [1500, 3000, nil])
        #expect(options.map(\.sensitive) == [true, nil, nil] && options.map(\.once) == [true, nil, nil])
        #expect(options.map(\.ifChangeCount) == [7, nil, nil])
        #expect(options[0].id == "0123456789abcdef" && options.allSatisfy { $0.sourceApplication == "demo.IPCClient" })
        #expect(options.allSatisfy { $0.promises == nil })
    }

    @Test func theExpirationIsSentAsRemainingTime() throws {
        func left(_ time: Duration?, _ end: UInt64?) throws -> UInt64? {
            let end = end.map(Timestamp.init(millisecondsSince1970:))
            return try PasteboardOptions(timeToLive: time, expiresAt: end)
                .milliseconds(at: Timestamp(millisecondsSince1970: 1_000_000))
        }
        #expect(try left(nil, nil) == nil)
        #expect(try left(.seconds(2), nil) == 2_000)
        #expect(try left(.nanoseconds(1), nil) == 1)
        #expect(try left(nil, 1_000_001) == 1)
        #expect(try left(.seconds(2), 1_000_500) == 500)
        #expect(try left(.milliseconds(20), 1_000_500) == 20)
        #expect(try left(.seconds(Int64.max), nil) == .max)
        for (time, end) in [(Duration.zero, nil), (.seconds(-1), nil), (nil, 1_000_000), (nil, 5)] as [(_, UInt64?)] {
            let error = #expect(throws: IPCError.self) { try left(time, end) }
            #expect(error?.code == .invalidArguments)
        }
    }

    @Test func aPastExpirationIsNotSent() async throws {
        let pair = try await Pair()
        let error = await #expect(throws: IPCError.self) {
            try await pair.application.generalPasteboard.setItems(
                [.string("x")], options: PasteboardOptions(expiresAt: Timestamp(millisecondsSince1970: 946_684_800_000))
            )
        }
        #expect(error?.code == .invalidArguments && pair.broker.written.isEmpty)
    }

    @Test func payloadOptionsAreSent() async throws {
        let pair = try await Pair()
        var options = OpenOptions()
        options.pasteboard = PasteboardOptions(timeToLive: .seconds(9), isSensitive: true, isOnce: true)
        _ = try await pair.application.open("x:", sending: [.string("a")], options: options)
        let set = try #require(pair.broker.opened[0].options.set)
        #expect(set.timeToLive == 9_000 && set.sensitive == true && set.once == true && set.create == nil)
        options.createsPasteboard = false
        _ = try await pair.application.open("x:", sending: [.string("a")], options: options)
        #expect(pair.broker.opened[1].options.set?.create == false)
        // The request's id is also that of its write to the pasteboard, so a separate id for that is an error.
        options.pasteboard.id = .random()
        let wrong = options
        let error = await #expect(throws: IPCError.self) { try await pair.application.open("x:", options: wrong) }
        #expect(error?.code == .invalidArguments && pair.broker.opened.count == 2)
    }
}
