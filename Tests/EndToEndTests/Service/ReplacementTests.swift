import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// One broker takes the place of another (`--replace`). `RestartTests` replaces brokers under load.
@DBusActor
@Suite(.privateBus)
struct ReplacementTests {
    private func run(_ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            Binaries.path("ipc-broker"), arguments, environment: try PrivateBus.current.environment)
    }

    @Test func `the old broker stores everything and exits with 0, and the new one continues`() async throws {
        let broker = try await BrokerProcess.start()
        let (client, former) = (try await BrokerClient(), broker.pid)
        try await client.create("kept")
        try await client.set([.string("kept")], on: "kept")
        #expect(try await broker.replace() == .success)
        #expect(broker.pid != former)
        #expect(try await PrivateBus.current.processID(ofName: BrokerProcess.busName) == broker.pid)
        #expect(try await client.get("kept").items == [.string("kept")])
        #expect(!broker.log.contains("did not shut down cleanly"))
        // The control: after a crash, the next broker says so.
        try await broker.kill9()
        try await broker.restart()
        #expect(broker.log.contains("did not shut down cleanly"))
    }

    @Test func `without --replace, a second broker leaves the first one alone and names the option`() async throws {
        let broker = try await BrokerProcess.start()
        let output = try await run(["--store", try PrivateBus.current.directory.appending("other")])
        #expect(output.status == .exited(73) && output.errors.contains("--replace"), "\(output)")
        #expect(broker.isRunning)
        _ = try await BrokerClient().call(Broker1.describe, NoOptions())
    }

    @Test func `a second broker with the same store names the option, too`() async throws {
        let broker = try await BrokerProcess.start()
        let output = try await run(["--store", broker.store])
        #expect(output.status == .exited(69) && output.errors.contains("with --replace"), "\(output)")
        #expect(broker.isRunning)
    }

    @Test func `a broker with another store does not take the place of the first one`() async throws {
        let broker = try await BrokerProcess.start()
        let other = try PrivateBus.current.directory.appending("other")
        let output = try await run(["--replace", "--store", other])
        #expect(output.status == .exited(73) && output.errors.contains("“\(broker.store)”"), "\(output)")
        #expect(output.errors.contains("stop that broker first"), "\(output)")
        #expect(broker.isRunning && FileContents.names(in: other) == nil)
        _ = try await BrokerClient().call(Broker1.describe, NoOptions())
        // The control: the same folder by another path is the same store.
        let spelling = broker.store + "/../" + (broker.store.split(separator: "/").last ?? "")
        let next = try await RunningProcess.start(
            Binaries.path("ipc-broker"), ["--replace", "--store", spelling],
            environment: try PrivateBus.current.environment)
        #expect(try await broker.wait() == .success)
        _ = try await BrokerClient().call(Broker1.describe, NoOptions())
        #expect(try await next.terminate() == .success)
    }

    @Test func `of several brokers that replace one at the same time, one serves, and the others exit with 0`()
        async throws
    {
        let broker = try await BrokerProcess.start()
        var next: [RunningProcess] = []
        for _ in 1...3 {
            next.append(
                try await RunningProcess.start(
                    Binaries.path("ipc-broker"), ["--replace", "--store", broker.store],
                    environment: try PrivateBus.current.environment))
        }
        #expect(try await broker.wait() == .success)
        var running = next
        while running.count > 1 {
            let ended = try await withThrowingTaskGroup(of: RunningProcess.self) { group in
                for process in running {
                    group.addTask {
                        try await process.wait()
                        return process
                    }
                }
                defer { group.cancelAll() }
                return try #require(try await group.next())
            }
            #expect(ended.status == .success, "\(ended.errors.text)")
            running.removeAll { $0.pid == ended.pid }
        }
        _ = try await BrokerClient().call(Broker1.describe, NoOptions())
        #expect(try await PrivateBus.current.processID(ofName: BrokerProcess.busName) == running[0].pid)
        #expect(try await running[0].terminate() == .success)
    }

    @Test func `with --replace, a broker also starts if there is none`() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--replace"]
        _ = try await BrokerProcess.start(settings)
        _ = try await BrokerClient().call(Broker1.describe, NoOptions())
    }

    /// A handler rejects every caller that does not own the broker's name.
    @Test(arguments: [true, false])
    func `a request that arrives at its handler after the replacement gets no outcome`(isReplaced: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let handler = try await TestHandler("demo.Refusing", "refusing.demo", isDirect: false) { _, _, _ in
            arrival.yield()
            for await _ in answers { break }
            throw ErrorReply(.accessDenied, "only the broker may call this object")
        }
        let client = try await BrokerClient(isDirect: false)
        let opening = Task { try await client.open("refusing.demo:1") }
        for await _ in arrivals { break }
        let next = try await Connection.open(.address(try PrivateBus.current.address))
        if isReplaced { _ = try await next.requestName(Broker1.busName, flags: [.doNotQueue, .replaceExisting]) }
        answer.yield()
        if isReplaced {
            await #expect { try await opening.value } throws: { ($0 as? CallError)?.isRemote(.noReply) == true }
            #expect(try await broker.wait() == .success)
        } else {
            #expect(try await opening.value.outcome == Outcome.failed.rawValue)
        }
        await handler.connection.closeAfterFlush()
    }

    /// A writer rejects every caller that does not own the broker's name, as a handler does.
    @Test(arguments: [true, false])
    func `a read whose promise is rejected after the replacement is not answered`(isReplaced: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let objects = ObjectServer()
        let writer = try await BrokerClient(objects: objects, isDirect: false)
        let promised = ExportedInterface(
            PasteboardWriter1.description,
            methods: [
                PasteboardWriter1.getPromisedData.answered { _, _ async throws in
                    arrival.yield()
                    for await _ in answers { break }
                    throw ErrorReply(.accessDenied, "only the broker may call this object")
                }
            ])
        objects.export([promised], at: try writer.path("general"))
        var options = WriteOptions()
        options.promises = [["image/png"]]
        _ = try await writer.call(Pasteboard1.setItems, at: writer.path("general"), ([], options))
        let reader = try await BrokerClient(isDirect: false)
        let reading = Task { try await reader.get("general").items.count }
        for await _ in arrivals { break }
        let next = try await Connection.open(.address(try PrivateBus.current.address))
        if isReplaced { _ = try await next.requestName(Broker1.busName, flags: [.doNotQueue, .replaceExisting]) }
        answer.yield()
        let expected = isReplaced ? ErrorName.noReply : IPCError.Code.noSuchItem.errorName
        await #expect { try await reading.value } throws: { ($0 as? CallError)?.isRemote(expected) == true }
        if isReplaced { #expect(try await broker.wait() == .success) }
    }

    /// Writes as a new caller each time, because the broker first asks the bus about a new caller.
    /// - Returns: the errors.
    private static func write(until isOver: Observed<Bool>) async throws -> [CallError] {
        var errors: [CallError] = []
        while !isOver.value {
            let client = try await BrokerClient(isDirect: false)
            do {
                try await client.set([.string("x")], on: "kept")
            } catch let error as CallError {
                errors.append(error)
            }
            await client.connection.closeAfterFlush()
        }
        return errors
    }

    /// A call that reaches the store of the old broker too late is not carried out. Its caller repeats it, as after a
    /// crash.
    @Test func `I18, I24: no call is rejected because the old broker stops`() async throws {
        let broker = try await BrokerProcess.start()
        try await BrokerClient().create("kept")
        let isOver = Observed(false)
        let writers = (1...4).map { _ in Task { try await Self.write(until: isOver) } }
        for _ in 1...20 { #expect(try await broker.replace() == .success) }
        isOver.update { $0 = true }
        for writer in writers {
            let errors = try await writer.value
            #expect(errors.allSatisfy { $0.isRemote(.noReply) }, "\(errors)")
        }
    }

    /// An owner that does not allow a replacement, as a broker of an earlier version.
    @Test func `an owner that keeps the name is left alone`() async throws {
        let owner = try await Connection.open(.address(try PrivateBus.current.address))
        _ = try await owner.requestName(Broker1.busName)
        let output = try await run(["--replace"])
        #expect(output.status == .exited(73) && output.errors.contains("does not give up its name"), "\(output)")
        #expect(try await owner.owner(of: Broker1.busName) == owner.uniqueName)
    }
}
