import IPCDBus
import Testing

/// An object server that is reached directly, without a bus.
@DBusActor
struct PeerTests {
    private let listener: PeerListener
    private let connection: Connection

    init() async throws {
        let objects = ObjectServer()
        objects.export([Echo.interface()], at: "/echo")
        listener = try PeerListener("unix:tmpdir=/tmp", objects: objects)
        connection = try await Connection.openPeer(listener.address)
    }

    private func echo(_ value: Value) async throws -> Value {
        try await connection.call(Echo.echo, on: nil, at: "/echo", value, timeout: .seconds(5))
    }

    @Test(arguments: Values.all)
    func everyTypeSurvivesARoundTrip(_ value: Value) async throws {
        #expect(try await echo(value) == value)
    }

    @Test func megabytesTravelInOneMessage() async throws {
        let large = Value.bytes([UInt8](repeating: 7, count: 3 << 20))
        let same = try await echo(large) == large
        #expect(same)
    }

    @Test func integersAreExact() async throws {
        let sum = try await connection.call(Echo.add, on: nil, at: "/echo", (UInt64.max, 0))
        #expect(sum == UInt64.max)
    }

    @Test func descriptorsArriveAsOwnedCopies() async throws {
        let file = try #require(Descriptor(duplicating: 0))
        guard case .descriptor(let copy) = try await echo(.descriptor(file)) else {
            Issue.record("no descriptor")
            return
        }
        #expect(copy.rawValue != file.rawValue)
    }

    @Test func inputThatWouldAbortLibdbusIsATypedError() async throws {
        let tooDeep = (0..<70).reduce(Value.byte(1)) { value, _ in .variant(value) }
        let cases: [(Value, MessageError)] = [
            (.string("a\0b"), .containsNUL),
            (.bytes([UInt8](repeating: 0, count: (64 << 20) + 1)), .arrayTooLong(bytes: (64 << 20) + 1)),
            (.array(of: "s", [.byte(1)]), .unexpectedType(expected: "s", found: "y")),
            (.structure([]), .invalidSignature("()")),
            (tooDeep, .tooDeep),
            (
                .array(of: "h", try (0..<17).map { _ in .descriptor(try #require(Descriptor(duplicating: 0))) }),
                .tooManyDescriptors(17)
            ),
        ]
        for (number, (value, error)) in cases.enumerated() {
            await #expect(throws: CallError.unsendable(error), "case \(number)") { try await echo(value) }
        }
        #expect(try await echo(.string("still here")) == .string("still here"))
    }

    @Test func anUnansweredCallTimesOut() async throws {
        await #expect(throws: CallError.timedOut) {
            try await connection.call(Echo.never, on: nil, at: "/echo", (), timeout: .milliseconds(20))
        }
    }

    @Test func aCancelledTaskEndsItsCall() async throws {
        let connection = connection
        let task = Task { @DBusActor in
            try await connection.call(Echo.never, on: nil, at: "/echo", (), timeout: .seconds(60))
        }
        task.cancel()
        await #expect(throws: CallError.cancelled) { try await task.value }
    }

    @Test func errorsKeepTheirNameAndText() async throws {
        await #expect(throws: CallError.remote(name: "org.example.Error.Deliberate", message: "as asked")) {
            try await connection.call(Echo.fail, on: nil, at: "/echo", ())
        }
    }

    @Test func unknownObjectsMethodsAndPropertiesGetTheirErrors() async throws {
        let unknown = Method(Echo.name, "Nothing", takes: .none, returns: .none)
        await #expect(
            throws: CallError.remote(name: ErrorName.unknownMethod.text, message: "/echo has no method Nothing")
        ) {
            try await connection.call(unknown, on: nil, at: "/echo", ())
        }
        await #expect(
            throws: CallError.remote(name: ErrorName.unknownObject.text, message: "there is no object at /none")
        ) {
            try await connection.call(Echo.fail, on: nil, at: "/none", ())
        }
        let wrong = Method(Echo.name, "Add", takes: .of(Argument<String>("x")), returns: .none)
        await #expect(
            throws: CallError.remote(
                name: ErrorName.invalidArguments.text, message: "Add takes arguments of type “tt”, not “s”")
        ) { try await connection.call(wrong, on: nil, at: "/echo", "x") }
    }

    @Test func standardInterfacesValidateCallsLikeAllOthers() async throws {
        for method in [Peer.ping.name, Peer.getMachineID.name] {
            let wrong = Method(Peer.name, method, takes: .of(Argument<String>("x")), returns: .none)
            await #expect(
                throws: CallError.remote(
                    name: ErrorName.invalidArguments.text,
                    message: "\(method.text) takes arguments of type “”, not “s”")
            ) { try await connection.call(wrong, on: nil, at: "/echo", "x") }
        }
        for interface in [Peer.name, Properties.name, Introspectable.name] {
            let unknown = Method(interface, "Nothing", takes: .none, returns: .none)
            await #expect(
                throws: CallError.remote(name: ErrorName.unknownMethod.text, message: "/echo has no method Nothing")
            ) { try await connection.call(unknown, on: nil, at: "/echo", ()) }
        }
        // The control: both methods answer if they are called without arguments; `Ping` does so at any path.
        try await connection.call(Peer.ping, on: nil, at: "/none", ())
        #expect(try await connection.call(Peer.getMachineID, on: nil, at: "/echo", ()).count == 32)
    }

    @Test func propertiesAreReadAndWritten() async throws {
        try await connection.call(Properties.set, on: nil, at: "/echo", (Echo.name.text, "Greeting", .string("hi")))
        let all = try await connection.call(Properties.getAll, on: nil, at: "/echo", Echo.name.text)
        #expect(all == ["Greeting": .string("hi")])
    }

    @Test func introspectionNamesArgumentsAndEscapesText() async throws {
        let xml = try await connection.call(Introspectable.introspect, on: nil, at: "/echo", ())
        #expect(xml.contains(#"<arg name="one" type="t" direction="in"/>"#))
        #expect(xml.contains("A &lt;text&gt; &amp; its &quot;marks&quot;."))
        let root = try await connection.call(Introspectable.introspect, on: nil, at: "/", ())
        #expect(root.contains(#"<node name="echo"/>"#))
    }

    @Test func closingAPeerFailsItsCallsInProgress() async throws {
        let connection = connection
        let call = Task.immediate { @DBusActor in
            try await connection.call(Echo.never, on: nil, at: "/echo", (), timeout: .seconds(60))
        }
        connection.close()
        await #expect(throws: CallError.disconnected) { try await call.value }
    }
}

enum Values {
    static let all: [Value] = [
        .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.0), .double(.infinity), .string(""), .string("日本語 😀"),
        .string("e\u{301}"), .objectPath("/"), .objectPath("/a/b_1"), .signature(""), .signature("a{s(tv)}"),
        .bytes([]),
        .bytes([0, 1, 255]), .array(of: "s", []), .array(of: "(sv)", []), .array(of: "a{sv}", []),
        .array(of: "as", [.array(of: "s", [.string("x")]), .array(of: "s", [])]),
        .structure([.byte(1), .structure([.string("in"), .uint64(1 << 53 + 1)])]),
        .dictionary(key: "s", value: "v", []),
        .dictionary(key: "s", value: "v", [.init(.string("k"), .variant(.int32(-1)))]),
        .dictionary(key: "u", value: "as", [.init(.uint32(7), .array(of: "s", [.string("y")]))]),
        .variant(.variant(.string("nested"))), .array(of: "v", [.variant(.byte(1)), .variant(.string("2"))]),
    ]
}
