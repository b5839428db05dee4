internal import ArgumentParser

/// The completion script for bash that ArgumentParser generates, repaired in two places.
enum BashScript {
    /// The last line of ArgumentParser's script treats every word as a file name: bash completes a pasteboard as a
    /// directory if there is a directory of that name, and puts a backslash before a URL's colon. The repaired script
    /// completes only files as files, and lets a URL continue after the colon.
    static func repaired(_ script: String, for tool: any ParsableCommand.Type) -> String {
        let tool = tool._commandName
        return
            script
            .replacing(
                "complete -o filenames -F _\(tool) \(tool)",
                with: """
                    __\(tool)_complete() {
                        _\(tool) "$@"
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
