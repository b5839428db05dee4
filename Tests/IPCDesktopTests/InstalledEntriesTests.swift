import IPCDesktop
import IPCModel
import IPCTesting
import Testing

/// Tests of the freedesktop.org specification “Association between MIME types and applications”.
@Suite struct InstalledEntriesTests {
    private func entry(_ types: String, _ more: String = "") -> String {
        "[Desktop Entry]\nType=Application\nName=x\nExec=x %u\nMimeType=\(types)\n\(more)"
    }

    private func handler(_ folder: DesktopFolder, _ scheme: String) throws -> String? {
        InstalledEntries(folder.directories).handler(of: try URLScheme(scheme))?.id
    }

    @Test func `an entry handles its schemes in any spelling`() throws {
        let folder = try DesktopFolder()
        #expect(try handler(folder, "q") == nil)
        try folder.put(entry("text/plain;x-scheme-handler/Q.x;"), at: "usr/applications/kde/viewer.desktop")
        #expect(try handler(folder, "q.X") == "kde-viewer.desktop")
        #expect(try handler(folder, "q") == nil)
    }

    @Test func `the user's folder takes precedence and can hide entries`() throws {
        let folder = try DesktopFolder()
        try folder.put(entry("x-scheme-handler/q;"), at: "usr/applications/a.desktop")
        try folder.put(entry("x-scheme-handler/q;"), at: ".local/share/applications/z.desktop")
        #expect(try handler(folder, "q") == "z.desktop")
        try folder.put("[Desktop Entry]\nHidden=true\n", at: ".local/share/applications/a.desktop")
        try folder.put(entry("x-scheme-handler/r;"), at: ".local/share/applications/z.desktop")
        #expect(try handler(folder, "q") == nil)
    }

    @Test func `a default applies only if its entry is installed`() throws {
        let folder = try DesktopFolder(desktop: "GNOME")
        for name in ["a", "b", "c"] {
            try folder.put(entry("x-scheme-handler/q;"), at: "usr/applications/\(name).desktop")
        }
        #expect(try handler(folder, "q") == "a.desktop")
        let list = { (ids: String) in "[Default Applications]\nx-scheme-handler/q=\(ids)\n" }
        try folder.put(list("gone.desktop;b.desktop"), at: "usr/applications/mimeapps.list")
        #expect(try handler(folder, "q") == "b.desktop")
        try folder.put(list("c.desktop"), at: ".config/mimeapps.list")
        #expect(try handler(folder, "q") == "c.desktop")
        try folder.put(list("a.desktop;"), at: ".config/gnome-mimeapps.list")
        #expect(try handler(folder, "q") == "a.desktop")
    }

    @Test func `added and removed associations are applied`() throws {
        let folder = try DesktopFolder()
        try folder.put(entry("x-scheme-handler/q;"), at: "usr/applications/a.desktop")
        try folder.put(entry("text/plain;"), at: "usr/applications/b.desktop")
        try folder.put(
            "[Added Associations]\nx-scheme-handler/q=b.desktop;\n[Removed Associations]\nx-scheme-handler/q=a.desktop;\n",
            at: ".config/mimeapps.list")
        let found = InstalledEntries(folder.directories).handlers(of: URLScheme("q")).map(\.id)
        #expect(found == ["b.desktop"])
    }
}
