/// The modules that each module's sources may import: only those of lower layers, as in the architecture diagram.
struct ImportRules {
    /// What a module may import besides Swift's own modules.
    private static let allowed: [String: Set<String>] = [
        // Layer 1
        "IPCModel": ["CXXHash"],
        "IPCQueues": [],
        "IPCDBus": ["IPCQueues", "CLibDBus", "CLinux", "Logging"],
        // Layer 2
        "IPCDesktop": ["IPCModel"],
        "IPCInterface": ["IPCModel", "IPCDBus"],
        "IPCStore": ["IPCModel", "CLinux", "CXXHash", "CSQLite"],
        // Layer 3
        "IPCBroker": [
            "IPCStore", "IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "IPCQueues", "CLinux", "Logging",
        ],
        "IPC": ["IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "CLinux", "CXXHash", "Logging"],
        "IPCFoundation": ["IPC"],
        "IPCPrivateBus": ["CLinux", "Subprocess", "SystemPackage"],
        "IPCTestKit": ["IPC", "IPCModel", "IPCDBus", "IPCPrivateBus", "Testing"],
        // Layer 4
        "IPCTools": ["IPC", "IPCModel", "IPCDBus", "CLinux", "ArgumentParser", "Subprocess", "SystemPackage"],
        "ipc-broker": ["IPCBroker", "IPCDesktop", "IPCModel", "CJemalloc", "ArgumentParser", "Logging"],
        "ipc-desktop-open": ["CGIO"],
        "ipc-client": ["IPCTools", "IPC", "IPCDesktop", "IPCModel", "IPCDBus", "ArgumentParser"],
        "ipc-server": ["IPCTools", "IPC", "IPCModel", "IPCDBus", "ArgumentParser"],
        "ipc-bridge": ["IPCTools", "IPC", "IPCModel", "IPCDBus", "CXCB", "CLinux", "ArgumentParser"],
    ]
    /// Swift's own modules, and the C library.
    private static let everywhere: Set<String> = ["Swift", "Glibc", "Dispatch", "Synchronization", "_Concurrency"]
    /// C targets, which contain no Swift.
    static let withoutSwift: Set<String> = ["CLinux", "CXXHash", "CGIO", "CJemalloc", "CXCB", "CLibDBus", "CSQLite"]

    /// The modules that Swift source text imports, with any attributes or modifiers around the import.
    static func imports(in text: String) -> [String] {
        let code = text.replacing(#/(?s)/\*.*?\*//#, with: " ").replacing(#/(?m)//.*$/#, with: "")
        let pattern =
            #/
            (?: ^ | ; ) \s*
            (?: @ \w+ (?: \( [^)]* \) )? \s+ )*
            (?: (?: public | package | internal | fileprivate | private ) \s+ )?
            import \s+
            (?: (?: class | struct | enum | protocol | typealias | func | let | var ) \s+ )?
            ( [A-Za-z_] \w* )
            /#.anchorsMatchLineEndings()
        return code.matches(of: pattern).map { String($0.1) }
    }

    /// The imports in one file that the rules forbid.
    ///
    /// - Parameters:
    ///     - path: relative to the module's directory.
    static func violations(module: String, path: String, text: String) -> [String] {
        guard let allowed = allowed[module] else { return ["\(module) has no rule: say which modules it may import"] }
        return imports(in: text).filter { imported in
            switch imported {
            case module: true
            // Only the connectors may use libdbus: it opens connections, but no message passes through it.
            case "CLibDBus" where module == "IPCDBus": !path.hasPrefix("Connectors/")
            // Only the layer that throws all SQLite errors and keeps the connection on one thread may use SQLite.
            case "CSQLite" where module == "IPCStore": !path.hasPrefix("Database/")
            // The full Foundation is forbidden: it costs a program 40 MB and 5 ms at startup.
            case "Foundation": true
            case "FoundationEssentials": false
            default: !allowed.contains(imported) && !everywhere.contains(imported)
            }
        }.map { "\(module)/\(path) imports \($0)" }
    }
}
