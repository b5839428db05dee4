import Testing

@testable import IPCDBus

/// The authentication that precedes the first message, without a socket.
struct AuthenticationTests {
    /// Acts as a program of user 1000 that sends the text in pieces of `piece` bytes, and returns the answers that it
    /// gets.
    private func converse(
        _ said: String, side: Authentication.Side = .server(peer: 1000, own: 1000, id: "1234"), piece: Int = .max
    ) -> (answers: String, state: Authentication.State, left: Int) {
        var authentication = Authentication(side, user: 1000)
        let bytes = Array(said.utf8)
        var taken = 0
        while taken < bytes.count, authentication.state == .speaking {
            let end = min(bytes.count, piece == .max ? bytes.count : taken + piece)
            taken += bytes[taken..<end].withUnsafeBytes { authentication.take($0) }
        }
        return (
            String(decoding: authentication.takeOutgoing(), as: UTF8.self), authentication.state, bytes.count - taken
        )
    }

    @Test(arguments: [1, 2, 7, .max])
    func anyFragmentationGivesTheSameResult(_ piece: Int) {
        let all = converse("\0AUTH EXTERNAL 31303030\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\nl\u{1}", piece: piece)
        #expect(all.answers == "OK 1234\r\nAGREE_UNIX_FD\r\n")
        #expect(all.state == .finished)
        // The first two bytes of a message follow BEGIN. They are left over, whether or not they come in the same
        // piece as BEGIN.
        #expect(all.left == 2)
    }

    @Test func glibAsksForTheMechanismsFirst() {
        let all = converse("\0AUTH\r\nAUTH EXTERNAL 31303030\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n")
        #expect(all.answers == "REJECTED EXTERNAL\r\nOK 1234\r\nAGREE_UNIX_FD\r\n")
        #expect(all.state == .finished)
    }

    @Test(arguments: ["DATA\r\n", "DATA 31303030\r\n", "DATA \r\n"])
    func theIdentityMayFollowLater(_ data: String) {
        let all = converse("\0AUTH EXTERNAL\r\n\(data)BEGIN\r\n")
        #expect(all.answers == "DATA\r\nOK 1234\r\n" && all.state == .finished)
    }

    @Test(arguments: [
        "AUTH EXTERNAL 30\r\n", "AUTH EXTERNAL 313030\r\n", "AUTH EXTERNAL 3130303\r\n", "AUTH EXTERNAL zz\r\n",
        "AUTH EXTERNAL 1000\r\n", "AUTH ANONYMOUS\r\n", "AUTH DBUS_COOKIE_SHA1 31303030\r\n",
    ])
    func aDifferentIdentityIsRejected(_ line: String) {
        let all = converse("\0" + line)
        #expect(all.answers == "REJECTED EXTERNAL\r\n" && all.state == .speaking)
    }

    @Test func anotherUserIsRejectedWhateverItClaims() {
        for line in ["AUTH EXTERNAL 31303030", "AUTH EXTERNAL 31303031", "AUTH EXTERNAL\r\nDATA"] {
            let all = converse("\0\(line)\r\nBEGIN\r\n", side: .server(peer: 1001, own: 1000, id: "1234"))
            #expect(all.answers.hasSuffix("REJECTED EXTERNAL\r\n") && !all.answers.contains("OK"))
            #expect(all.state == .failed(reason: "the client sent BEGIN before authenticating"))
        }
    }

    @Test(arguments: [
        "BEGIN\r\n", "AUTH\r\nBEGIN\r\n", "AUTH EXTERNAL\r\nBEGIN\r\n",
        "AUTH EXTERNAL 31303030\r\nCANCEL\r\nBEGIN\r\n",
    ])
    func anEarlyBEGINIsRejected(_ lines: String) {
        #expect(converse("\0" + lines).state == .failed(reason: "the client sent BEGIN before authenticating"))
    }

    @Test func descriptorsAreNegotiatedAfterTheIdentity() {
        let all = converse("\0NEGOTIATE_UNIX_FD\r\n")
        #expect(all.answers.hasPrefix("ERROR ") && all.state == .speaking)
    }

    @Test func theFirstByteIsNUL() {
        #expect(converse("AUTH EXTERNAL 31303030\r\n").state == .failed(reason: "it does not start with a NUL byte"))
    }

    @Test func lengthAndNumberOfLinesAreLimited() {
        let longest = String(repeating: "a", count: 4_094)
        #expect(converse("\0\(longest)\r\n").state == .speaking)
        #expect(converse("\0\(longest)aaa\r\n").state == .failed(reason: "a line is too long"))
        #expect(converse("\0" + String(repeating: "A\r\n", count: 32)).state == .speaking)
        #expect(
            converse("\0" + String(repeating: "A\r\n", count: 33)).state == .failed(reason: "it has too many lines"))
    }

    @Test func bytesBeforeBEGINAreNotAMessage() throws {
        var authentication = Authentication(.server(peer: 1000, own: 1000, id: "1234"), user: 1000)
        let bytes = [0] + WireBytes.message(signature: "s", body: [2, 0, 0, 0, 13, 10, 0])
        // All bytes are taken as lines of the authentication, and the first line is an unknown command.
        #expect(bytes.withUnsafeBytes { authentication.take($0) } == bytes.count)
        #expect(authentication.state == .speaking)
        #expect(String(decoding: authentication.takeOutgoing(), as: UTF8.self).hasPrefix("ERROR "))
    }

    @Test func aClientSendsEverythingAtOnce() {
        var client = Authentication(.client(server: nil), user: 1000)
        #expect(
            String(decoding: client.takeOutgoing(), as: UTF8.self)
                == "\0AUTH EXTERNAL 31303030\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n")
        #expect(client.takeOutgoing().isEmpty)
    }

    @Test func aClientAcceptsOnlyValidAnswersOfTheServer() {
        #expect(converse("OK 1234\r\nAGREE_UNIX_FD\r\n", side: .client(server: nil)).state == .finished)
        #expect(converse("OK 1234\r\nAGREE_UNIX_FD\r\nl", side: .client(server: nil), piece: .max).left == 1)
        #expect(converse("OK 1234\r\n", side: .client(server: nil)).state == .speaking)
        for refusal in ["AGREE_UNIX_FD\r\n", "DATA\r\n", "\r\n"] {
            #expect(
                converse(refusal, side: .client(server: nil)).state
                    == .failed(reason: "the server rejects this user, or gave an unexpected answer"))
        }
    }
}
