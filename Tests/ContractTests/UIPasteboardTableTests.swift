import IPCTesting
import Testing

/// Checks that the document's table for developers who know UIKit is complete, and that everything it names exists.
@Suite struct UIPasteboardTableTests {
    /// The public members of `UIPasteboard` in the SDK of iOS 18.
    private static let members = """
        general init(name:create:) withUniqueName() remove(withName:) Name name isPersistent setPersistent(_:) changeCount
        types types(forItemSet:) contains(pasteboardTypes:) contains(pasteboardTypes:inItemSet:)
        itemSet(withPasteboardTypes:) hasStrings hasURLs hasImages hasColors typeListString typeListURL typeListImage
        typeListColor typeAutomatic numberOfItems items addItems(_:) setItems(_:options:) OptionsKey
        OptionsKey.expirationDate OptionsKey.localOnly data(forPasteboardType:) data(forPasteboardType:inItemSet:)
        setData(_:forPasteboardType:) value(forPasteboardType:) values(forPasteboardType:inItemSet:)
        setValue(_:forPasteboardType:) string strings url urls image images color colors itemProviders
        setItemProviders(_:localOnly:expirationDate:) setObjects(_:) setObjects(_:localOnly:expirationDate:)
        canLoadObject(ofClass:) changedNotification changedTypesAddedUserInfoKey changedTypesRemovedUserInfoKey
        removedNotification detectPatterns(for:completionHandler:) detectPatterns(for:inItemSet:completionHandler:)
        detectedPatterns(for:) detectedPatterns(for:inItemSet:) detectValues(for:completionHandler:)
        detectValues(for:inItemSet:completionHandler:) detectedValues(for:) detectedValues(for:inItemSet:)
        DetectionPattern DetectedValues
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The rows of the document's tables: the UIKit name, the corresponding names in this library, and the remark.
    private func rows(_ text: String) -> [(member: String, here: [String], remark: String)] {
        text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimming(" ") }
            guard line.hasPrefix("| `"), cells.count == 3, cells[0] != "`UIPasteboard`" else { return nil }
            let names = cells[1].matches(of: /`([^`]+)`/).map { String($0.1) }
            return (cells[0].trimming("`"), names, cells[2])
        }
    }

    private func document() throws -> String {
        try FileContents.text("\(ProjectFiles.root)/docs/coming-from-uikit.md")
    }

    /// The members that are in no row, in several rows, or in a row without a remark.
    private func gaps(_ text: String) -> [String] {
        let rows = rows(text)
        let told = rows.map(\.member)
        return Self.members.filter { member in told.count { $0 == member } != 1 }
            + told.filter { !Self.members.contains($0) }
            + rows.filter {
                !$0.remark.hasPrefix("same") && !$0.remark.hasPrefix("spelled") && !$0.remark.hasPrefix("left out")
            }
            .map(\.member)
            + rows.filter { $0.here.isEmpty && !$0.remark.hasPrefix("left out") }.map(\.member)
    }

    /// The names in the tables that the sources do not declare. A member must match in its name and argument labels.
    private func unknown(_ text: String, in sources: String) -> [String] {
        let declarations = sources.split(separator: "func ").map { $0.prefix { $0 != "{" } }
        return rows(text).flatMap(\.here).filter { name in
            guard let member = name.split(separator: ".").last, name.contains(".") || name.contains("(") else {
                return !sources.contains("struct \(name):")
            }
            let base = member.prefix { $0 != "(" }
            let labels = member.dropFirst(base.count).trimming("()").split(separator: ":").map(String.init)
            guard base != "Pasteboard" else { return !sources.contains("init(\(labels[0]) ") }
            guard !labels.isEmpty else {
                return !["var \(base):", "let \(base):", "let \(base) =", "func \(base)()"].contains(
                    where: sources.contains)
            }
            return !declarations.contains { declaration in
                (declaration.hasPrefix("\(base)(") || declaration.hasPrefix("\(base)<"))
                    && labels.allSatisfy { declaration.contains("\($0) ") || declaration.contains("\($0):") }
            }
        }
    }

    private func sources() throws -> String {
        try ["Sources/IPC", "Sources/IPCModel"].flatMap { folder in
            try ProjectFiles.swiftFiles(below: folder).map {
                try FileContents.text("\(ProjectFiles.root)/\(folder)/\($0)")
            }
        }.joined(separator: "\n")
    }

    @Test func `every public member of UIPasteboard has one row`() throws {
        #expect(gaps(try document()) == [])
    }

    @Test func `every name in our column is declared`() throws {
        #expect(unknown(try document(), in: try sources()) == [])
    }

    @Test func `a missing, repeated, empty or unknown row is found`() throws {
        let text = try document()
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| `hasURLs`") })
        #expect(gaps(text.replacing(row + "\n", with: "")) == ["hasURLs"])
        #expect(gaps(text + "\n" + row) == ["hasURLs"])
        #expect(gaps(text.replacing("| `hasURLs` ", with: "| `hasUrls` ")) == ["hasURLs", "hasUrls"])
        #expect(gaps(text.replacing(row, with: "| `hasURLs` | `Pasteboard.hasURLs` | |")).contains("hasURLs"))
        #expect(gaps(text.replacing(row, with: "| `hasURLs` | – | same |")) == ["hasURLs"])
        let sources = try sources()
        for wrong in ["Pasteboard.hasUrls", "Pasteboard.setURL(_:type:)", "PasteboardOption", "Pasteboard.removed()"] {
            let changed = text.replacing("`Pasteboard.hasURLs`", with: "`\(wrong)`")
            #expect(unknown(changed, in: sources) == [wrong])
        }
    }
}

extension StringProtocol {
    /// The text without these characters at its ends.
    fileprivate func trimming(_ characters: String) -> String {
        var text = Substring(self)
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return String(text)
    }
}
