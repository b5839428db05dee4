import IPCDesktop
import IPCModel
import IPCTesting
import Testing

@Suite struct ConfigurationFileTests {
    private func read(_ text: String) throws -> ConfigurationFile {
        let directory = try TemporaryDirectory("configuration")
        try FileContents.write(text, to: directory.appending("ipc-broker.conf"))
        return try ConfigurationFile(path: directory.appending("ipc-broker.conf"))
    }

    @Test func `limits, store and level are read`() throws {
        let file = try read("[Limits]\nwatchers = 7\nhistory-most=0\n[Log]\nlevel=debug\n[Store]\ndirectory=/srv/a b\n")
        #expect(file.limits.map(\.name) == ["watchers", "history-most"])
        #expect(file.limits.map(\.value) == [7, 0])
        #expect(file.store == "/srv/a b")
        #expect(file.logLevel == .debug)
        #expect(file.opensOnDesktop)
        #expect(try !read("[Desktop]\nopen=false\n").opensOnDesktop)
        #expect(file.idleTimeoutMilliseconds == 0)
        #expect(try read("[Service]\nidle-timeout-milliseconds=0\n").idleTimeoutMilliseconds == 0)
        #expect(try read("[Service]\nidle-timeout-milliseconds=90\n").idleTimeoutMilliseconds == 90)
        let none = try read("# nothing\n[Limits]\n")
        #expect(none.limits.isEmpty && none.store == nil && none.logLevel == nil)
    }

    @Test(arguments: [
        ("[Limits]\n\nwatcher=1", 3, "there is no limit “watcher”"), ("[Limits]\nwatchers=0", 2, "from 1 to 1000000"),
        ("[Limits]\nwatchers=1000001", 2, "from 1 to 1000000"), ("[Limits]\nwatchers=10k", 2, "whole number"),
        ("[Limits]\nwatchers=-1", 2, "whole number"), ("[Limits]\nwatchers=+1", 2, "whole number"),
        ("[Limits]\nwatchers=", 2, "whole number"), ("[Limits]\nwatchers=18446744073709551616", 2, "whole number"),
        ("[Limits]\nurl-bytes=5", 2, "fixed at 1048576"), ("[Limits]\nWatchers=5", 2, "there is no limit “Watchers”"),
        ("[Limits]\nwatchers=1\nwatchers=1", 3, "twice"), ("[limits]\nwatchers=1", 1, "there is no group [limits]"),
        ("[Limits]\n[Other]", 2, "[Limits], [Store], [Log], [Desktop]"), ("[Limits]\n[Limits]", 2, "twice"),
        ("[Store]\ndirectory=store", 2, "absolute path"), ("[Store]\ndirectory=~/x", 2, "absolute path"),
        ("[Store]\npath=/x", 2, "its key is “directory”"), ("[Log]\nlevel=loud", 2, "trace, debug, info"),
        ("[Log]\nlevel=critical", 2, "trace, debug, info"), ("[Log]\nfile=/x", 2, "its key is “level”"),
        ("[Desktop]\nopen=no", 2, "true or false"),
        ("[Service]\nidle-timeout-milliseconds=5s", 2, "from 0 to 2592000000"),
        ("[Service]\nidle-timeout-milliseconds=-1", 2, "from 0"),
        ("[Service]\nidle=1", 2, "“idle-timeout-milliseconds”"),
        ("[Desktop]\nclose=true", 2, "its key is “open”"),
        ("watchers=1", 1, "before the first group"), ("[Limits]\nwatchers", 2, "key=value"),
    ])
    func `a mistake is reported with its file, its line and what to do`(text: String, line: Int, part: String) throws {
        let directory = try TemporaryDirectory("configuration")
        let path = directory.appending("some.conf")
        try FileContents.write(text, to: path)
        do {
            _ = try ConfigurationFile(path: path)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.line == line && !error.isMissing)
            #expect(error.ipcError.message.hasPrefix("\(path):\(line): "), "\(error)")
            #expect(error.ipcError.message.contains(part), "\(error)")
            #expect(error.ipcError.code.exitCode == 65)
        }
    }

    @Test func `the default file may be missing, but a named file may not`() throws {
        let directory = try TemporaryDirectory("configuration")
        let environment = ["XDG_CONFIG_HOME": directory.path, "HOME": "/nowhere"]
        #expect(try ConfigurationFile.load(nil, environment: environment).limits.isEmpty)
        #expect(try ConfigurationFile.load(nil, environment: [:]).limits.isEmpty)
        do {
            _ = try ConfigurationFile.load(directory.appending("none.conf"), environment: environment)
            Issue.record("a file that is missing was taken")
        } catch let error as ConfigurationFile.Invalid {
            #expect(error.isMissing && error.line == nil)
        }
        _ = try directory.makeDirectory("swift-ipc")
        try FileContents.write("[Limits]\nwatchers=3", to: directory.appending("swift-ipc/ipc-broker.conf"))
        #expect(try ConfigurationFile.load(nil, environment: environment).limits.map(\.value) == [3])
        // A default file that cannot be read is an error, whereas a missing one is not.
        try FileContents.write([0xFF], to: directory.appending("swift-ipc/ipc-broker.conf"))
        #expect(throws: ConfigurationFile.Invalid.self) {
            try ConfigurationFile.load(nil, environment: environment)
        }
    }

    @Test func `the default path follows the XDG Base Directory Specification`() {
        let path = ConfigurationFile.usualPath
        #expect(path(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/swift-ipc/ipc-broker.conf")
        #expect(path(["HOME": "/h"]) == "/h/.config/swift-ipc/ipc-broker.conf")
        #expect(path(["XDG_CONFIG_HOME": "relative", "HOME": "/h"]) == "/h/.config/swift-ipc/ipc-broker.conf")
        #expect(path(["HOME": "h"]) == nil && path([:]) == nil)
    }
}

/// Tests of `dbus/ipc-broker.conf`, the sample file that is installed to document the configuration.
@Suite struct SampleConfigurationTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")
    private static let path = "\(root)/dbus/ipc-broker.conf"

    /// The sample file with all defaults uncommented. Real comments are kept: a blank follows their “#”.
    private func uncommented(_ text: String) throws -> KeyFile {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && line.dropFirst().first?.isLowercase == true ? line.dropFirst() : line
        }
        return try KeyFile(lines.joined(separator: "\n"))
    }

    private func differences(_ text: String) throws -> [String] {
        let told = try uncommented(text)["Limits"]?.entries.map { "\($0.key)=\($0.value)" } ?? []
        let limits = Limits()
        let real = Limits.all.map { "\($0.name)=\(limits[keyPath: $0.keyPath])" }
        return told == real ? [] : told.filter { !real.contains($0) } + real.filter { !told.contains($0) } + ["order"]
    }

    @Test func `the unmodified sample sets nothing`() throws {
        let file = try ConfigurationFile(path: Self.path)
        #expect(file.limits.isEmpty && file.store == nil && file.logLevel == nil)
    }

    @Test func `the sample lists every limit with its default, in order`() throws {
        let text = try FileContents.text(Self.path)
        #expect(try differences(text) == [])
        // Negative controls: a different default, a missing limit, and an additional limit are noticed.
        #expect(try differences(text.replacing("#watchers=10000", with: "#watchers=1")) != [])
        #expect(try differences(text.replacing("#watchers=10000\n", with: "")) != [])
        #expect(try differences(text.replacing("#watchers=10000", with: "#watchers=10000\n#more=1")) != [])
    }

    @Test(arguments: Limits.all.map(\.name))
    func `each limit has a description and its actual range`(name: String) throws {
        let lines = try FileContents.text(Self.path).split(separator: "\n", omittingEmptySubsequences: false)
        let place = try #require(lines.firstIndex { $0.hasPrefix("#\(name)=") })
        let comment = lines[..<place].reversed().prefix { $0.hasPrefix("# ") }.reversed().joined(separator: " ")
        let range = try #require(Limits.row(named: name)).range
        let told = range.count == 1 ? "(\(range.lowerBound))" : "(\(range.lowerBound) to \(range.upperBound))"
        #expect(comment.hasSuffix(told), "\(comment)")
        #expect(comment.split(separator: " ").count >= 5)
    }

    @Test func `with all lines enabled, the sample sets exactly the defaults`() throws {
        let directory = try TemporaryDirectory("configuration")
        let path = directory.appending("all.conf")
        let text = try FileContents.text(Self.path)
        try FileContents.write(
            text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                line.hasPrefix("#") && line.dropFirst().first?.isLowercase == true ? line.dropFirst() : line
            }.joined(separator: "\n"), to: path)
        var limits = Limits()
        let file = try ConfigurationFile(path: path)
        for setting in file.limits { try limits.set(setting.name, setting.value) }
        #expect(limits == Limits())
        #expect(file.limits.count == Limits.all.count && file.store != nil && file.logLevel == .info)
    }
}
