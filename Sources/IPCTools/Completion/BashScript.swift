/// The completion script for bash, as ArgumentParser makes it, mended in two places.
enum BashScript {
    /// Its last line takes every word for a file's name: a pasteboard becomes a directory where there is one of its name, and
    /// the colon of a URL gets a backslash. So only files are completed as files, and after a colon the URL goes on.
    static func mended(_ script: String, for tool: String) -> String {
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
