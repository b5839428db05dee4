import IPCTesting
import Testing

/// Commands for pasteboards that have promised content next to existing content.
@Suite(.privateBus)
struct PromisedContentToolTests {
    private static let html = "text/html"

    /// Text with promised HTML next to it, from a writer that is running and answers nothing.
    private func promise() async throws -> (broker: BrokerProcess, writer: WireBoard) {
        let broker = try await BrokerProcess.start()
        let writer = try await WireBoard.make("promised", on: try await WirePeer.start(), "writer")
        try await writer.set("here", ["promises": WireValue.array("as", [.strings([Self.html])])])
        return (broker, writer)
    }

    private static let exec = [
        "watch", "promised", "--since", "0", "--count", "1", "--exec", "cat; echo \" $IPC_TYPE\"",
    ]

    @Test func unreadContentIsNotRequested() async throws {
        let (broker, writer) = try await promise()
        #expect(try await Tools.client(["get", "promised"]).succeeded().output == "here")
        #expect(try await Tools.client(["get", "promised", "--item", "0"]).succeeded().output == "here")
        let file = try PrivateBus.current.directory.appending("out")
        let told = try await Tools.client(["get", "promised", "--json", "--output", file]).succeeded()
        #expect(try FileContents.text(file) == "here" && told.output.contains("text/plain"))
        #expect(try await Tools.client(Self.exec).succeeded().output == "here text/plain;charset=utf-8\n")
        #expect(try await writer.peer.waitingCalls(on: "writer") == 0)
        withExtendedLifetime(broker) {}
    }

    @Test func aWriterThatHasLeftHidesNoOtherContent() async throws {
        let (broker, writer) = try await promise()
        try await writer.peer.close("writer")
        #expect(try await Tools.client(["get", "promised"]).succeeded().output == "here")
        #expect(try await Tools.client(Self.exec).succeeded().output == "here text/plain;charset=utf-8\n")
        // The control: the promised content of a writer that left is missing, and a failed read changes nothing.
        let broken = try await Tools.client(["get", "promised", "--type", Self.html])
        #expect(broken.status == .exited(66) && broken.errors.contains("it has disconnected"), "\(broken)")
        #expect(try await Tools.client(["get", "promised", "--json"]).status == .exited(66))
        #expect(try await Tools.client(["get", "promised"]).succeeded().output == "here")
        withExtendedLifetime(broker) {}
    }

    @Test func unavailableContentIsReportedToACommand() async throws {
        let broker = try await BrokerProcess.start()
        let writer = try await WireBoard.make("promised", on: try await WirePeer.start(), "writer")
        let promises = WireValue.array("as", [.strings([Self.html])])
        let set = try await writer.call(.setItems(.array("a(sv)", []), ["promises": promises], at: writer.path))
        #expect(set.error == nil, "\(set)")
        try await writer.peer.close("writer")
        let told = try await Tools.client(Self.exec)
        #expect(told.status == .success && told.output == " \n" && told.errors.contains("has disconnected"), "\(told)")
        let read = try await Tools.client(["get", "promised"])
        #expect(read.status == .exited(66) && read.errors.contains("it has disconnected"), "\(read)")
        withExtendedLifetime(broker) {}
    }

    @Test func anExportKeepsTheAvailableContent() async throws {
        let (broker, writer) = try await promise()
        try await writer.peer.close("writer")
        let folder = try PrivateBus.current.directory.appending("export")
        let exported = try await Tools.client(["board", "export", "--json", folder])
        #expect(exported.status == .success, "\(exported)")
        #expect(exported.errors.contains("text/html of item 0") && exported.errors.contains("promised"))
        #expect(try JSONText.string("without-promised", in: exported.output) == "1")
        #expect(try JSONText.string("damaged", in: exported.output) == "0")
        _ = try await Tools.client(["board", "clear", "promised"]).succeeded()
        _ = try await Tools.client(["board", "import", "--replace", folder]).succeeded()
        #expect(try await Tools.client(["get", "promised"]).succeeded().output == "here")
        #expect(try await Tools.client(["get", "promised", "--list-types"]).output == "text/plain;charset=utf-8\n")
        withExtendedLifetime(broker) {}
    }
}
