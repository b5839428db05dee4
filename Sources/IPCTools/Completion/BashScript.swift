internal import ArgumentParser

/// The completion script for bash that ArgumentParser generates, repaired in three places.
enum BashScript {
    /// Returns the repaired script.
    ///
    /// The last line of the script treats every word as a file name: it completes a pasteboard as a directory if there
    /// is one of that name, and puts a backslash before the colon of a URL. The repaired script completes only files as
    /// files, and lets a URL continue after the colon. It also knows default subcommands: an option directly after a
    /// command belongs to them.
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
