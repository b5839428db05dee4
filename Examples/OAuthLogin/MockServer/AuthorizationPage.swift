/// The page on which the user says yes or no.
struct AuthorizationPage {
    /// Identifies the question that the form answers. It has only letters, digits and hyphens, which need no escaping in
    /// HTML.
    let ticket: String

    /// A page with two buttons, one above the other, that fill the window: a click in the upper half says yes. The page
    /// notifies the server when the buttons can be clicked.
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

    /// A page with an error message.
    /// - Parameter sentence: the server's own message, which is not escaped.
    static func refusal(_ sentence: String) -> String {
        "<!doctype html><meta charset=\"utf-8\"><title>Not signed in</title><p>\(sentence)\n"
    }
}
