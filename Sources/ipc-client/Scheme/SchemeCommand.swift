import ArgumentParser

struct SchemeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commands: "scheme", abstract: "List, explain, register and choose the handlers of URL schemes.",
        discussion: """
            EXAMPLES
              ipc-client scheme list
              ipc-client scheme resolve IPCServer.demo:hello
              ipc-client scheme default IPCServer.demo com.example.Notes
            """,
        subcommands: [
            SchemeList.self, SchemeResolve.self, SchemeCanOpen.self, SchemeRegister.self, SchemeUnregister.self,
            SchemeDefault.self, SchemePolicy.self, SchemeExport.self, SchemeApply.self,
        ])
}
