import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I16: however many small requests wait for a handler that does not answer, the broker stays within its memory limit.
@DBusActor
@Suite(.privateBus, .serialized)
struct WaitingMemoryTests {
    private nonisolated static let senders = 4
    /// A small run divides the number of requests and the memory limit by this.
    private nonisolated static let share = TestSize.pick(small: 4, full: 1)
    private nonisolated static let requests = 24_000 / share
    private nonisolated static let limit = 33_554_432 / share
    private nonisolated static let bound = (8 << 20) + limit * 44 / 32

    @Test(arguments: [0, 1_024])
    func `I16: waiting requests at the limit fit in the broker's memory bound`(bytes: Int) async throws {
        let (memory, refused) = try await memory(waitingBytes: Self.limit, bytes)
        print("\(Self.requests) requests of \(bytes) bytes, \(refused) refused: \(memory) bytes, at most \(Self.bound)")
        #expect(memory < Self.bound)
        #expect(refused > 0, "the limit is reached")
    }

    @Test func `control: with a higher limit, the same requests take more memory`() async throws {
        let (memory, refused) = try await memory(waitingBytes: Self.limit * 16, 1_024)
        print("without that limit: \(memory) bytes, \(refused) refused")
        #expect(memory > Self.bound)
    }

    /// The broker's anonymous memory while all accepted requests are waiting, and the number of rejected ones.
    private func memory(waitingBytes: Int, _ bytes: Int) async throws -> (bytes: Int, refused: Int) {
        var settings = BrokerProcess.Settings()
        settings.arguments = [
            "--limit", "waiting-bytes=\(waitingBytes)", "--limit", "pending-requests-per-handler=\(Self.requests)",
            // All senders are one process, which may use only a quarter of the total limit.
            "--limit", "pending-requests-per-source=\(Self.requests)",
            "--limit", "pending-requests=\(4 * Self.requests)",
        ]
        let broker = try await BrokerProcess.start(settings)
        let handler = try await HandlerProgram()
        let process = try await handler.start(window: 64)
        process.signal(SIGSTOP)
        defer { process.signal(SIGCONT) }
        let refused = Observed(0)
        var clients: [BrokerClient] = []
        for _ in 0..<Self.senders {
            let client = try await BrokerClient()
            // After this call, the broker knows the caller. So later requests wait only for the handler, and not also
            // until the bus has described the caller.
            await #expect(throws: CallError.self) { try await client.open("nobody.example:x") }
            clients.append(client)
        }
        var options = OpenURLOptions()
        options.items = [.data([UInt8](repeating: 120, count: bytes))]
        options.timeout = 120_000
        for client in clients {
            for place in 0..<Self.requests / Self.senders {
                let (url, options) = (handler.url("\(place)"), options)
                DBusActor.task {
                    do throws(CallError) { _ = try await client.call(URLs1.openURL, (url, options)) } catch {
                        if error.word == "LimitExceeded" { refused.update { $0 += 1 } }
                    }
                }
            }
        }
        // First let the tasks above send their requests. When a client then gets the reply to its call, the broker has
        // read all earlier calls on the same connection.
        await Task.yield()
        for client in clients { _ = try await client.call(URLs1.listRequests, ListRequestsOptions()) }
        let memory = try broker.residentAnonymousBytes
        return (memory, refused.value)
    }
}
