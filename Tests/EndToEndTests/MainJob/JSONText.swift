import Foundation
import Testing

/// JSON output of a tool.
enum JSONText {
    static func string(_ key: String, in line: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?[key] as? String)
    }
}
