import IPCTesting
import Testing

/// Checks that the library's public types are exactly those in a list, so that no type becomes public unnoticed.
struct PublicTypeTests {
    /// The names of the public types that each module declares, including nested types.
    private static let types: [String: Set<String>] = [
        "IPC": words(
            """
            Answer Application CallFailure CallReply CallbackFailure CallbackSchemes DesktopLinks DesktopOptions Element
            Failure File Handler HandlerError ItemReading Iterator Listing OpenOptions OpenURLHandler OpenURLRequest
            OpenURLRequests OpenURLResponse Parameter Pasteboard PasteboardChange PasteboardChanges PasteboardInfo
            PasteboardOptions PasteboardVersion PasteboardVersionInfo Payload PromisedData Reason Request
            RequestCompletion RequestCompletions RequestInfo RequestState StopSignals URLParameters URLParts URLResolution
            """),
        "IPCModel": words(
            """
            AccessPolicy ApplicationID CheckedName Code ContentFile ContentType IPCError Invalid Kind Outcome
            PasteboardItem PasteboardName Representation RequestID Source SourceStrength Timestamp TraceStep URLScheme
            Value
            """),
        "IPCFoundation": [],
        "IPCTestKit": words("FakeHandler PrivateBroker PrivateBrokerTrait PrivateBrokerUnavailable RequestMissing"),
    ]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The names of the public types that a source text declares.
    private func publicTypes(in text: String) -> Set<String> {
        let code = text.replacing(#/(?m)//.*$/#, with: "")
        let pattern =
            #/
            \b public \s+ (?: (?: final | indirect | nonisolated ) \s+ )*
            (?: struct | enum | class | protocol | actor | typealias ) \s+ ( \w+ )
            /#
        return Set(code.matches(of: pattern).map { String($0.1) })
    }

    private func text(_ path: String) throws -> String { try FileContents.text("\(ProjectFiles.root)/Sources/\(path)") }

    @Test(arguments: ["IPC", "IPCModel", "IPCFoundation", "IPCTestKit"])
    func `the public types of a module are those in the list`(module: String) throws {
        let files = ProjectFiles.swiftFiles(below: "Sources/\(module)")
        #expect(!files.isEmpty)
        var found: Set<String> = []
        for file in files { found.formUnion(publicTypes(in: try text("\(module)/\(file)"))) }
        let expected = try #require(Self.types[module])
        #expect(found.subtracting(expected).sorted() == [], "new")
        #expect(expected.subtracting(found).sorted() == [], "gone")
    }

    @Test func `a type that becomes public is found`() throws {
        let source = try text("IPC/Opening/PercentEncoding.swift")
        #expect(publicTypes(in: source) == [])
        let changed = source.replacing("package enum PercentEncoding", with: "public enum PercentEncoding")
        #expect(publicTypes(in: changed) == ["PercentEncoding"])
        #expect(Self.types.values.allSatisfy { !$0.contains("PercentEncoding") })
    }

    @Test(arguments: [
        "public struct Found {", "    public indirect enum Found {", "@DBusActor\npublic final class Found {",
        "@frozen public enum Found {", "public typealias Found = Int", "public protocol Found: Sendable {",
    ])
    func `a public type is found in every spelling`(text: String) {
        #expect(publicTypes(in: text) == ["Found"])
    }

    @Test(arguments: [
        "/// public struct Found", "package enum Found {", "struct Found {", "public let structure: Found",
    ])
    func `what only looks like a public type is none`(text: String) {
        #expect(publicTypes(in: text) == [])
    }
}
