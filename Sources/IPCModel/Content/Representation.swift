/// One form of an item: a value and its content type.
public struct Representation: Sendable, Hashable {
    /// The content type of the value.
    public let type: ContentType
    /// The value.
    public let value: Value

    /// Creates a representation from a type and a value.
    public init(type: ContentType, value: Value) { (self.type, self.value) = (type, value) }

    /// The size of the value in bytes. Text is measured in UTF-8.
    public var byteCount: Int { value.byteCount }

    /// The value of a representation: text, bytes, or a file of bytes.
    public enum Value: Sendable {
        /// Text, which is sent as a D-Bus string and therefore cannot contain U+0000.
        case text(String)
        /// Bytes.
        case bytes([UInt8])
        /// Bytes in a file instead of in memory, which are sent as a file descriptor.
        case file(ContentFile)

        /// The size in bytes. Text is measured in UTF-8.
        public var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            case .file(let file): file.byteCount
            }
        }

        /// Creates a value from bytes. If their type is text and D-Bus can carry them as a string, the value is text,
        /// so that every receiver can show it.
        package static func inMemory(_ bytes: [UInt8], _ type: ContentType) -> Value {
            guard type.isText, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
                return .bytes(bytes)
            }
            return .text(text)
        }
    }
}

extension Representation.Value: Hashable {
    /// Text and bytes are compared byte by byte; files are equal if they are the same open file.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.isIdentical(to: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.file(let left), .file(let right)): left == right
        case (.text, _), (.bytes, _), (.file, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): text.hashBytes(into: &hasher)
        case .bytes(let bytes): hasher.combine(bytes)
        case .file(let file): hasher.combine(file)
        }
    }
}
