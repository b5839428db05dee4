import IPCTesting
import Testing

@Suite struct ImportRulesTests {
    @Test func `modules import only from lower layers`() throws {
        let modules = (FileContents.names(in: "\(ProjectFiles.root)/Sources") ?? []).sorted()
        #expect(modules.contains("IPCBroker") && modules.contains("IPCDBus"))
        for module in modules where !ImportRules.withoutSwift.contains(module) {
            let files = ProjectFiles.swiftFiles(below: "Sources/\(module)")
            #expect(!files.isEmpty, "\(module) has no Swift file")
            for file in files {
                let text = try FileContents.text("\(ProjectFiles.root)/Sources/\(module)/\(file)")
                #expect(ImportRules.violations(module: module, path: file, text: text) == [])
            }
        }
    }

    @Test(arguments: [
        "import CSQLite", "  import CSQLite", "internal import CSQLite", "package import CSQLite",
        "public import CSQLite",
        "private import CSQLite", "fileprivate import CSQLite", "@_exported import CSQLite",
        "@_exported public import CSQLite",
        "@preconcurrency import CSQLite", "@preconcurrency package import CSQLite", "@_spi(Private) import CSQLite",
        "@testable import CSQLite", "import struct CSQLite.sqlite3_value", "package import class CSQLite.sqlite3",
        "import IPCModel; import CSQLite", "#if DEBUG\nimport CSQLite\n#endif", "@_implementationOnly\nimport CSQLite",
    ])
    func `an import is found in every spelling`(text: String) {
        #expect(ImportRules.imports(in: text).contains("CSQLite"))
        #expect(ImportRules.violations(module: "IPC", path: "Application.swift", text: text) != [])
        #expect(ImportRules.violations(module: "IPCStore", path: "Database/Database.swift", text: text) == [])
    }

    @Test(arguments: [
        "// import CSQLite", "/* import CSQLite */", "/*\n import CSQLite\n*/", "let important = CSQLite",
        "/// import CSQLite",
    ])
    func `text that only looks like an import is ignored`(text: String) {
        #expect(ImportRules.imports(in: text) == [])
    }

    @Test(arguments: [
        ("IPC", "A.swift", "IPCStore"), ("IPC", "A.swift", "IPCBroker"), ("IPC", "A.swift", "CSQLite"),
        ("IPC", "A.swift", "Foundation"), ("IPCDBus", "Connection/A.swift", "CXXHash"),
        ("IPCBroker", "Requests/A.swift", "CXXHash"), ("IPCBroker", "A.swift", "CSQLite"),
        ("IPCStore", "Requests/A.swift", "CSQLite"),
        ("IPCBroker", "A.swift", "ArgumentParser"), ("IPCDBus", "A.swift", "IPCModel"),
        ("IPCModel", "A.swift", "IPCDBus"), ("IPCModel", "A.swift", "Foundation"),
        ("IPCInterface", "A.swift", "Foundation"), ("IPCTools", "A.swift", "Foundation"),
        ("IPCTools", "A.swift", "IPCBroker"), ("IPCStore", "A.swift", "IPCDBus"),
        ("IPCBroker", "A.swift", "Foundation"), ("IPCStore", "A.swift", "Foundation"),
        ("ipc-broker", "A.swift", "Foundation"), ("ipc-client", "A.swift", "Foundation"),
        ("ipc-server", "A.swift", "IPCStore"),
        ("IPCNew", "A.swift", "IPCModel"), ("IPC", "A.swift", "CLibDBus"), ("ipc-client", "A.swift", "CLibDBus"),
        ("IPCBroker", "A.swift", "CLibDBus"), ("IPCDBus", "Connection/A.swift", "CLibDBus"),
    ])
    func `an import from a higher layer or the same layer is found`(module: String, path: String, imported: String) {
        #expect(ImportRules.violations(module: module, path: path, text: "internal import \(imported)").count == 1)
    }
}
