import IPCModel
import IPCTesting
import Testing

@testable import IPCDesktop

@Suite struct EntryTests {
    @Test func `an entry names each scheme in both spellings and runs the client`() throws {
        let entry = DesktopEntry(
            application: ApplicationID("demo.IPC-Server"), opener: "/opt/ipc-client",
            schemes: [URLScheme("IPCServer.demo"), URLScheme("notes")])
        let file = try KeyFile(entry.text)
        let group = try #require(file["Desktop Entry"])
        #expect(
            group["MimeType"]
                == "x-scheme-handler/IPCServer.demo;x-scheme-handler/ipcserver.demo;x-scheme-handler/notes;")
        #expect(group["Exec"] == "/opt/ipc-client open --notify %u")
        #expect(group["NoDisplay"] == "true" && group["Terminal"] == "false" && group["DBusActivatable"] == nil)
        #expect(DesktopEntry.fileName(of: entry.application) == "demo.IPC_Server.desktop")
    }

    /// Desktop Entry Specification, “The Exec key”: a path is first quoted, and then the string is escaped.
    @Test(arguments: [
        ("/a b/c", #""/a b/c" open --notify %u"#), ("/a%b", "/a%%b open --notify %u"),
        ("/a$b", #""/a\\$b" open --notify %u"#),
        ("/a\"b", #""/a\\"b" open --notify %u"#), ("/a\\b", #""/a\\\\b" open --notify %u"#),
        // Swift takes such a character and a combining mark after it for one character.
        ("/a\"\u{301}%\u{301}", "\"/a\\\\\"\u{301}%%\u{301}\" open --notify %u"),
    ])
    func `a path is quoted if necessary`(_ path: String, _ line: String) {
        #expect(DesktopEntry.commandLine(path) == line)
    }

    @Test func `a service file names the bus name and the command`() throws {
        let service = ServiceFile(name: "a.b", command: try CommandWords("/bin/sh -c 'x \"y\"'"))
        #expect(service.text == "[D-BUS Service]\nName=a.b\nExec=/bin/sh -c 'x \"y\"'\n")
    }

    @Test func `a claim survives a round trip`() throws {
        let folder = try DesktopFolder()
        let claim = ClaimFile(
            application: ApplicationID("a.b"), schemes: [URLScheme("Q"), URLScheme("r+s")],
            takesDescriptors: true)
        try folder.put(claim.text, at: "a.b.handler")
        let read = try ClaimFile(contentsOf: folder.directory.appending("a.b.handler"), application: claim.application)
        #expect(read == claim && read.schemes.map(\.spelling) == ["Q", "r+s"])
    }

    @Test func `folders follow the specification`() {
        let usual = BaseDirectories { $0 == "HOME" ? "/home/u/" : nil }
        #expect(usual.data == ["/home/u/.local/share", "/usr/local/share", "/usr/share"])
        #expect(usual.config == ["/home/u/.config", "/etc/xdg"] && usual.runtime == nil)
        let said = [
            "HOME": "/h", "XDG_DATA_HOME": "relative", "XDG_CONFIG_HOME": "/c/", "XDG_DATA_DIRS": "/x:y:/z//",
            "XDG_RUNTIME_DIR": "/run/u", "XDG_CURRENT_DESKTOP": "GNOME:Foo",
        ]
        let other = BaseDirectories { said[$0] }
        #expect(other.data == ["/h/.local/share", "/x", "/z"] && other.configHome == "/c")
        #expect(other.runtime == "/run/u" && other.desktops == ["gnome", "foo"])
        #expect(BaseDirectories { _ in nil }.dataHome == nil)
    }
}
