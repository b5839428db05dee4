internal import IPCInterface

/// The answer to a request, as a callback with parameters.
struct CallbackResult {
    let callback: XCallbackURL.Callback
    let parameters: URLParameters

    static let errorCode = "errorCode"
    static let errorMessage = "errorMessage"
    /// The name of the parameter for a reply that is a single string.
    static let text = "result"

    private init(_ callback: XCallbackURL.Callback, _ parameters: URLParameters = [:]) {
        (self.callback, self.parameters) = (callback, parameters)
    }

    init(_ outcome: Outcome, _ reply: HandlerReply) {
        switch outcome {
        case .cancelled: self.init(.cancel)
        case .declined: self = .error(outcome.rawValue, reply.errorMessage ?? "the handler declined the URL")
        case .handled: self = Self.success(reply.items?.first)
        default: self = .error(reply.errorCode ?? outcome.rawValue, reply.errorMessage ?? "")
        }
    }

    static let tooLarge = error("reply-too-large", "the reply is too large for a URL")

    private static func error(_ code: String, _ message: String) -> CallbackResult {
        CallbackResult(.error, [errorCode: code, errorMessage: message])
    }

    /// Converts the first item of the reply to parameters: a JSON object of scalars to one parameter per member, and
    /// form-encoded text to one per field. Any other JSON or text becomes the parameter `result`. Other types are left
    /// out.
    private static func success(_ item: PasteboardItem?) -> CallbackResult {
        guard let item else { return CallbackResult(.success) }
        // A reply arrives as a file if it was too large for a message.
        guard !item.representations.contains(where: { $0.value.isFile }) else { return tooLarge }
        let json = item[.json].flatMap { try? JSONValue(parsing: $0.value.content) }
        if let members = json?.scalars ?? item.formParameters {
            // x-callback-url reserves names that start with `x-`. Here, they would redirect the callback's own results.
            return CallbackResult(.success, URLParameters(members.filter { !$0.name.hasPrefix("x-") }))
        }
        guard let text = (try? item.text()) ?? json?.text else { return CallbackResult(.success) }
        return CallbackResult(.success, [Self.text: text])
    }
}

extension CallbackResult {
    static func reply(_ callback: XCallbackURL.Callback, _ url: XCallbackURL) -> Result<CallReply, CallFailure> {
        let parameters = url.parts.parameters
        switch callback {
        case .cancel: return .failure(CallFailure(.cancelled))
        // This library reports a declined request with this code.
        case .error where parameters[errorCode] == Outcome.declined.rawValue: return .failure(CallFailure(.declined))
        case .error:
            return .failure(
                CallFailure(
                    .failed(
                        code: parameters[errorCode] ?? Outcome.failed.rawValue,
                        message: parameters[errorMessage] ?? "")))
        case .success:
            guard !parameters.isEmpty else { return .success(CallReply(items: [])) }
            let object = JSONValue.object(parameters.map { JSONValue.Member($0.name, .string($0.value)) })
            let text = parameters[text].map { Representation(type: .utf8PlainText, value: .text($0)) }
            let json = Representation(type: .json, value: .text(object.text))
            let item = try? PasteboardItem([text, json].compactMap(\.self))
            return .success(CallReply(items: item.map { [$0] } ?? []))
        }
    }
}

extension JSONValue {
    /// The members of an object that contains only scalars; `nil` for other JSON. A null becomes an empty string.
    fileprivate var scalars: URLParameters? {
        guard case .object(let members) = self else { return nil }
        var parameters: [URLParameters.Parameter] = []
        for member in members {
            guard let text = member.value.scalar else { return nil }
            parameters.append(URLParameters.Parameter(name: member.key, value: text))
        }
        return URLParameters(parameters)
    }

    private var scalar: String? {
        switch self {
        case .null: ""
        case .boolean(let value): value ? "true" : "false"
        case .number(let text), .string(let text): text
        case .array, .object: nil
        }
    }
}

extension PasteboardItem {
    /// The fields of an HTML form's data (WHATWG URL, “application/x-www-form-urlencoded”), in which a plus sign stands
    /// for a space.
    fileprivate var formParameters: URLParameters? {
        guard let type = try? ContentType("application/x-www-form-urlencoded"), let form = self[type],
            let text = String(validating: form.value.content, as: UTF8.self)
        else { return nil }
        let spaced = text.utf8.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
        return URLParameters(query: String(decoding: spaced, as: UTF8.self))
    }
}
