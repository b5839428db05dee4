import Testing

@testable import IPCDBus

/// Socket addresses.
struct SocketPathTests {
    @Test(arguments: [
        ("unix:path=/run/bus", "/run/bus"), ("unix:path=/a%20b%2c%e2%82%AC", "/a b,€"),
        ("unix:guid=00,path=/run/bus", "/run/bus"), ("unix:path=/run/bus,guid=00", "/run/bus"),
        ("unix:abstract=/tmp/x", "\0/tmp/x"),
    ])
    func validPathsAreParsed(address: String, path: String) {
        #expect(SocketPath(address)?.bytes == Array(path.utf8))
    }

    @Test(arguments: [
        "", "unix:", "unix:path=", "unix:path=/a%2", "unix:path=/a%zz", "unix:path=/a%00b", "unix:path=/a%+1",
        "unix:runtime=yes", "tcp:host=localhost,port=1", "path=/run/bus",
    ])
    func invalidPathsAreRejected(_ address: String) {
        #expect(SocketPath(address) == nil)
    }

    @Test func aDirectoryGetsAFreshName() throws {
        let first = try #require(SocketPath("unix:tmpdir=/tmp/x"))
        let second = try #require(SocketPath("unix:tmpdir=/tmp/x"))
        #expect(first.bytes.starts(with: "/tmp/x/dbus-".utf8) && first.bytes != second.bytes)
    }

    @Test(arguments: ["unix:path=/run/bus", "unix:path=/a b€", "unix:abstract=/tmp/x", "unix:path=/a%ff%80b"])
    func anAddressParsesBackToItsPath(_ address: String) throws {
        let path = try #require(SocketPath(address))
        #expect(SocketPath(path.address)?.bytes == path.bytes)
    }

    @Test func theLengthOfASocketAddressIsLimited() throws {
        for (count, isLongest) in [(107, true), (108, false)] {
            let path = try #require(SocketPath("unix:path=/" + String(repeating: "a", count: count - 1)))
            var used = false
            let made = path.socket { _, _, size in
                used = size == 110
                return 0
            }
            switch made {
            case .success: #expect(isLongest && used)
            case .failure(let error): #expect(!isLongest && !used && error.code == 36)  // ENAMETOOLONG
            }
        }
    }
}
