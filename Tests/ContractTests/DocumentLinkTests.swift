import IPCTesting
import Testing

/// Checks that every link in the documents leads to a file or a heading that exists.
struct DocumentLinkTests {
    /// The documents in a folder of the project, as paths from its root.
    private static func documents(in folder: String) -> [String] {
        let names = (FileContents.names(in: "\(ProjectFiles.root)/\(folder)") ?? []).sorted()
        return names.filter { $0.hasSuffix(".md") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    }

    private static let examples = (FileContents.names(in: "\(ProjectFiles.root)/Examples") ?? []).sorted()
        .map { "Examples/\($0)" }

    private static let documents =
        (["", "docs", "Examples", "Benchmarks", "Tests/Hostile", "Tests/Campaign"] + examples)
        .flatMap { documents(in: $0) }

    private func text(_ path: String) throws -> String {
        try FileContents.text("\(ProjectFiles.root)/\(path)")
    }

    /// The path from the project's root to which a link leads; `nil` if that is outside the project.
    private func resolved(_ target: Substring, from document: String) -> String? {
        var parts = document.split(separator: "/").dropLast()
        for part in target.split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(part)
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.joined(separator: "/")
    }

    /// The relative links of a document that lead nowhere.
    private func brokenLinks(_ text: String, at path: String) throws -> [String] {
        let document = MarkdownDocument(text)
        return try document.relativeLinks.filter { link in
            let (target, fragment) = (link.prefix { $0 != "#" }, link.drop { $0 != "#" }.dropFirst())
            guard !target.isEmpty else { return !document.anchors.contains(String(fragment)) }
            guard let file = resolved(target, from: path), FileContents.exists("\(ProjectFiles.root)/\(file)") else {
                return true
            }
            guard !fragment.isEmpty else { return false }
            return !MarkdownDocument(try self.text(file)).anchors.contains(String(fragment))
        }
    }

    @Test(arguments: documents)
    func `each relative link of a document leads to a file, and to a heading in it`(path: String) throws {
        #expect(try brokenLinks(try text(path), at: path) == [])
    }

    @Test func `all documents are read and contain many links`() throws {
        for path in [
            "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/tools.md", "Examples/README.md",
            "Examples/Polyglot/README.md", "Benchmarks/README.md",
        ] { #expect(Self.documents.contains(path), "\(path)") }
        let links = try Self.documents.flatMap { MarkdownDocument(try text($0)).relativeLinks }
        #expect(links.count > 80)
        #expect(links.count { $0.contains("#") } > 15)
    }

    @Test(arguments: [
        "nowhere.md", "security.md#no-such-heading", "#no-such-heading", "../docs/nowhere.md#scope", "nowhere/",
        "../../outside.md",
    ])
    func `a broken link is found`(link: String) throws {
        let text = "# A page\n\nSee [a page](security.md) and [another one](\(link)).\n"
        #expect(try brokenLinks(text, at: "docs/page.md") == [link])
    }

    @Test func `a valid link to a file, a folder or a heading is not reported`() throws {
        let text = """
            # A page

            ## Which `words` it has, and why
            ## Which words it has, and why

            [1](../README.md) [2](../Examples/) [3](#which-words-it-has-and-why) [4](#which-words-it-has-and-why-1)
            [5](security.md#sandboxes) [6](https://example.com/nowhere.md) [7](mailto:a@example.com) `[8](nowhere.md)`

            ```
            [9](nowhere.md)
            ```
            """
        #expect(try brokenLinks(text, at: "docs/page.md") == [])
        #expect(MarkdownDocument(text).relativeLinks.count == 5)
    }
}
