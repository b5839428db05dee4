#if DEBUG || FUZZING
    import Glibc
    import IPCInterface
    import IPCModel

    @testable import IPCDBus

    /// The arguments of a call of the contract: what is read can be written, and means the same again.
    enum ContractTarget: FuzzTarget {
        static let name = "contract"

        private static let arguments: [@Sendable ([UInt8]) -> Void] =
            both(Broker1.getLimits) + both(Broker1.describe) + both(Broker1.connect) + both(Pasteboard1.setItems)
            + both(Pasteboard1.addItems) + both(Pasteboard1.getItems) + both(Pasteboard1.getData)
            + both(Pasteboard1.listVersions) + both(PasteboardWriter1.getPromisedData)
            + both(Pasteboards1.getPasteboard)
            + both(Pasteboards1.createUniquePasteboard) + both(Pasteboards1.listPasteboards)
            + both(Pasteboards1.waitForChange) + both(Schemes1.register) + both(Schemes1.canOpenURL)
            + both(Schemes1.resolveURL) + both(Schemes1.listHandlers) + both(Schemes1.listDefaults)
            + both(Schemes1.getPolicy) + both(Schemes1.setPolicy) + both(Schemes1.listPolicies) + both(Simple1.openText)
            + both(URLHandler1.openURL) + both(URLHandler1.cancelURL) + both(URLs1.openURL) + both(URLs1.getRequest)
            + both(URLs1.waitRequest) + both(URLs1.retryRequest) + both(URLs1.listRequests) + both(URLs1.traceRequest)
            + both(FreedesktopApplication.open)

        static func check(_ input: [UInt8]) {
            var reader = InputReader(input)
            arguments[Int(reader.byte()) % arguments.count](Array(reader.rest))
        }

        /// The arguments of a method's calls, and those of its answers.
        private static func both<Input, Output>(_ method: Method<Input, Output>) -> [@Sendable ([UInt8]) -> Void] {
            [{ check(method.input, $0) }, { check(method.output, $0) }]
        }

        private static func check<Values>(_ arguments: Arguments<Values>, _ body: [UInt8]) {
            guard let values = read(arguments, body) else { return }
            guard let first = write(arguments, values) else { return }
            guard let again = read(arguments, first) else { broken("the arguments \(values) cannot be read again") }
            guard write(arguments, again)?.count == first.count else {
                broken("the arguments \(values) are written as \(again)")
            }
        }

        /// Reads arguments with the limits of a broker; `nil` if they are not valid.
        static func read<Values>(_ arguments: Arguments<Values>, _ body: [UInt8]) -> Values? {
            guard let message = Self.message(arguments.signature, body) else { return nil }
            message.bounds = WireBounds(
                limits: ["inline-value-bytes": 4_096, "annotation-bytes": 4_096], texts: 100, named: "names-per-call")
            var reader = MessageReader(message)
            guard let values = try? arguments.read(&reader), (try? reader.finish()) != nil else { return nil }
            return values
        }

        /// The bytes of the arguments; `nil` if a value cannot be written.
        private static func write<Values>(_ arguments: Arguments<Values>, _ values: Values) -> [UInt8]? {
            let message = try? call(arguments.signature) { (writer) throws(MessageError) in
                try arguments.write(values, &writer)
            }
            return message.map { Array($0.bytes[$0.bodyStart...]) }
        }

        private static func call(_ signature: String, _ body: Message.Body) throws(MessageError) -> Message {
            try Message.methodCall(
                to: nil, path: "/a", interface: "a.b", member: "c", signature: signature, body)
        }

        /// A received message with these arguments.
        private static func message(_ signature: String, _ body: [UInt8]) -> Message? {
            guard let empty = try? call(signature, { (_) throws(MessageError) in }) else { return nil }
            var bytes = Array(empty.bytes)
            withUnsafeBytes(of: UInt32(body.count).littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
            bytes += body
            guard let copy = malloc(bytes.count) else { return nil }
            bytes.withUnsafeBytes { _ = memcpy(copy, $0.baseAddress!, $0.count) }
            return try? Message(received: .init(start: copy, count: bytes.count), descriptors: [])
        }
    }

    /// A policy, as callers set it: a refusal always counts, and an allowance only for a source that the bus attests (I19).
    enum PolicyTarget: FuzzTarget {
        static let name = "policy"

        static func check(_ input: [UInt8]) {
            guard let (_, options, _) = ContractTarget.read(Schemes1.setPolicy.input, input) else { return }
            let (allow, deny) = (options.allow ?? [], options.deny ?? [])
            guard let allowed = try? allow.map({ try ApplicationID($0) }),
                let refused = try? deny.map({ try ApplicationID($0) })
            else { return }
            let others = options.others != "deny"
            let policy = AccessPolicy(allowsOthers: others, allowed: Set(allowed), refused: Set(refused))
            for name in allow + deny + ["demo.Other", "", "no id"] {
                for strength in SourceStrength.allCases {
                    let source = Source(application: name, strength: strength)
                    let expected = !deny.contains(name) && (others || strength == .owned && allow.contains(name))
                    guard policy.allows(source) == expected else { broken("\(policy) judges \(source) wrongly") }
                    _ = policy.lacksProof(of: source)
                }
            }
        }
    }
#endif
