#if DEBUG || FUZZING
    import IPCTools

    @testable import IPC
    @testable import IPCModel

    /// A content type: its canonical spelling is the same type, and no spelling is accepted without a type.
    enum ContentTypeTarget: FuzzTarget {
        static let name = "content-type"

        static func check(_ input: [UInt8]) {
            guard let text = String(validating: input, as: UTF8.self), let type = try? ContentType(text) else { return }
            if ContentType.mimeType(ofUniformType: text) == nil, type.text != text { broken("the spelling changes") }
            guard let canonical = try? ContentType(type.canonical) else { broken("\(type.canonical) is not accepted") }
            guard canonical == type, canonical.hashValue == type.hashValue, canonical.canonical == type.canonical else {
                broken("\(type.canonical) is another type than \(text)")
            }
            guard !type.essence.isEmpty, type.text.utf8.count <= ContentType.maximumBytes else { broken("no essence") }
            _ = (type.isText, type.isImage, type.isUTF8PlainText)
        }
    }

    /// JSON: what is read is written so that the same is read again, on one line and indented.
    enum JSONTarget: FuzzTarget {
        static let name = "json"

        private struct Probe: Codable, Equatable {
            var text: String?
            var small: Int8?
            var large: UInt64?
            var huge: Int128?
            var real: Double?
            var flags: [Bool]?
            var inner: [String: Probe]?
        }

        static func check(_ input: [UInt8]) {
            checkItems(input)
            guard let value = try? JSONValue(parsing: input) else { return }
            for text in [value.text, value.indentedText] {
                guard (try? JSONValue(parsing: text)) == value else { broken("the value is written as \(text)") }
            }
            guard !value.text.unicodeScalars.contains(where: \.breaksLines) else {
                broken("the text has several lines")
            }
            for key in value.members?.map(\.key) ?? [] where value[key] == nil { broken("the key \(key) is lost") }
            _ = (value.count, value.digits, value.string)
            checkDecoding(input)
        }

        /// A Swift value that is decoded from the text is encoded so that the same value is decoded again.
        private static func checkDecoding(_ input: [UInt8]) {
            let item = Representation(type: .json, value: .bytes(input))
            guard let probe = try? item.decoded(Probe.self), probe.real?.isNaN != true else { return }
            guard let encoded = try? Representation(encoding: probe), let again = try? encoded.decoded(Probe.self)
            else {
                broken("\(probe) cannot be decoded again")
            }
            // NaN is not equal to itself, and may be in an inner value.
            guard again == probe || "\(again)" == "\(probe)" else { broken("\(probe) is decoded as \(again)") }
        }

        /// The JSON of a pasteboard, as `get --json` prints it, has all bytes.
        private static func checkItems(_ input: [UInt8]) {
            guard
                let item = try? PasteboardItem([
                    Representation(type: .octetStream, value: .bytes(input)),
                    Representation(type: .utf8PlainText, value: .inMemory(input, .utf8PlainText)),
                ])
            else { broken("there is no item") }
            guard let json = try? JSONValue(parsing: JSONValue.items([item]).text), let row = json.array?.first?.array,
                row.count == 2
            else { broken("the JSON of the item cannot be read") }
            for value in row {
                let bytes =
                    value["text"]?.string.map { Array($0.utf8) } ?? value["base64"]?.string.flatMap(Base64.decode)
                guard bytes == input else { broken("the JSON of the item has other bytes") }
            }
            let text = String(decoding: input, as: UTF8.self)
            if let bytes = Base64.decode(text), Base64.encode(bytes) != text {
                broken("\(text) is not canonical Base64")
            }
        }
    }
#endif
