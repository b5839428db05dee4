import IPC
import IPCModel

@testable import ipc_client

extension Facts {
    /// The facts that `doctor` collects in a healthy session: a broker, and an application with a claim, a service file
    /// and a desktop entry.
    static func healthy() -> Facts {
        var facts = Facts()
        facts.variables = [
            "XDG_RUNTIME_DIR": "/run/user/1000", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
            "HOME": "/home/me",
        ]
        facts.user = 1000
        facts.toolPath = "/usr/bin/ipc-client"
        facts.runtimeDirectory = FileFacts(path: "/run/user/1000", kind: .directory, mode: 0o700, owner: 1000)
        facts.bus.activatable = [BrokerFacts.name, "org.example.Well"]
        (facts.broker.process, facts.broker.program) = (7, "/usr/libexec/swift-ipc/ipc-broker")
        facts.broker.version = ProductVersion.text
        facts.services = [
            service(BrokerFacts.name, "/usr/libexec/swift-ipc/ipc-broker"),
            service("org.example.Well", "/usr/bin/well"),
        ]
        facts.claims = [.healthy()]
        facts.registrations = ["org.example.Well": ["Well.example"]]
        facts.desktop.entries = [entry()]
        facts.desktop.ids = ["org.example.Well.desktop"]
        facts.desktop.caches = [
            "/home/me/applications": [
                "Well.example": ["org.example.Well.desktop"], "well.example": ["org.example.Well.desktop"],
            ]
        ]
        facts.store.path = "/home/me/store"
        facts.store.directory = FileFacts(path: "/home/me/store", kind: .directory, mode: 0o700, owner: 1000)
        (facts.store.free, facts.store.size) = (1 << 30, 1 << 40)
        facts.store.holder = 7
        facts.configuration.path = "/home/me/ipc-broker.conf"
        facts.limits = [LimitUse(name: "pasteboards", source: nil, use: 89, most: 100)]
        return facts
    }

    /// The facts about a correct D-Bus service file.
    static func service(_ name: String, _ program: String) -> ServiceFacts {
        let text = "[D-BUS Service]\nName=\(name)\nExec=\(program)\n"
        var facts = ServiceFacts(path: "/usr/share/dbus-1/services/\(name).service", bytes: Array(text.utf8))
        facts.program = FileFacts(path: program, kind: .file, mode: 0o755, isExecutable: true)
        facts.programResolved = program
        return facts
    }

    /// The facts about a desktop entry: a correct one, unless an argument makes it wrong.
    static func entry(
        _ id: String = "org.example.Well.desktop", exec: String = "/usr/bin/ipc-client open %u"
    ) -> EntryFacts {
        let types = "x-scheme-handler/Well.example;x-scheme-handler/well.example;"
        let text = "[Desktop Entry]\nType=Application\nExec=\(exec)\nMimeType=\(types)\n"
        var facts = EntryFacts(path: "/home/me/applications/\(id)", id: id, bytes: Array(text.utf8))
        facts.program?.kind = .file
        facts.program?.isExecutable = true
        return facts
    }
}
