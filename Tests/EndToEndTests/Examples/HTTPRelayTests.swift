import Glibc
import IPCTesting
import Testing

/// Programs without a network reach servers on real sockets through URLs and a relay. Some of the servers answer badly.
@Suite(.privateBus)
struct HTTPRelayTests {
    @Test func `a program without a network gets an answer from the relay`() async throws {
        guard let isolation = try await HTTPRelayScene.isolation() else {
            try Test.cancel("this machine allows no network namespaces")
        }
        let scene = try await HTTPRelayScene.start()
        let answer = try await HTTPRelayScene.client(["status", "\(scene.address)/status"])
        #expect(
            answer.status == .success && answer.output == "device: demo-device\nkind: status\nstate: ready\n",
            "\(answer)")
        // The control: without the relay, only programs with a network can reach the server.
        let port = try #require(scene.address.split(separator: ":").last)
        let connect = ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"]
        #expect(try await RunningProcess.run(connect[0], Array(connect.dropFirst())).status == .success)
        #expect(try await RunningProcess.run(isolation[0], isolation.dropFirst() + connect).status != .success)
    }

    /// One kind of request, with its own parameter and its own answer.
    @Test(arguments: ["asynchronous", "delegate", "synchronous"], ["GET", "POST"])
    func `a report and its receipt arrive with each style of waiting and each method`(
        _ style: String, _ method: String
    ) async throws {
        let scene = try await HTTPRelayScene.start()
        let text = "雨が降る ☔ & more=100%"
        let url = "\(scene.address)/report"
        let sent = try await HTTPRelayScene.client(
            ["report", url, text, "--device", "d 1", "--style", style] + (method == "GET" ? ["--get"] : []))
        #expect(sent.status == .success && sent.lines.count == 3, "\(sent)")
        #expect(
            sent.lines.first == "device: d 1"
                && sent.lines.last == "received: \(text.count) characters, \(method)")
        // The time as the server got it: yyyyMMddHHmmss.
        #expect(sent.lines[1].wholeMatch(of: /sent at: 20\d{12} UTC/) != nil, "\(sent)")
    }

    @Test(arguments: ["asynchronous", "delegate", "synchronous"])
    func `each style of waiting reports success and failure`(_ style: String) async throws {
        let scene = try await HTTPRelayScene.start()
        let got = try await HTTPRelayScene.client([
            "status", "\(scene.address)/status", "--device", "d 1", "--style", style,
        ])
        #expect(got.status == .success && got.output == "device: d 1\nkind: status\nstate: ready\n", "\(got)")
        let failed = try await HTTPRelayScene.client(["status", "\(scene.address)/no-end", "--style", style])
        #expect(failed.status == .exited(70) && failed.output.isEmpty, "\(failed)")
        #expect(failed.errors.contains("does not end with END, but with “state=rea”"))
    }

    @Test(arguments: [
        ("/no-value", [], 70, "the key “state” has no “=” (field 2 of the answer)"),
        ("/cut-off", [], 70, "cut off: the connection ended after 18 of 100 bytes"),
        ("/nowhere", [], 70, "the server says 404 Not Found"),
        ("/failing", [], 70, "the server says 500 Internal Server Error"),
        ("/redirect", [], 70, "the server says 302 Found"),
        ("/silent", ["--read-timeout", "0.3"], 75, "/silent was silent for 0.3 s"),
    ])
    func `mistakes of a server are reported`(
        _ path: String, _ options: [String], _ code: Int32, _ sentence: String
    ) async throws {
        let scene = try await HTTPRelayScene.start()
        let asked = try await HTTPRelayScene.client(["status", scene.address + path] + options)
        #expect(asked.status == .exited(code) && asked.errors.contains(sentence), "\(asked)")
        #expect(asked.output.isEmpty)
        // The relay keeps running.
        #expect(try await HTTPRelayScene.client(["status", "\(scene.address)/status"]).status == .success)
    }

    @Test func `an unreachable or forbidden server is reported`() async throws {
        let scene = try await HTTPRelayScene.start()
        let refused = try await HTTPRelayScene.client(["status", "http://127.0.0.1:1/"])
        #expect(
            refused.status == .exited(70) && refused.errors.contains("http://127.0.0.1:1/ cannot be reached"),
            "\(refused)")
        let full = try await HTTPRelayScene.python(HTTPRelayScene.fullServer)
        let late = try await HTTPRelayScene.client([
            "status", "http://127.0.0.1:\(full.port)/", "--connect-timeout", "0.4",
        ])
        #expect(late.status == .exited(75), "\(late)")
        #expect(late.errors.contains("127.0.0.1:\(full.port)/ did not accept a connection within 0.4 s"), "\(late)")
        let elsewhere = try await HTTPRelayScene.client(["status", "http://example.invalid/"])
        #expect(elsewhere.status == .exited(70), "\(elsewhere)")
        #expect(elsewhere.errors.contains("the relay does not fetch from example.invalid"), "\(elsewhere)")
        withExtendedLifetime((scene, full)) {}
    }

    @Test func `a host is compared without case, and --allow adds one`() async throws {
        let scene = try await HTTPRelayScene.start(relay: ["--allow", "Extra.LOCALHOST"])
        for host in ["127.0.0.1", "LOCALHOST", "extra.localhost"] {
            let address = scene.address.replacing("127.0.0.1", with: host)
            let asked = try await HTTPRelayScene.client(["status", "\(address)/status"])
            #expect(asked.status == .success, "\(asked)")
        }
        let elsewhere = try await HTTPRelayScene.client(["status", "http://Other.LOCALHOST/"])
        #expect(elsewhere.errors.contains("does not fetch from other.localhost; start it with --allow"), "\(elsewhere)")
    }

    @Test func `a server cannot add a line to the output, or control the terminal`() async throws {
        let scene = try await HTTPRelayScene.start()
        let (server, port) = try await HTTPRelayScene.python(HTTPRelayScene.forgingServer)
        let asked = try await HTTPRelayScene.client(["status", "http://127.0.0.1:\(port)/"])
        #expect(asked.lines == [#"a: \u{1B}[2Jx\nstate: ready"#, #"b\r: \u{202E}exe"#, "犬: 猫"], "\(asked)")
        withExtendedLifetime((scene, server)) {}
    }

    @Test func `long answers arrive complete, and answers that are too long are reported`() async throws {
        let scene = try await HTTPRelayScene.start()
        let whole = try await HTTPRelayScene.client(["download", "\(scene.address)/large?bytes=3000000"])
        #expect(whole.status == .success && whole.outputBytes.count == 3_000_000, "\(whole.status) \(whole.errors)")
        #expect(whole.outputBytes.allSatisfy { $0 == UInt8(ascii: "a") })
        // After each response to a download, the client prints its own name, the status and the size.
        #expect(whole.errors == "relay-client: status 200, 3000000 bytes\n")
        let long = try await HTTPRelayScene.client(["download", "\(scene.address)/large?bytes=16000000"])
        #expect(long.status == .exited(70) && long.errors.contains("exceeds the limit for a reply"), "\(long.status)")
        #expect(long.errors.hasPrefix("relay-client: status 200, "))
    }

    @Test func `one line in a shell sends a request`() async throws {
        let scene = try await HTTPRelayScene.start()
        let got = try await Tools.client(["call", "relay:get?url=\(scene.address)/status?deviceID=shell"])
        #expect(got.status == .success && got.output == "device=shell&kind=&state=ready&END\n", "\(got)")
        let form = "deviceID=shell&messageType=report&text=%E9%9B%A8"
        let type = "application/x-www-form-urlencoded"
        let posted = try await Tools.client(["call", "relay:post?url=\(scene.address)/report", form, "--type", type])
        #expect(posted.output == "device=shell&kind=report&method=POST&dateTime=&characters=1&END\n", "\(posted)")
        let wrong = try await Tools.client(["call", "relay:get?url=\(scene.address)/status&retries=3"])
        #expect(wrong.status == .exited(70) && wrong.errors.contains("unknown parameter “retries”"), "\(wrong)")
    }

    @Test func `the device is the id of the installation if a program serves it, and an option wins`() async throws {
        let scene = try await HTTPRelayScene.start()
        let ask = { (options: [String]) in
            try await HTTPRelayScene.client(["status", "\(scene.address)/status"] + options).succeeded().lines[0]
        }
        #expect(try await ask([]) == "device: demo-device")
        let keyring = try await Keyring.start(isUnlocked: true)
        let serving = try await RunningProcess.start(try Binaries.example("install-id"), ["serve"], input: .none)
        try await serving.errors.waitForLine(containing: "listening as com.example.InstallID")
        let id = try await InstallIDScene.id()
        #expect(try await ask([]) == "device: \(id)")
        #expect(try await ask(["--device", "mine"]) == "device: mine")
        #expect(try await keyring.items() == 1)
        try await serving.terminate()
        #expect(try await ask([]) == "device: demo-device")
    }

    @Test func `without a relay, the client says what to do`() async throws {
        let broker = try await BrokerProcess.start()
        let asked = try await HTTPRelayScene.client(["status", "http://127.0.0.1:1/"])
        #expect(asked.status == .exited(68), "\(asked)")
        #expect(asked.errors == "relay-client: no relay is running; start http-relay in another terminal\n")
        withExtendedLifetime(broker) {}
    }

    @Test func `a relay that is stopped answers its requests in flight first`() async throws {
        let scene = try await HTTPRelayScene.start()
        let (server, port) = try await HTTPRelayScene.python(HTTPRelayScene.slowServer)
        async let answer = HTTPRelayScene.client(["status", "http://127.0.0.1:\(port)/"])
        #expect(try await server.nextLine() == "asked")
        let givenUp = try await SchemeGivenUp("relay")
        scene.relay.signal(SIGTERM)
        await givenUp.wait()
        server.write("answer\n")
        #expect(try await answer.output == "x: y\n")
        #expect(try await scene.relay.wait() == .success)
    }

    @Test func `when the sender cancels, the relay stops too`() async throws {
        let scene = try await HTTPRelayScene.start()
        let (server, port) = try await HTTPRelayScene.python(HTTPRelayScene.slowServer)
        let url = "relay:get?url=http://127.0.0.1:\(port)/"
        async let asked = Tools.client(["call", url, "--timeout", "1s"])
        #expect(try await server.nextLine() == "asked")
        #expect(try await asked.status == .exited(75))
        // The cancelled request does not keep the relay running, although the server never answers and the time-out is
        // 60 s.
        scene.relay.signal(SIGTERM)
        #expect(try await scene.relay.wait() == .success)
        withExtendedLifetime(server) {}
    }
}
