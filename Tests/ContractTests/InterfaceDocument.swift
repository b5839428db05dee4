import Foundation
import FoundationXML

/// A D-Bus introspection document, either hand-written with comments or returned by a live object.
struct InterfaceDocument {
    struct Interface {
        let name: String
        var members: [MemberShape] = []
        /// The comment before each member, keyed by the member's name.
        var comments: [String: String] = [:]
        /// The comment before the interface.
        var comment = ""
    }

    let interfaces: [Interface]
    /// The names of the child nodes.
    let children: [String]

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init(_ text: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        guard parser.parse() else {
            throw Malformed(description: "line \(parser.lineNumber): \(parser.parserError as Any)")
        }
        // The parser reports no error for a document that is cut off.
        guard reader.isComplete else { throw Malformed(description: "the document ends before its elements do") }
        guard reader.unknown.isEmpty else { throw Malformed(description: "unknown elements \(reader.unknown)") }
        interfaces = reader.interfaces
        children = reader.children
    }

    subscript(name: String) -> Interface? { interfaces.first { $0.name == name } }
}

/// Reads the elements of the "Introspection Data Format" of the D-Bus specification.
private final class Reader: NSObject, XMLParserDelegate {
    var interfaces: [InterfaceDocument.Interface] = []
    var children: [String] = []
    var unknown: [String] = []
    private var depth = 0
    private var wasInside = false
    /// Whether the outermost element was closed.
    var isComplete: Bool { wasInside && depth == 0 }
    private var comment = ""
    private var member: MemberShape?

    func parser(_ parser: XMLParser, foundComment comment: String) { self.comment = comment }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let name = attributes["name"] ?? ""
        switch element {
        case "node":
            if depth == 1 { children.append(name) }
            depth += 1
            wasInside = true
        case "interface":
            interfaces.append(InterfaceDocument.Interface(name: name, comment: comment))
            comment = ""
        case "method", "signal", "property":
            member = MemberShape(
                kind: element, name: name, type: attributes["type"] ?? "", access: attributes["access"] ?? "")
            interfaces[interfaces.count - 1].comments[name] = comment
            comment = ""
        case "arg":
            let usual = member?.kind == "method" ? "in" : ""
            member?.arguments.append(
                MemberShape.Argument(
                    name: name, type: attributes["type"] ?? "", direction: attributes["direction"] ?? usual))
        case "annotation": member?.annotations[name] = attributes["value"] ?? ""
        default: unknown.append(element)
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if element == "node" { depth -= 1 }
        guard let member, element == member.kind else { return }
        interfaces[interfaces.count - 1].members.append(member)
        self.member = nil
    }
}
