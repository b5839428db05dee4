internal import ArgumentParser

/// The completion script for bash, as ArgumentParser makes it, repaired in three places.
enum BashScript {
    /// The last line of the script takes every word for a file's name: a pasteboard becomes a directory if there is one with its
    /// name, and the colon of a URL gets a backslash. So only files are completed as files, and the URL continues after a colon.
    /// And the script ignores default subcommands, to which an option directly behind a command belongs.
    static func repaired(_ script: String, for tool: any ParsableCommand.Type) -> String {
        let commands = tool.configuration.subcommands.sorted { $0._commandName < $1._commandName }
        let tool = tool._commandName
        let lines = commands.compactMap { command -> String? in
            guard let subcommand = command.configuration.defaultSubcommand?._commandName else { return nil }
            return """
                    if [[ "${COMP_WORDS[1]-}" == \(command._commandName) && "${COMP_WORDS[2]-}" == -* ]] && (( COMP_CWORD > 1 )); then
                        COMP_WORDS=("${COMP_WORDS[@]::2}" \(subcommand) "${COMP_WORDS[@]:2}")
                        (( COMP_CWORD += 1 ))
                    fi

                """
        }.joined()
        return
            script
            .replacing(
                "complete -o filenames -F _\(tool) \(tool)",
                with: """
                    __\(tool)_complete() {
                    \(lines)    _\(tool) "$@"
                        [[ "${COMPREPLY[0]-}" != *: ]] || compopt -o nospace
                    }

                    complete -F __\(tool)_complete \(tool)
                    """
            )
            .replacing(
                "__\(tool)_add_completions() {\n",
                with: """
                    __\(tool)_add_completions() {
                        [[ "${1}" != -[df] ]] || compopt -o filenames

                    """)
    }
}
