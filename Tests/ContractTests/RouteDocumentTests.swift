import IPCTesting
import Testing

/// `CONTRIBUTING.md` traces a `send` through the code. Checks that the files and functions that it names exist.
struct RouteDocumentTests {
    /// A function on the route, with its file below `Sources/`.
    private struct Step: Hashable {
        let file: String
        let function: String

        var exists: Bool {
            guard let source = try? FileContents.text("\(ProjectFiles.root)/Sources/\(file)") else { return false }
            return ["(", "<"].contains { source.contains("func \(function)\($0)") }
        }
    }

    private func route() throws -> String {
        let text = try FileContents.text("\(ProjectFiles.root)/CONTRIBUTING.md")
        let start = try #require(text.firstRange(of: "### The route of one `send`"))
        let end = try #require(text[start.upperBound...].firstRange(of: "\n### "))
        return String(text[start.upperBound..<end.lowerBound])
    }

    /// The functions in each row of the table. The last cell has the form `file`: `function`, `function`; `file`:
    /// `function`.
    private func rows(of route: String) -> [[Step]] {
        route.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).map { row in
            (row.split(separator: "|").last ?? "").split(separator: ";").flatMap { part in
                let words = part.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map { String($0.element) }
                guard let file = words.first else { return [] as [Step] }
                return words.dropFirst().map { name in
                    Step(file: file, function: String(name.split(separator: ".").last ?? ""))
                }
            }
        }
    }

    @Test func `each step names functions, and each of them is in its file`() throws {
        let rows = rows(of: try route())
        #expect(rows.count > 10)
        #expect(rows.allSatisfy { !$0.isEmpty })
        #expect(rows.joined().filter { !$0.exists } == [])
    }

    @Test func `a function or a file that does not exist is found`() throws {
        let route = try route()
        let renamed = route.replacing("`inTurn`", with: "`inLine`").replacing("FlushThread.swift", with: "Flush.swift")
        #expect(
            rows(of: renamed).joined().filter { !$0.exists } == [
                Step(file: "IPCBroker/Clients/ArrivalOrder.swift", function: "inLine"),
                Step(file: "IPCStore/Transactions/Flush.swift", function: "flush"),
            ])
    }
}
