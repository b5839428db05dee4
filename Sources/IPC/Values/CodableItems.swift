extension PasteboardItem {
    /// Creates an item with a value as JSON (RFC 8259), for readers in any language.
    ///
    /// Integers of 64 bits or more and floating-point numbers are written as strings, because many readers would round
    /// a JSON number to a double. `2^64 − 1` is `"18446744073709551615"`, 0.1 is `"0.1"`, and infinity and NaN are
    /// `"inf"` and `"nan"`.
    /// - Parameters:
    ///   - value: the value.
    ///   - type: `application/json`, or a type of your own.
    /// - Throws: `invalidArguments` if the value cannot be encoded.
    public static func value(
        _ value: some Encodable, type: ContentType = .json
    ) throws(IPCError) -> PasteboardItem {
        let representation = try Representation(encoding: value, type: type)
        return try checked { () throws(PasteboardItem.Invalid) in try PasteboardItem([representation]) }
    }

    /// Decodes a JSON value; `nil` if the item does not have this type. Numbers may be strings or JSON numbers.
    /// - Throws: `payloadInvalid` if the bytes are not the JSON of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, type: ContentType = .json
    ) throws(IPCError) -> Content? {
        try self[type]?.decoded(content)
    }
}

extension Representation {
    /// Encodes a value as JSON, in the form of `PasteboardItem.value(_:type:)`.
    /// - Throws: `invalidArguments` if the value cannot be encoded.
    public init(encoding value: some Encodable, type: ContentType = .json) throws(IPCError) {
        do { self.init(type: type, value: .text(try ValueEncoder.json(of: value).text)) } catch {
            throw IPCError(.invalidArguments, "the value cannot be encoded as JSON: \(error)")
        }
    }

    /// Decodes a value that was encoded as JSON.
    /// - Throws: `payloadInvalid` if the bytes are not the JSON of such a value; `inputOutput` if they cannot be read.
    public func decoded<Content: Decodable>(_ content: Content.Type = Content.self) throws(IPCError) -> Content {
        let bytes = if case .file(let file) = value { try file.bytes() } else { value.content }
        do {
            return try ValueDecoder.value(content, of: try JSONValue(parsing: bytes))
        } catch let error as JSONError {
            throw IPCError(.payloadInvalid, "the value of the type \(type) cannot be decoded: \(error)")
        } catch {
            let reason = (error as? DecodingError)?.sentence ?? "\(error)"
            throw IPCError(.payloadInvalid, "the JSON of the type \(type) is not a valid \(content): \(reason)")
        }
    }
}

extension DecodingError {
    fileprivate var sentence: String {
        let context =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: Context(codingPath: [], debugDescription: "\(self)")
            }
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return place.isEmpty ? context.debugDescription : "at “\(place)”, \(context.debugDescription)"
    }
}
