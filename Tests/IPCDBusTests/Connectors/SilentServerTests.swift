import Glibc
import IPCTesting
import Testing

@testable import IPCDBus

/// Servers that accept connections and send nothing, or too little.
@DBusActor
@Suite(.timeLimit(.minutes(1)))
struct SilentServerTests {
    private static let limit = Duration.milliseconds(300)

    /// A listening socket whose connections are completed by the kernel and never accepted.
    private static func listening(backlog: CInt = 8) throws -> (SocketPath, Descriptor) {
        let path = try #require(SocketPath("unix:tmpdir=/tmp"))
        let socket = try path.socket(wait: usualDeadline) {
            bind($0, $1, $2) == 0 && listen($0, backlog) == 0 ? 0 : -1
        }.get()
        return (path, socket)
    }

    private func expectTimeOut(_ address: String, within time: Duration = limit) async {
        let begin = ContinuousClock.now
        let error = await #expect(throws: ConnectionError.self) {
            try await Connection.open(.address(address), timeout: time)
        }
        guard case .timedOut = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(ContinuousClock.now - begin < time + .seconds(5))
    }

    @Test func `the authentication of the native connector has a deadline`() async throws {
        let (path, socket) = try Self.listening()
        await expectTimeOut(path.address)
        path.remove()
        withExtendedLifetime(socket) {}
    }

    @Test func `a server with a full queue has a deadline`() async throws {
        let (path, socket) = try Self.listening(backlog: 0)
        var waiting: [Descriptor] = []
        while case .success(let one) = path.socket(wait: .zero, { connect($0, $1, $2) }) { waiting.append(one) }
        await expectTimeOut(path.address)
        path.remove()
        withExtendedLifetime((socket, waiting)) {}
    }

    @Test func `the authentication of libdbus has a deadline`() async throws {
        let socket = Descriptor(owning: Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.rawValue, $0, size) == 0 && listen(socket.rawValue, 8) == 0
                    && getsockname(socket.rawValue, $0, &size) == 0
            }
        }
        try #require(status)
        await expectTimeOut("tcp:host=127.0.0.1,port=\(UInt16(bigEndian: address.sin_port))")
    }

    @Test func `a silent program in place of ssh has a deadline`() async {
        await expectTimeOut("unixexec:path=sleep,argv1=60")
    }

    @Test func `the wait for Hello has a deadline`() async throws {
        let (path, socket) = try Self.listening()
        let peer = Task.detached {
            await Background.run { () -> Descriptor in
                let peer = Descriptor(owning: accept(socket.rawValue, nil, nil))
                let consent = Array("OK 1234\r\nAGREE_UNIX_FD\r\n".utf8)
                _ = write(peer.rawValue, consent, consent.count)
                return peer
            }
        }
        await expectTimeOut(path.address)
        path.remove()
        _ = await peer.value
    }

    @Test func `a silent server leaves time for the next one of a list`() async throws {
        let (path, socket) = try Self.listening()
        let daemon = try await ConfiguredDaemon.start(listen: "unix:path=DIR/bus")
        let connection = try await Connection.open(
            .address("\(path.address);\(daemon.address)"), timeout: .seconds(10))
        #expect(connection.isConnected)
        connection.close()
        path.remove()
        withExtendedLifetime(socket) {}
        await daemon.stop()
    }
}
