/// The completion script for bash, as ArgumentParser makes it, mended in three places.
enum BashScript {
    /// Its last line takes every word for a file's name: a pasteboard becomes a directory where there is one of its name, and
    /// the colon of a URL gets a backslash. So only files are completed as files, and after a colon the URL goes on. And it knows of no default
    /// subcommand: an option right behind such a command is one of that.
    /// - Parameter defaults: the default subcommands, by their commands.
    static func mended(_ script: String, for tool: String, defaults: [String: String]) -> String {
        let lines = defaults.sorted { $0.key < $1.key }.map { command, subcommand in
            """
                if [[ "${COMP_WORDS[1]-}" == \(command) && "${COMP_WORDS[2]-}" == -* ]] && (( COMP_CWORD > 1 )); then
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
