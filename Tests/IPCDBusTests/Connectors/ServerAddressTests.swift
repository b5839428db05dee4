import Testing

@testable import IPCDBus

/// Parsing the text of a list of server addresses.
struct ServerAddressTests {
    @Test func `a list has entries with keys`() throws {
        let list = try ServerAddress.list(Array("unix:path=/a%20b,guid=12;;tcp:host=::1,port=7;autolaunch:".utf8))
        #expect(list.map(\.transport) == ["unix", "tcp", "autolaunch"])
        #expect(list[0]["path"] == Array("/a b".utf8) && list[0].serverID == "12")
        #expect(list[1]["port"] == Array("7".utf8) && list[1]["path"] == nil && list[1].serverID == nil)
        #expect(list.map(\.text) == ["unix:path=/a%20b,guid=12", "tcp:host=%3a%3a1,port=7", "autolaunch:"])
    }

    @Test(arguments: [
        "unix", ":path=/a", "unix:path", "unix:=/a", "unix:path=%0", "unix:path=%zz", "unix:path=%+1", "unix:path=%00",
        "unix:path=/a;nonsense",
    ])
    func `an address that is malformed is refused`(text: String) {
        #expect(throws: ConnectionError.self) { try ServerAddress.list(Array(text.utf8)) }
    }

    @Test func `every byte of a value except NUL survives escaping`() throws {
        let bytes = (1...255).map { UInt8($0) }
        let address = try #require(ServerAddress("unix:path=\(ServerAddress.escaped(bytes))".utf8))
        #expect(address["path"] == bytes)
        #expect(ServerAddress(address.text.utf8) == address)
    }

    @Test func `the server's id must match the address`() {
        for (id, isRight) in [("1234", true), ("12345", false), ("", false)] {
            var client = Authentication(.client(server: "1234"), user: 1000)
            let answer = Array("OK \(id)\r\nAGREE_UNIX_FD\r\n".utf8)
            _ = answer.withUnsafeBytes { client.take($0) }
            #expect((client.state == .finished) == isRight)
        }
    }

    @Test func `a server that passes no descriptors is accepted`() {
        var client = Authentication(.client(server: nil), user: 1000)
        _ = Array("OK 1234\r\nERROR\r\n".utf8).withUnsafeBytes { client.take($0) }
        #expect(client.state == .finished && !client.passesDescriptors)
        var other = Authentication(.client(server: nil), user: 1000)
        _ = Array("REJECTED DBUS_COOKIE_SHA1 ANONYMOUS\r\n".utf8).withUnsafeBytes { other.take($0) }
        #expect(other.state == .rejected(mechanisms: ["DBUS_COOKIE_SHA1", "ANONYMOUS"]))
    }
}
