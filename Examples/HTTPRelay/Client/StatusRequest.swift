import HTTPRelay

/// Asks for the server's status: the simplest kind of request.
struct StatusRequest: ServerRequest {
    typealias Answer = EndedForm

    static let messageType = "status"
    let parameters: RequestParameters
}
