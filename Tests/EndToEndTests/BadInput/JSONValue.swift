/// Any JSON value; RFC 8259.
enum JSONValue: Sendable, Hashable, Decodable {
    case null
    case boolean(Bool)
    case integer(Int)
    case decimal(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .decimal(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int? { if case .integer(let number) = self { number } else { nil } }
    var truth: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
    subscript(place: Int) -> JSONValue? {
        elements.flatMap { $0.indices.contains(place) ? $0[place] : nil }
    }
}
