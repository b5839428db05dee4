import Foundation
import IPCTesting
import Testing

/// Lists of 64-bit ids: from Swift to a board, through Python and JavaScript, and back.
@Suite(.privateBus)
struct PlaylistTests {
    private static let board = "com.example.Playlist.夜"
    /// Values that a double cannot represent, and values around the limit of a signed number.
    private static let ids: [UInt64] = [(1 << 53) + 1, (1 << 63) - 1, (1 << 63) + 1, .max, 7]

    private func run(_ arguments: String...) async throws -> ProcessOutput {
        try await RunningProcess.run(
            try Binaries.example("playlist"), arguments, environment: try ExamplePlace.environment)
    }

    /// Reverses the list with the example's program in the given language.
    private func reverse(_ language: String) async throws {
        try await RunningProcess.run(
            ExamplePlace.folder("Playlist/reverse.\(language)"), ["夜"], environment: try ExamplePlace.environment
        ).succeeded()
    }

    /// Puts a list with these ids on the board, as strings or as numbers.
    private func set(_ ids: [UInt64], asNumbers: Bool) async throws {
        let entries = ids.map { id in
            #"{"title":"曲 \#(id) 🎵","id":\#(asNumbers ? "\(id)" : "\"\(id)\"")}"#
        }
        let json = #"{"entries":[\#(entries.joined(separator: ","))]}"#
        _ = try await Tools.client(["set", Self.board, "--type", "application/json", json]).succeeded()
    }

    /// The ids on the board, in order, each with its title, as the Swift program reads them.
    private func shown() async throws -> [String] { try await run("show", "夜").succeeded().lines }

    private func lines(_ ids: [UInt64]) -> [String] { ids.map { "\($0)\t曲 \($0) 🎵" } }

    @Test func `tracks are restored in order after a move, and missing ones are reported`() async throws {
        _ = try await BrokerProcess.start()
        let music = try PrivateBus.current.directory.makeDirectory("music")
        let names = ["3 さくら.ogg", "1 夜想曲 🎹.ogg", "2 gone.ogg"]
        for name in names { try FileContents.write("sound of \(name)", to: "\(music)/\(name)") }
        _ = try await run("save", "夜", "\(music)/\(names[0])", "\(music)/\(names[2])", "\(music)/\(names[1])")
            .succeeded()
        let all = try await run("restore", "夜", "--library", music).succeeded()
        #expect(all.lines == [0, 2, 1].map { "\(music)/\(names[$0])" })
        // One file is moved and renamed, and another one is deleted.
        try PrivateBus.current.directory.makeDirectory("music/old")
        try await RunningProcess.run("mv", ["\(music)/\(names[0])", "\(music)/old/さくら (1).ogg"]).succeeded()
        try await RunningProcess.run("rm", ["\(music)/\(names[2])"]).succeeded()
        let id = try #require(try await shown().first { $0.hasSuffix("\t2 gone.ogg") }?.split(separator: "\t").first)
        let some = try await run("restore", "夜", "--library", music)
        #expect(some.status == .exited(66), "\(some)")
        #expect(some.lines == ["\(music)/old/さくら (1).ogg", "\(music)/\(names[1])"])
        #expect(some.errors == "playlist: missing: \(id) 2 gone.ogg\n")
        let none = try await run("restore", "昼", "--library", music)
        #expect(none.status == .exited(66) && none.errors.contains("com.example.Playlist.昼"), "\(none)")
        // The broker stores the list on disk, so any program can read it, even after the program that wrote it has
        // exited.
        #expect(try await Tools.client(["get", Self.board]).output.contains(#""id":"\#(id)""#))
    }

    @Test func `64-bit ids pass through Python and JavaScript unchanged`() async throws {
        _ = try await BrokerProcess.start()
        try await set(Self.ids, asNumbers: false)
        #expect(try await shown() == lines(Self.ids))
        try await reverse("js")
        #expect(try await shown() == lines(Self.ids.reversed()))
        try await reverse("py")
        #expect(try await shown() == lines(Self.ids))
        try await reverse("py")
        try await reverse("js")
        #expect(try await shown() == lines(Self.ids))
        // Missing tracks are reported with the same ids.
        let empty = try PrivateBus.current.directory.makeDirectory("empty")
        let missing = try await run("restore", "夜", "--library", empty)
        #expect(
            missing.errors == lines(Self.ids).map { "playlist: missing: \($0.replacing("\t", with: " "))\n" }.joined())
    }

    @Test func `a title cannot control the terminal that shows it`() async throws {
        _ = try await BrokerProcess.start()
        let json = #"{"entries":[{"id":"7","title":"a\u001b[2J\nb"}]}"#
        _ = try await Tools.client(["set", Self.board, "--type", "application/json", json]).succeeded()
        #expect(try await run("show", "夜").succeeded().output == "7\ta\\u{1B}[2J\\nb\n")
    }

    @Test func `control: as JSON numbers, they break only in JavaScript`() async throws {
        _ = try await BrokerProcess.start()
        try await set(Self.ids, asNumbers: true)
        #expect(try await shown() == lines(Self.ids), "Swift")
        try await reverse("py")
        #expect(try await shown() == lines(Self.ids.reversed()), "Python")
        try await reverse("py")
        // JavaScript rounds an id of 16 digits to a neighbouring number, and 2^64 - 1 to a number that does not fit
        // into 64 bits.
        try await set([(1 << 53) + 1, 1 << 53, 7], asNumbers: true)
        try await reverse("js")
        let broken = try await shown().map { $0.prefix { $0 != "\t" } }
        #expect(broken == ["7", "9007199254740992", "9007199254740992"])
        try await set([.max], asNumbers: true)
        try await reverse("js")
        let refused = try await run("show", "夜")
        #expect(refused.status == .exited(65) && refused.errors.contains("18446744073709552000"), "\(refused)")
    }

    /// Makes files, and returns their folder and their ids in order.
    private func library(_ count: Int) async throws -> (folder: String, ids: [String]) {
        let music = try PrivateBus.current.directory.makeDirectory("music")
        let files = (0..<count).map { "\(music)/\($0).ogg" }
        for file in files { try FileContents.write("sound of \(file)", to: file) }
        _ = try await RunningProcess.run(
            try Binaries.example("playlist"), ["save", "all"] + files, environment: try ExamplePlace.environment
        ).succeeded()
        return (music, try await run("show", "all").succeeded().lines.map { String($0.prefix { $0 != "\t" }) })
    }

    private func serve(_ music: String) async throws -> RunningProcess {
        let service = try await RunningProcess.start(
            try Binaries.example("playlist"), ["serve", "--library", music], environment: try ExamplePlace.environment,
            input: .none)
        try await service.errors.waitForLine(containing: "listening for playlist")
        return service
    }

    private func add(_ ids: [String], to list: String = "夜") async throws -> ProcessOutput {
        try await Tools.client(["call", "playlist://add?list=\(list)" + ids.map { "&id=\($0)" }.joined()])
    }

    private func shownIDs(_ list: String = "夜") async throws -> [String] {
        try await run("show", list).succeeded().lines.map { String($0.prefix { $0 != "\t" }) }
    }

    @Test func `another program adds tracks, and learns what became of each id`() async throws {
        _ = try await BrokerProcess.start()
        let (music, ids) = try await library(4)
        _ = try await serve(music)
        let first = try await add([ids[2], ids[0]])
        #expect(first.output == #"{"added":["\#(ids[2])","\#(ids[0])"],"present":[],"missing":[]}"#, "\(first)")
        let second = try await add([ids[1], ids[0], "18446744073709551615", ids[1], ids[3]])
        #expect(
            second.output
                == #"{"added":["\#(ids[1])","\#(ids[3])"],"present":["\#(ids[0])","\#(ids[1])"],"#
                + #""missing":["18446744073709551615"]}"#, "\(second)")
        #expect(try await shownIDs() == [ids[2], ids[0], ids[1], ids[3]])
        // JavaScript reads the list in between, and changes no id.
        try await reverse("js")
        #expect(try await add(ids).output.contains(#""added":[]"#))
        #expect(try await shownIDs() == [ids[3], ids[1], ids[0], ids[2]])
        let wrong = try await add(["1e3"])
        #expect(wrong.status == .exited(1) && wrong.errors.contains("1e3"), "\(wrong)")
        // A list that is no list is reported, and stays.
        _ = try await Tools.client(["set", Self.board, "not a list"]).succeeded()
        let damaged = try await add(ids)
        #expect(damaged.status == .exited(70), "\(damaged)")
        #expect(try await Tools.client(["get", Self.board]).output == "not a list")
    }

    @Test func `programs that add at the same time lose nothing`() async throws {
        _ = try await BrokerProcess.start()
        let (music, ids) = try await library(30)
        _ = try await serve(music)
        _ = try await add([ids[0]]).succeeded()
        // Ten programs add two tracks each by URL, while a Python program adds nine by itself.
        let python = try await PythonPeer.start(Self.adder)
        let added = try await withThrowingTaskGroup(of: String.self) { group in
            for place in 0..<10 {
                group.addTask { try await add([ids[1 + place], ids[11 + place]]).succeeded().output }
            }
            for id in ids[21...] { python.tell(id) }
            for _ in ids[21...] { #expect(try await python.nextLine() == "added") }
            return try await group.reduce("", +)
        }
        for id in ids[1...20] { #expect(added.contains(#""\#(id)""#)) }
        let all = try await shownIDs()
        #expect(all.first == ids[0] && all.count == 30 && Set(all) == Set(ids), "\(all)")
    }

    @Test func `control: without the change count, a slow writer undoes what another one added`() async throws {
        _ = try await BrokerProcess.start()
        let (music, ids) = try await library(2)
        _ = try await serve(music)
        for checks in [true, false] {
            _ = try await add([ids[0]]).succeeded()
            let python = try await PythonPeer.start(Self.slowWriter, arguments: checks ? ["checks"] : [])
            #expect(try await python.nextLine() == "read")
            _ = try await add([ids[1]]).succeeded()
            #expect(try await python.ask("write") == (checks ? "ChangeCountMismatch" : "written"))
            #expect(try await shownIDs() == (checks ? ids : [ids[0]]))
            _ = try await Tools.client(["board", "remove", Self.board]).succeeded()
        }
    }

    /// Adds each id on standard input to the list, and tries again if the list has changed in between.
    private static let adder = """
        import json, sys, dbus
        board = dbus.Interface(dbus.SessionBus().get_object("org.swiftipc.Broker1", dbus.SessionBus().get_object(
            "org.swiftipc.Broker1", "/org/swiftipc/Broker1").GetPasteboard("com.example.Playlist.夜", {},
            dbus_interface="org.swiftipc.Pasteboards1")), "org.swiftipc.Pasteboard1")
        for line in sys.stdin:
            while True:
                count, items, facts = board.GetItems({})
                text = dict(items[0])["application/json"]
                playlist = json.loads(text if isinstance(text, str) else bytes(text))
                playlist["entries"].append({"id": line.strip(), "title": "曲", "milliseconds": 7})
                try:
                    board.SetItems([[("application/json", json.dumps(playlist))]], {"if-change-count": count},
                        signature="aa(sv)a{sv}")
                    print("added")
                    break
                except dbus.DBusException as error:
                    if not error.get_dbus_name().endswith("ChangeCountMismatch"): raise

        """

    /// Reads the list, and writes it again when it gets a line.
    private static let slowWriter = """
        import sys, dbus
        board = dbus.Interface(dbus.SessionBus().get_object("org.swiftipc.Broker1", dbus.SessionBus().get_object(
            "org.swiftipc.Broker1", "/org/swiftipc/Broker1").GetPasteboard("com.example.Playlist.夜", {},
            dbus_interface="org.swiftipc.Pasteboards1")), "org.swiftipc.Pasteboard1")
        count, items, facts = board.GetItems({})
        print("read")
        sys.stdin.readline()
        try:
            board.SetItems(items, {"if-change-count": count} if sys.argv[1:] else dbus.Dictionary({}, signature="sv"),
                signature="aa(sv)a{sv}")
            print("written")
        except dbus.DBusException as error: print(error.get_dbus_name().split(".")[-1])

        """

    @Test func `tracks whose ids have changed are found by title and length, and ambiguous ones stay`() async throws {
        _ = try await BrokerProcess.start()
        let music = try PrivateBus.current.directory.appending("music")
        let tones = ExamplePlace.folder("Playlist/make-tones")
        let files = try await RunningProcess.run(tones, [music]).succeeded().lines
        _ = try await RunningProcess.run(
            try Binaries.example("playlist"), ["save", "夜"] + files, environment: try ExamplePlace.environment
        ).succeeded()
        let old = try await shown()
        // A new tag behind the samples changes the content of two files, and so their ids, but not their lengths.
        for file in files.prefix(2) { try FileContents.write(FileContents.read(file) + [1, 2, 3], to: file) }
        // The second one gets a rival with the same title and length.
        let rival = try PrivateBus.current.directory.makeDirectory("music/copies") + "/" + files[1].fileName
        try FileContents.write(FileContents.read(files[1]) + [4], to: rival)
        // The third one is gone.
        try await RunningProcess.run("rm", [files[2]]).succeeded()
        let restored = try await run("restore", "夜", "--library", music)
        #expect(restored.status == .exited(66) && restored.lines == [files[0], files[3]], "\(restored)")
        let new = try await shown()
        #expect(new[0] != old[0] && Array(new[1...]) == Array(old[1...]))
        #expect(restored.errors.split(separator: "\n").count == 2)
        for place in 1...2 { #expect(restored.errors.contains(old[place].replacing("\t", with: " "))) }
        // Without the rival, the second one is found too, under the id that it has now.
        try await RunningProcess.run("rm", [rival]).succeeded()
        let more = try await run("restore", "夜", "--library", music)
        #expect(more.lines == [files[0], files[1], files[3]] && more.status == .exited(66), "\(more)")
    }

    @Test func `a start reads only new and changed files`() async throws {
        _ = try await BrokerProcess.start()
        let (music, _) = try await library(5)
        #expect(try await run("index", "--library", music).output == "5 tracks, 5 read\n")
        #expect(try await run("index", "--library", "\(music)/.").output == "5 tracks, 0 read\n", "the same folder")
        try FileContents.write("something else", to: "\(music)/2.ogg")
        #expect(try await run("index", "--library", music).output == "5 tracks, 1 read\n")
        let cache = try PrivateBus.current.directory.appending("home/.cache/com.example.Playlist")
        let indexes = try #require(FileContents.names(in: cache)?.filter { $0.hasSuffix(".index") })
        #expect(indexes.count == 1)
        try FileContents.write(
            FileContents.text("\(cache)/\(indexes[0])").replacing("ogg", with: "OGG"), to: "\(cache)/\(indexes[0])")
        #expect(try await run("index", "--library", music).output == "5 tracks, 5 read\n", "a damaged index")
        let none = try await run("index", "--library", "\(music)/none")
        #expect(none.status == .exited(66) && none.errors.contains("\(music)/none cannot be read"), "\(none)")
    }

    @Test func `what cannot be read is skipped with a warning, and the rest works`() async throws {
        _ = try await BrokerProcess.start()
        let (music, _) = try await library(2)
        for name in ["locked", "open"] { try PrivateBus.current.directory.makeDirectory("music/\(name)") }
        for name in ["locked/3.ogg", "open/4.ogg", "bad.ogg"] { try FileContents.write(name, to: "\(music)/\(name)") }
        for name in ["locked", "bad.ogg"] { #expect(chmod("\(music)/\(name)", 0) == 0) }
        defer { chmod("\(music)/locked", 0o700) }
        // Root may read everything, unless it gives these rights up.
        let limits = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        func run(_ arguments: String...) async throws -> ProcessOutput {
            try await RunningProcess.run(
                "/usr/bin/env", limits + [try Binaries.example("playlist")] + arguments + ["--library", music],
                environment: try ExamplePlace.environment)
        }
        let index = try await run("index").succeeded()
        #expect(index.output == "3 tracks, 3 read\n")
        let warnings = [
            "playlist: \(music)/bad.ogg cannot be read, so it is skipped",
            "playlist: \(music)/locked cannot be read as a folder, so it is skipped",
        ]
        #expect(index.errors.split(separator: "\n").map(String.init).sorted() == warnings)
        #expect(try await run("restore", "all").succeeded().lines == (0..<2).map { "\(music)/\($0).ogg" })
        let noFolder = try await self.run("index", "--library", "\(music)/0.ogg")
        #expect(noFolder.status == .exited(66) && noFolder.output.isEmpty, "\(noFolder)")
    }

    @Test func `a missing list is explained, and adding only missing tracks creates none`() async throws {
        _ = try await BrokerProcess.start()
        let (music, ids) = try await library(1)
        _ = try await serve(music)
        #expect(try await add(["1", "2"]).succeeded().output == #"{"added":[],"present":[],"missing":["1","2"]}"#)
        #expect(try await !Tools.client(["board", "list"]).succeeded().output.contains(Self.board))
        let missing = try await run("show", "夜")
        let sentence = "there is no pasteboard “\(Self.board)”; create the list with 'playlist save'"
        #expect(missing.status == .exited(66) && missing.errors == "playlist: \(sentence)\n", "\(missing)")
        // For comparison: with one track of the library, there is a list.
        #expect(try await add(["1", ids[0]]).succeeded().output.contains(#""missing":["1"]"#))
        #expect(try await shownIDs() == ids)
    }

    @Test(arguments: ["js", "py"])
    func `the scripts report an error in one line`(language: String) async throws {
        _ = try await BrokerProcess.start()
        let script = "reverse.\(language)"
        func check(_ arguments: [String], _ line: String) async throws {
            let told = try await RunningProcess.run(
                ExamplePlace.folder("Playlist/\(script)"), arguments, environment: try ExamplePlace.environment)
            #expect(told.status == .exited(1) && told.errors == line + "\n", "\(told)")
        }
        try await check([], "usage: \(script) LIST")
        try await check(["夜"], "\(script): there is no pasteboard “\(Self.board)”")
        for arguments in [["set", Self.board, "text"], ["board", "clear", Self.board]] {
            _ = try await Tools.client(arguments).succeeded()
            try await check(["夜"], "\(script): the pasteboard “\(Self.board)” does not contain a list")
        }
    }

    @Test func `a list is played in order, with any player`() async throws {
        _ = try await BrokerProcess.start()
        let (music, _) = try await library(3)
        let log = try PrivateBus.current.directory.appending("log")
        let bin = try PrivateBus.current.directory.makeDirectory("bin")
        func player(_ name: String, _ script: String) throws {
            try FileContents.write("#!/bin/sh\n\(script)\n", to: "\(bin)/\(name)", isProgram: true)
        }
        let log1 = "echo \"${0##*/}:$*\" >>'\(log)'"
        try player("aplay", log1)
        try player("my-player", log1)
        try player("broken", "exit 3")
        var environment = try ExamplePlace.environment
        environment["PATH"] = bin
        func play(_ arguments: String...) async throws -> ProcessOutput {
            try await RunningProcess.run(
                try Binaries.example("playlist"), ["play", "all", "--library", music] + arguments,
                environment: environment)
        }
        _ = try await play().succeeded()
        #expect(try FileContents.text(log) == (0..<3).map { "aplay:\(music)/\($0).ogg\n" }.joined())
        try FileContents.write("", to: log)
        try await RunningProcess.run("rm", ["\(music)/1.ogg"]).succeeded()
        let some = try await play("--player", "my-player --loud")
        #expect(some.status == .exited(66) && some.errors.contains("missing: "), "\(some)")
        #expect(try FileContents.text(log) == [0, 2].map { "my-player:--loud \(music)/\($0).ogg\n" }.joined())
        let broken = try await play("--player", "broken")
        #expect(broken.status == .exited(70) && broken.errors.contains("exited with 3"), "\(broken)")
        let absent = try await play("--player", "no-such-player")
        #expect(absent.status == .exited(69) && absent.errors.contains("'no-such-player'"), "\(absent)")
        environment["PATH"] = music
        let silent = try await play()
        #expect(silent.status == .exited(69) && silent.errors.contains("install one of the packages"), "\(silent)")
    }

    @Test func `other programs get a list that media players can read`() async throws {
        _ = try await BrokerProcess.start()
        let music = try PrivateBus.current.directory.makeDirectory("music")
        try FileContents.write("sound", to: "\(music)/音.ogg")
        _ = try await run("save", "夜", "\(music)/音.ogg").succeeded()
        let service = try await serve(music)
        let list = "#EXTM3U\n\(music)/音.ogg\n"
        #expect(try await Tools.client(["call", "playlist:夜"]).output == list)
        #expect(try await Tools.client(["call", "Playlist:%E5%A4%9C"]).output == list)
        try await RunningProcess.run("rm", ["\(music)/音.ogg"]).succeeded()
        #expect(try await Tools.client(["call", "playlist:夜"]).output.contains("\n# missing: "))
        let none = try await Tools.client(["call", "playlist:昼"])
        #expect(none.status == .exited(70) && none.errors.contains("昼"), "\(none)")
        #expect(try await Tools.client(["call", "playlist:"]).status == .exited(1))
        #expect(try await service.terminate() == .success)
    }

    @Test func `the demonstration ends by itself, and leaves no list`() async throws {
        _ = try await BrokerProcess.start()
        let shown = try await ExamplePlace.demo("Playlist")
        #expect(shown.status == .success, "\(shown)")
        for text in [#""present":["#, "\n./old/cherry.wav\n", "\n3 tracks, 0 read\n", "\n3 tracks, 1 read\n"] {
            #expect(shown.output.contains(text), "\(shown)")
        }
        #expect(try await !Tools.client(["board", "list"]).succeeded().output.contains("demo-"))
    }
}

extension String {
    fileprivate var fileName: Substring { self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...] }
}
