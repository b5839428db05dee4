import Testing

@testable import OAuthLogin

/// Tests of the secrets of PKCE, RFC 7636.
struct CodeVerifierTests {
    @Test func `the challenge matches the example of the RFC`() throws {
        // The example in RFC 7636, appendix B.
        let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `a new verifier is valid and different each time`() {
        let made = (0..<100).map { _ in CodeVerifier().text }
        #expect(Set(made).count == 100)
        #expect(made.allSatisfy { CodeVerifier($0) != nil && $0.utf8.count == 43 })
    }

    @Test(arguments: [
        String(repeating: "a", count: 42), String(repeating: "a", count: 129), String(repeating: "+", count: 43), "",
        String(repeating: "é", count: 43),
    ])
    func `other texts are not verifiers`(_ text: String) { #expect(CodeVerifier(text) == nil) }

    @Test func `bytes are encoded without characters that a URL would escape`() {
        #expect(RandomText.base64URL([0xFB, 0xFF, 0xFE]) == "-__-")
        #expect(RandomText.base64URL([0]) == "AA")
    }

    @Test func `secrets are compared for equality`() {
        #expect(isSameSecret("abc", "abc"))
        #expect(!isSameSecret("abc", "abd") && !isSameSecret("abc", "ab") && !isSameSecret("", "a"))
    }
}
