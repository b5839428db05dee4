import Glibc
import IPCDBus
import IPCTesting
import Testing

@testable import IPCBroker

/// Checks how the broker tells from credentials and `/proc` whether a caller is in a sandbox.
@Suite struct ConfinementTests {
    private typealias Credentials = Confinement.Credentials

    /// A directory that replaces `/proc` in a test: `self` is the broker, and 7 is a caller.
    private struct ProcessFiles {
        let directory: TemporaryDirectory

        init(own: String = "25 1 8:1 / / rw - ext4 /dev/x rw\n") throws {
            directory = try TemporaryDirectory("proc")
            for name in ["self", "7", "root-of-7"] { _ = try directory.makeDirectory(name) }
            try mounts(own, of: "self")
        }

        func mounts(_ text: String, of process: String = "7") throws {
            try FileContents.write(text, to: directory.appending("\(process)/mountinfo"))
        }

        /// Creates the caller's root directory, with a `.flatpak-info` if `info` is not `nil`.
        func root(info: String?) throws {
            symlink(directory.appending("root-of-7"), directory.appending("7/root"))
            if let info { try FileContents.write(info, to: directory.appending("root-of-7/.flatpak-info")) }
        }

        func confinement(label: String? = nil) -> Confinement {
            Confinement(of: .init(process: 7, label: label), procfs: directory.path)
        }
    }

    @Test func `I19: a Flatpak is identified only by the file in its root directory`() throws {
        let files = try ProcessFiles()
        try files.mounts("90 2 0:5 / / rw - tmpfs tmpfs rw\n91 90 0:6 / /proc rw - proc proc rw\n")
        try files.root(info: "[Application]\nname=org.example.App\nruntime=x\n[Context]\nname=org.example.Other\n")
        #expect(files.confinement() == .sandbox("org.example.App"))
        // Negative control: the same process without `.flatpak-info` is unconfined.
        unlink(files.directory.appending("root-of-7/.flatpak-info"))
        #expect(files.confinement() == .free)
    }

    @Test(arguments: [
        "", "[Runtime]\nname=org.example.App\n", "[Application]\nid=org.example.App\n", "[Application]\nname=\n",
        "[Application]\nname=not an id\n", "[Application]\nname=org.example.App\nname=org.example.Other\n", "name=a.b",
    ])
    func `I19: a sandbox whose id cannot be read has least privilege`(info: String) throws {
        let files = try ProcessFiles()
        try files.mounts("")
        try files.root(info: info)
        #expect(files.confinement() == .hidden)
    }

    @Test func `I19: a link or a special file means least privilege`() throws {
        let files = try ProcessFiles()
        try files.root(info: nil)
        let info = files.directory.appending("root-of-7/.flatpak-info")
        symlink("/nowhere", info)
        #expect(files.confinement() == .hidden)
        unlink(info)
        mkdir(info, 0o700)
        #expect(files.confinement() == .hidden)
        rmdir(info)
        #expect(mkfifo(info, 0o600) == 0)
        #expect(files.confinement() == .hidden)
        unlink(info)
        #expect(files.confinement() == .free)
    }

    @Test func `I19: a process that cannot be examined has least privilege`() throws {
        // The process has exited, or the system hides it.
        #expect(Confinement(of: Credentials(process: 7), procfs: "/nowhere") == .hidden)
        let files = try ProcessFiles()
        #expect(files.confinement() == .hidden)
        // The files of the process can be read, but its root directory cannot be opened.
        try files.mounts("90 2 0:5 / / rw - tmpfs tmpfs rw\n")
        symlink("/nowhere", files.directory.appending("7/root"))
        #expect(files.confinement() == .hidden)
        // The bus does not say which process the caller is.
        #expect(Confinement(of: Credentials(), procfs: files.directory.path) == .hidden)
    }

    @Test func `an untraceable program is unconfined if it has the broker's root directory`() throws {
        let files = try ProcessFiles(own: "25 1 8:1 / / rw - ext4 /dev/x rw\n30 25 0:22 / /proc rw - proc proc rw\n")
        symlink("/nowhere", files.directory.appending("7/root"))
        try files.mounts("25 1 8:1 / / rw - ext4 /dev/x rw\n30 25 0:22 / /proc rw - proc proc rw\n")
        #expect(files.confinement() == .free)
        #expect(Confinement.quick(Credentials(process: 7), procfs: files.directory.path) == .free)
        // Negative controls: the root is another mount; the root is a directory within a mount, so that no line shows
        // it; two mounts are on the root.
        for other in [
            "26 1 8:1 / / rw - ext4 /dev/x rw\n", "30 25 0:22 / /proc rw - proc proc rw\n", "",
            "25 1 8:1 / / rw - ext4 /dev/x rw\n99 25 0:5 / / rw - tmpfs tmpfs rw\n", "25 1 8:1 / /x rw - ext4 x rw\n",
        ] {
            try files.mounts(other)
            #expect(files.confinement() == .hidden, "\(other)")
            #expect(Confinement.quick(Credentials(process: 7), procfs: files.directory.path) == nil)
        }
    }

    @Test(arguments: [
        ("snap.firefox.firefox", Confinement.sandbox("snap.firefox")),
        ("snap.firefox.firefox (enforce)", .sandbox("snap.firefox")),
        ("snap.0ad_two.hook.install (enforce)", .sandbox("snap.0ad_two")), ("snap.firefox", .hidden),
        ("snap.0ad+extra.hook.install", .sandbox("snap.0ad+extra")), ("snap.\u{1B}[2J.x", .hidden),
        ("snap..x", .hidden), ("snap.", .hidden), ("snap.code.code (complain)", .free),
        ("snap.code.code (unconfined)", .free), ("unconfined", .free), ("snapd", .free), ("", .free),
        ("/usr/bin/snap.firefox.firefox", .free),
    ])
    func `a Snap is identified by its label`(label: String, expected: Confinement) throws {
        let files = try ProcessFiles()
        try files.root(info: nil)
        #expect(files.confinement(label: label) == expected)
    }

    @Test func `credentials are parsed as the bus sends them`() {
        let facts: [String: Value] = [
            "ProcessID": .uint32(42), "UnixUserID": .uint32(0),
            "LinuxSecurityLabel": .bytes(Array("snap.a.b (enforce)".utf8) + [0]),
        ]
        #expect(Credentials(facts) == Credentials(process: 42, label: "snap.a.b (enforce)"))
        #expect(Credentials(["ProcessID": .uint32(0)]) == Credentials())
        #expect(Credentials(["ProcessID": .uint32(.max)]) == Credentials())
        #expect(Credentials(["ProcessID": .int32(4), "LinuxSecurityLabel": .string("snap.a.b")]) == Credentials())
    }

    @Test func `this process is unconfined according to its real files`() {
        #expect(Confinement(of: Credentials(process: getpid())) == .free)
        #expect(Confinement.quick(Credentials(process: getpid())) == .free)
    }
}
