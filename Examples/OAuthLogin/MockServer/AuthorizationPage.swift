/// The page on which a person says yes or no.
struct AuthorizationPage {
    /// What the answer belongs to; letters, digits and hyphens, so nothing that HTML would take for its own.
    let ticket: String

    /// Two buttons, one above the other, as large as the window: who clicks into its upper half says yes. The server is told
    /// when they can be clicked.
    var html: String {
        """
        <!doctype html><meta charset="utf-8"><title>Sign in</title>
        <style>body{margin:0} button{display:block;width:100%;font:2em sans-serif;border:0}</style>
        <form method="post" action="/decision">
        <input type="hidden" name="ticket" value="\(ticket)">
        <button name="answer" value="allow" style="height:60vh">Sign in as Ada Lovelace</button>
        <button name="answer" value="deny" style="height:40vh">No</button>
        </form>
        <script>requestAnimationFrame(() => requestAnimationFrame(() => fetch('/painted')))</script>

        """
    }

    /// A page that says what is wrong.
    /// - Parameter sentence: the server's own words.
    static func refusal(_ sentence: String) -> String {
        "<!doctype html><meta charset=\"utf-8\"><title>Not signed in</title><p>\(sentence)\n"
    }
}
