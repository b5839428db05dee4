package import IPC

/// The request in a URL: `playlist:LIST` for a list, or `playlist://add?list=LIST&id=ID&id=ID…` to add tracks to it.
package struct PlaylistURL: Sendable, Hashable {
    package let list: String
    /// The ids of the tracks to add; empty if the URL asks for the list.
    package let ids: [UInt64]

    /// - Throws: `declined`, with the reason.
    package init(host: String?, path: String, parameters: URLParameters) throws(OpenURLRequest.Answer) {
        guard host != nil || path.isEmpty else {
            (list, ids) = (path, [])
            return
        }
        guard host == "add", ["", "/"].contains(path) else {
            throw .declined(message: "the URL is neither playlist:LIST nor playlist://add?list=LIST&id=ID")
        }
        let (lists, texts) = (parameters.all(named: "list"), parameters.all(named: "id"))
        guard lists.count == 1, !lists[0].isEmpty, !texts.isEmpty, lists.count + texts.count == parameters.count else {
            throw .declined(message: "the URL needs one list=LIST, an id=ID for each track, and nothing else")
        }
        list = lists[0]
        ids = try texts.map { (text) throws(OpenURLRequest.Answer) in
            guard let id = UInt64(text), "\(id)" == text else {
                throw .declined(message: "'\(text)' is not an id; ids are whole numbers from 0 to \(UInt64.max)")
            }
            return id
        }
    }
}
