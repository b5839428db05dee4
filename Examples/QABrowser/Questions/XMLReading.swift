internal import Foundation
internal import FoundationXML

/// The reason why a document of the server cannot be read, with the line number, counted from 1.
public struct XMLFlaw: Error, Sendable, Hashable, CustomStringConvertible {
    public let line: Int
    public let reason: String

    public var description: String { "the server's answer cannot be read: \(reason), on line \(line)" }
}

/// A base class that reads a document element by element. The parser calls it on one thread.
class XMLReading: NSObject, XMLParserDelegate {
    /// The elements that are open, outermost first.
    private(set) var path: [String] = []
    /// The text since the last start or end of an element.
    private(set) var text = ""
    private var flaw: XMLFlaw?

    /// Reads a whole document.
    func read(_ bytes: [UInt8]) throws(XMLFlaw) {
        let data = Data(bytes)
        // XMLParser on Linux leaves out the text of an entity, and what follows it, without an error.
        if data.range(of: Data("<!ENTITY".utf8)) != nil { throw XMLFlaw(line: 1, reason: "it declares entities") }
        let parser = XMLParser(data: data)
        parser.delegate = self
        // On Linux, `parse()` returns true even for truncated text, and for text after the root element.
        let isWellFormed = parser.parse() && parser.parserError == nil
        if let flaw { throw flaw }
        guard isWellFormed, path.isEmpty else {
            throw XMLFlaw(line: parser.lineNumber, reason: path.isEmpty ? "it is not well-formed" : "it is incomplete")
        }
    }

    /// Called at the start of an element, which is not yet part of ``path``.
    func begin(_ element: String, _ attributes: [String: String]) {}
    /// Called at the end of an element, the last one of ``path``.
    func end(_ element: String, line: Int) throws(XMLFlaw) {}

    final func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        begin(element, attributes)
        path.append(element)
        text = ""
    }

    final func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    final func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    final func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        do throws(XMLFlaw) { try end(element, line: parser.lineNumber) } catch {
            flaw = error
            parser.abortParsing()
        }
        path.removeLast()
        text = ""
    }
}
