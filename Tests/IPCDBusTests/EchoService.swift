import IPCDBus

/// A small service that the tests call.
enum Echo {
    static let name: InterfaceName = "org.example.Echo"
    static let echo = Method(
        name, "Echo", takes: .of(Argument<Value>("value")), returns: .of(Argument<Value>("value")),
        "Gives the value back.")
    static let add = Method(
        name, "Add", takes: .of(Argument<UInt64>("one"), Argument<UInt64>("other")),
        returns: .of(Argument<UInt64>("sum")),
        "Adds with overflow.")
    static let never = Method(name, "Never", takes: .none, returns: .none, "Is never answered by its handler.")
    static let fail = Method(name, "Fail", takes: .none, returns: .none, "Fails with a named error.")
    static let announce = Method(
        name, "Announce", takes: .of(Argument<String>("text")), returns: .none, "Answers, then emits Announced.")
    static let announced = Signal(name, "Announced", carries: .of(Argument<String>("text")), "Follows Announce.")
    static let greeting = Property<String>(name, "Greeting", isWritable: true, "A <text> & its \"marks\".")

    static let description = InterfaceDescription(
        name, "An interface for tests.",
        [
            echo.description, add.description, never.description, fail.description, announce.description,
            announced.description, greeting.description,
        ])

    @DBusActor
    static func interface(path: ObjectPath = "/echo") -> ExportedInterface {
        let state = EchoState()
        return ExportedInterface(
            description,
            methods: [
                echo.answered { value, _ in value },
                add.answered { input, _ in input.0 &+ input.1 },
                never.answered { (_, call) async throws in try await state.wait() },
                fail.answered { (_, _) throws in throw ErrorReply("org.example.Error.Deliberate", "as asked") },
                announce.answered { text, call in try call.emitAfterReply(announced, from: path, text) },
            ],
            properties: [
                greeting.answered(get: { _ in state.greeting }, set: { text, _ in state.greeting = text })
            ])
    }
}

@DBusActor
private final class EchoState {
    var greeting = "hello"
    private var waiting: [CheckedContinuation<Void, Never>] = []
    func wait() async throws { await withCheckedContinuation { waiting.append($0) } }
}
