import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPCBroker

@DBusActor
@Suite("Open requests")
struct RequestTableTests {
    private static func limits(_ change: (inout Limits) -> Void = { _ in }) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }

    private static func request(
        _ source: String = "a.b", for handler: String = "demo.Handler", size: UInt64 = 10, isQueued: Bool = true,
        parent: RequestID? = nil, depth: UInt32 = 0, expiry: Duration = .seconds(600)
    ) throws -> PendingRequest {
        PendingRequest(
            id: .random(), application: try ApplicationID(handler),
            source: Source(application: source, strength: .owned), payer: Payer(text: source), caller: BusName(":1.5"),
            senderQueue: .application(try ApplicationID(source)), life: RequestLife(isQueued: isQueued),
            hasRecord: isQueued,
            digest: nil,
            size: size, parent: parent, depth: depth, answerTime: .seconds(20), expiry: .now + expiry, accepted: 0)
    }

    private static func refusal(
        _ table: RequestTable, _ source: String = "a.b", for handler: String = "demo.Handler", size: UInt64 = 10,
        isQueued: Bool = true
    ) throws -> LimitExceeded? {
        let application = try ApplicationID(handler)
        do throws(LimitExceeded) {
            try table.checkRoom(for: application, payer: Payer(text: source), size: size, isQueued: isQueued)
            return nil
        } catch { return error }
    }

    private static func isRoom(
        _ table: RequestTable, _ source: String = "a.b", for handler: String = "demo.Handler", size: UInt64 = 10,
        isQueued: Bool = true
    ) throws -> Bool {
        try refusal(table, source, for: handler, size: size, isQueued: isQueued) == nil
    }

    @Test func `a source has its share of requests, and an ended request frees its place`() throws {
        let table = RequestTable(limits: Self.limits { $0.pendingRequestsPerSource = 2 })
        let first = try Self.request()
        table.insert(first)
        #expect(try Self.isRoom(table))
        table.insert(try Self.request())
        #expect(try !Self.isRoom(table))
        #expect(try Self.isRoom(table, "a.c"), "another source is not affected")
        table.remove(first)
        #expect(try Self.isRoom(table))
    }

    @Test func `I19: a request with a claimed name is charged to its process, else to its connection`() throws {
        let (stated, owned) = (
            Source(application: "a.b", strength: .claimed), Source(application: "a.b", strength: .owned)
        )
        let process = ProcessIdentity(number: 7, start: 99)
        let payer = { (source: Source, process: ProcessIdentity?, connection: String) in
            Payer(source, process: process, connection: connection).text
        }
        // All names and connections of a process share one account, so a process gains nothing by claiming another
        // name.
        #expect(payer(stated, process, ":1.1") == "7-99" && payer(.nobody, process, ":1.2") == "7-99")
        #expect(payer(stated, ProcessIdentity(number: 7, start: 100), ":1.1") != "7-99")
        #expect(payer(stated, nil, ":1.1") == ":1.1" && payer(stated, nil, ":1.2") == ":1.2")
        #expect(payer(owned, process, ":1.1") == "a.b")
        #expect(payer(Source(application: "a.b", strength: .sandboxed), process, ":1.1") == "a.b")
        let table = RequestTable(limits: Self.limits { $0.pendingRequestsPerSource = 1 })
        table.insert(try Self.request("a.b"))
        #expect(try !Self.isRoom(table, "a.b") && Self.isRoom(table, "7-99"))
    }

    @Test func `a process is identified by its id and start time`() throws {
        let own = try #require(ProcessIdentity(number: getpid()))
        #expect(own.number == getpid() && own.start > 0)
        #expect(ProcessIdentity.start("7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20") == 99)
        #expect(ProcessIdentity.start("7 (short) S 1 2") == nil && ProcessIdentity.start("") == nil)
    }

    @Test func `a payer may use a quarter of all, and the last quarter is for small payers`() throws {
        let table = RequestTable(
            limits: Self.limits { ($0.pendingRequests, $0.pendingRequestsPerSource) = (1_024, 1_024) })
        func fill(_ payer: String) throws -> Int {
            var count = 0
            while try Self.isRoom(table, payer, for: "demo.Handler") {
                table.insert(try Self.request(payer))
                count += 1
            }
            return count
        }
        #expect(try fill("a.a") == 256)
        #expect(try (fill("a.b"), fill("a.c")) == (256, 256))
        // Three payers use three quarters of the table. Further payers get only small shares, so that many have room.
        #expect(try (fill("a.d"), fill("a.e"), fill("a.f")) == (4, 4, 4))
    }

    @Test func `a handler has its share of requests, regardless of their senders`() throws {
        let table = RequestTable(limits: Self.limits { $0.pendingRequestsPerHandler = 2 })
        table.insert(try Self.request("a.b"))
        table.insert(try Self.request("a.c"))
        #expect(try !Self.isRoom(table, "a.d"))
        #expect(try Self.isRoom(table, "a.d", for: "demo.Other"))
    }

    @Test(arguments: [(19, true), (20, true), (21, false)] as [(UInt64, Bool)])
    func `bytes are counted exactly for source and handler`(size: UInt64, fits: Bool) throws {
        let ofSource = RequestTable(limits: Self.limits { $0.pendingBytesPerSource = 30 })
        ofSource.insert(try Self.request())
        #expect(try Self.isRoom(ofSource, size: size) == fits)
        let ofHandler = RequestTable(limits: Self.limits { $0.pendingBytesPerHandler = 30 })
        ofHandler.insert(try Self.request("a.c"))
        #expect(try Self.isRoom(ofHandler, size: size) == fits)
    }

    @Test func `only waiting requests keep their payload in memory`() throws {
        let table = RequestTable(limits: Self.limits { $0.waitingBytes = 1_000 })
        table.insert(try Self.request(size: 1_000))
        // While nothing is in memory, one request may be larger than a source's usual share.
        #expect(try Self.isRoom(table, size: 750, isQueued: false))
        #expect(try !Self.isRoom(table, size: 751, isQueued: false))
        table.insert(try Self.request(size: 1, isQueued: false))
        #expect(try Self.isRoom(table, size: 249, isQueued: false))
        #expect(try !Self.isRoom(table, size: 250, isQueued: false))
        #expect(try Self.isRoom(table, "a.c", size: 700, isQueued: false))
        #expect(try Self.isRoom(table, size: 1_000))
    }

    @Test func `a request that never fits is wrong input, also while others wait`() throws {
        let table = RequestTable(
            limits: Self.limits { ($0.waitingBytes, $0.pendingRequestsPerHandler) = (1_000, 2) })
        let never = try #require(try Self.refusal(table, size: 751, isQueued: false))
        #expect(never == LimitExceeded(limit: "waiting-bytes", use: 0, request: 751, allowed: 750))
        #expect(never.ipcError.exit == .dataError)
        // Even while other requests leave too little room, the error must be that 751 bytes never fit. After one other
        // request, too little memory is left; after two, the handler also has as many requests as it may have.
        for source in ["a.b", "a.c"] {
            table.insert(try Self.request(source, size: 300, isQueued: false))
            #expect(try Self.refusal(table, size: 751, isQueued: false) == never)
            // Negative control: a request of 750 bytes fits as soon as the others have ended.
            #expect(try Self.refusal(table, size: 750, isQueued: false)?.ipcError.exit == .tryAgain)
        }
    }

    @Test func `a payload that is read late is refused with the limit that it exceeds`() throws {
        let table = RequestTable(limits: Self.limits { ($0.pendingBytesPerSource, $0.waitingBytes) = (1_000, 100) })
        table.insert(try Self.request(size: 900))
        let (queued, waiting) = (try Self.request(size: 10), try Self.request("a.c", size: 10, isQueued: false))
        for request in [queued, waiting] { table.insert(request) }
        try table.room(for: queued).check(90)
        try table.room(for: waiting).check(90)
        // The queued payload would fit later. It does not count towards `waiting-bytes`, because it is not in memory.
        let later = LimitExceeded(limit: "pending-bytes-per-source", use: 900, request: 210, allowed: 1_000)
        let never = LimitExceeded(limit: "pending-bytes-per-source", use: 0, request: 1_001, allowed: 1_000)
        let inMemory = LimitExceeded(limit: "waiting-bytes", use: 0, request: 101, allowed: 100)
        #expect(throws: later) { try table.room(for: queued).check(200) }
        #expect(throws: never) { try table.room(for: queued).check(991) }
        #expect(throws: inMemory) { try table.room(for: waiting).check(91) }
        #expect([later, never, inMemory].map(\.ipcError.exit) == [.tryAgain, .dataError, .dataError])
    }

    @Test func `invalid sizes from the store do not abort the process`() throws {
        let table = RequestTable(limits: Self.limits())
        let requests = try [true, false, false].map { try Self.request(size: .max, isQueued: $0) }
        for request in requests { table.insert(request) }
        #expect(try !Self.isRoom(table) && !Self.isRoom(table, "a.c", isQueued: false))
        table.recharge(requests[1], size: .max, memory: .max)
        for request in requests { table.remove(request) }
        #expect(try Self.isRoom(table) && Self.isRoom(table, isQueued: false))
    }

    @Test func `a child is one level deeper than its parent, even if the parent has ended`() throws {
        let table = RequestTable(limits: Self.limits())
        let parent = try Self.request(depth: 3)
        table.insert(parent)
        #expect(table.depth(below: parent.id) == 4)
        table.remove(parent)
        #expect(table.depth(below: parent.id) == 4)
        #expect(table.depth(below: nil) == 0)
        #expect(table.depth(below: .random()) == 1, "one that nobody knows is at the top")
    }

    @Test func `a caller has its share of waiting calls, and all callers have theirs`() throws {
        let table = RequestTable(
            limits: Self.limits { ($0.requestWaitersPerCaller, $0.requestWaiters) = (2, 3) })
        let (caller, other, third) = (BusName(":1.5"), BusName(":1.6"), BusName(":1.7"))
        let sender = RequestWaiter(caller, .sender, takesDescriptors: false)
        let waiters = [caller, caller, other].map { RequestWaiter($0, .observer, takesDescriptors: false) }
        table.note(sender)
        for waiter in waiters {
            try table.checkRoomForWaiter(of: waiter.caller)
            table.note(waiter)
        }
        #expect { try table.checkRoomForWaiter(of: caller) } throws: { error in
            (error as? LimitExceeded)?.limit == "request-waiters-per-caller"
        }
        #expect { try table.checkRoomForWaiter(of: third) } throws: { error in
            (error as? LimitExceeded)?.limit == "request-waiters"
        }
        table.forget(waiters[2])
        table.forget(waiters[2])
        try table.checkRoomForWaiter(of: third)
        #expect(table.takeWaiters(of: caller).map(\.number) == [sender, waiters[0], waiters[1]].map(\.number))
        #expect(table.waiterCount == 0 && table.takeWaiters(of: caller).isEmpty)
        try table.checkRoomForWaiter(of: caller)
    }

    @Test func `a waiting call that ends leaves its request, however many others wait`() async throws {
        let request = try Self.request()
        let waiters = (0..<20_000).map { _ in RequestWaiter(BusName(":1.5"), .observer, takesDescriptors: false) }
        var ended = 0
        for waiter in waiters {
            waiter.begin { _ in ended += 1 }
            request.add(waiter)
        }
        let start = ContinuousClock.now
        for waiter in waiters { waiter.end(with: .success(OpenURLResult(queued: request))) }
        // This would take some seconds if each call were searched for among all others.
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(ended == waiters.count && request.waiters.isEmpty)
    }

    @Test func `deadlines fire in order, except those of ended requests`() async throws {
        let table = RequestTable(limits: Self.limits())
        let requests = try [30, 10, 20, 15].map { try Self.request(expiry: .milliseconds($0)) }
        for request in requests { table.insert(request) }
        table.remove(requests[3])
        var passed: [RequestID] = []
        await withCheckedContinuation { continuation in
            table.deadlinePassed = { request in
                passed.append(request.id)
                if passed.count == 3 { continuation.resume() }
            }
        }
        #expect(passed == [requests[1].id, requests[2].id, requests[0].id])
    }

    @Test func `the broker waits for waiting requests, not for queued ones`() async throws {
        let table = RequestTable(limits: Self.limits())
        table.insert(try Self.request())
        await table.quiet()
        let waiting = try Self.request(isQueued: false)
        table.insert(waiting)
        let end = DBusActor.task { await table.quiet() }
        table.remove(waiting)
        _ = try await end.value
        #expect(table.count == 1 && table.waitingCount == 0)
    }
}
