import IPCDBus
import Testing

struct SignatureTests {
    @Test(arguments: ["", "s", "a{sv}", "aa(sv)", "(t(st)a{sv})", "aay", "h"])
    func signatureIsAccepted(_ text: String) throws { #expect(try Signature(text).text == text) }

    @Test(arguments: ["a", "(", "()", "a{vs}", "{sv}", "z", "a{s}", "a{svv}", "(s"])
    func signatureIsRefused(_ text: String) {
        #expect(throws: MessageError.invalidSignature(text)) { try Signature(text) }
    }
}
