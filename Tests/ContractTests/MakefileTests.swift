import IPCTesting
import Testing

/// Checks the recipes of the Makefile.
@Suite struct MakefileTests {
    /// The commands of a target that has no prerequisites, in order.
    private static func recipe(_ target: String, in makefile: String) -> [Substring] {
        let lines = makefile.split(separator: "\n").drop { !$0.hasPrefix("\(target): ##") }
        return lines.dropFirst().prefix { $0.hasPrefix("\t") }.map { $0.dropFirst() }
    }

    /// The build commands that print more than errors, because `make` shows the command or the build shows its
    /// progress.
    private static func chatty(_ recipe: [Substring]) -> [Substring] {
        recipe.filter { command in
            command.contains(/swift (build|run|test)|\$\(MAKE\)/)
                && !(command.hasPrefix("@") && command.contains(" --quiet"))
        }
    }

    @Test func `make run prints the output of the build only if it fails`() throws {
        let recipe = Self.recipe("run", in: try FileContents.text("\(ProjectFiles.root)/Makefile"))
        #expect(Self.chatty(recipe) == [])
        #expect(recipe.count { $0.contains("swift build") } == 1, "\(recipe)")
    }

    @Test(arguments: ["swift build --quiet", "@swift build", "@$(MAKE) debug"])
    func `a build that prints its progress is found`(_ command: String) {
        let recipe = Self.recipe("run", in: "run: ## text\n\t@true\n\t\(command)\n\nother: ## text\n\t@false\n")
        #expect(recipe.count == 2 && Self.chatty(recipe) == [Substring(command)])
    }
}
