import IPCModel
import Testing

@Suite("IPCError and the exit codes")
struct IPCErrorTests {
    private static let exitCodes: [(code: IPCError.Code, name: String, exitCode: Int32)] = [
        (.invalidArguments, "InvalidArguments", 65), (.invalidURL, "InvalidURL", 65), (.invalidName, "InvalidName", 65),
        (.payloadInvalid, "PayloadInvalid", 65), (.noSuchPasteboard, "NoSuchPasteboard", 66),
        (.noSuchItem, "NoSuchItem", 66), (.noSuchRequest, "NoSuchRequest", 66), (.noHandler, "NoHandler", 68),
        (.handlerUnavailable, "HandlerUnavailable", 69), (.noBus, "NoBus", 69),
        (.storeUnavailable, "StoreUnavailable", 69), (.timedOut, "TimedOut", 75),
        (.notOwner, "NotOwner", 73), (.noSpace, "NoSpace", 74), (.inputOutput, "InputOutput", 74),
        (.changeCountMismatch, "ChangeCountMismatch", 75), (.limitExceeded, "LimitExceeded", 75),
        (.accessDenied, "AccessDenied", 77), (.reservedScheme, "ReservedScheme", 77),
        (.loopDetected, "LoopDetected", 77),
    ]

    @Test("Every error has its name on the wire and its exit code", arguments: exitCodes)
    func codes(code: IPCError.Code, name: String, exitCode: Int32) {
        #expect(code.rawValue == name)
        #expect(code.exitCode == exitCode)
    }

    @Test("The table is complete")
    func complete() {
        #expect(Set(Self.exitCodes.map(\.code)) == Set(IPCError.Code.allCases))
        #expect(Self.exitCodes.count == IPCError.Code.allCases.count)
    }

    @Test("The table has all documented exit codes")
    func exitCodeValues() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 64, 65, 66, 68, 69, 70, 73, 74, 75, 77])
    }

    @Test("An error prints its sentence, and errors are compared byte by byte")
    func equality() {
        let error = IPCError(.noHandler, "caf\u{e9}")
        #expect("\(error)" == "caf\u{e9}")
        #expect(error == IPCError(.noHandler, "caf\u{e9}"))
        #expect(error != IPCError(.noHandler, "cafe\u{301}"))
        #expect(error != IPCError(.noSuchItem, "caf\u{e9}"))
        #expect(Set([error, IPCError(.noHandler, "cafe\u{301}"), error]).count == 2)
    }
}
