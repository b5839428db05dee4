import IPCDBus
import IPCInterface
import IPCModel
import Testing

@Suite struct ErrorNameTests {
    @Test(arguments: IPCError.Code.allCases)
    func `every error has one name on the wire, and the name maps back to the error`(code: IPCError.Code) {
        #expect(code.errorName.text == "org.swiftipc.Error.\(code.rawValue)")
        #expect(IPCError.Code(errorName: code.errorName.text) == code)
    }

    @Test func `errors, their names and their exit codes match the contract`() {
        let codes = Dictionary(uniqueKeysWithValues: IPCError.Code.allCases.map { ($0.rawValue, $0.exitCode) })
        #expect(codes == ExitCodeTable.errors)
        // Negative control: a table with a different code, or with one more name, differs.
        #expect(codes.merging(["NoHandler": 69]) { $1 } != ExitCodeTable.errors)
        #expect(codes.merging(["Failed": 70]) { $1 } != ExitCodeTable.errors)
    }

    @Test func `outcomes and their exit codes match the contract`() {
        let codes = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0.rawValue, $0.exitCode) })
        #expect(codes == ExitCodeTable.outcomes)
        #expect(Outcome.allCases.filter { !$0.isEnd } == [.queued])
    }

    @Test func `every exit code in use is in the contract`() {
        let named = Set(ExitCodeTable.errors.values).union(ExitCodeTable.outcomes.values).union([ExitCodeTable.usage])
        #expect(Set(ExitCode.allCases.map(\.rawValue)) == named)
    }

    @Test func `every error and outcome is documented with its exit code`() throws {
        let text = try ProjectFiles.document(of: "org.swiftipc.Broker1")
        let all = ExitCodeTable.errors.merging(ExitCodeTable.outcomes) { $1 }
        #expect(ExitCodeTable.told(in: text) == all)
        // Negative control: a different number and a missing name are noticed.
        #expect(ExitCodeTable.told(in: text.replacing("exit 68", with: "exit 69")) != all)
        #expect(ExitCodeTable.told(in: text.replacing("``NoHandler``", with: "")) != all)
    }

    @Test(arguments: ProjectFiles.interfaceNames)
    func `every error that a document names exists`(name: String) throws {
        let text = try ProjectFiles.document(of: name)
        let named = text.matches(of: /``([A-Z][A-Za-z]+)``/).map { String($0.1) }
        let members = InterfaceTables.all.flatMap(\.members).map(\.name)
        #expect(
            Set(named).subtracting(ExitCodeTable.errors.keys).subtracting(members).subtracting([
                "Schemes", "Descriptors",
            ]) == [])
    }

    @Test(arguments: [
        "", "org.swiftipc.Error.", "org.swiftipc.Error.Failed", "org.swiftipc.Error.nohandler",
        "org.swiftipc.Error.NoHandler.More", "org.freedesktop.DBus.Error.InvalidArgs", "NoHandler",
        "org.swiftipc.error.NoHandler", "xorg.swiftipc.Error.NoHandler",
    ])
    func `a name outside the contract maps to no error`(name: String) {
        #expect(IPCError.Code(errorName: name) == nil)
    }
}
