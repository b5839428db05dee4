/// A kind of request: what it sends to the server, and how it interprets the response.
///
/// Each kind is a type. This protocol provides defaults, so a type declares only its ``messageType``, its ``fields``, and,
/// if the answer is not an ``EndedForm``, ``answer(from:)``.
public protocol ServerRequest: Sendable {
    /// The result that the sender gets.
    associatedtype Answer: Sendable

    /// The name of this kind, which is sent to the server.
    static var messageType: String { get }
    /// The parameters that every request has.
    var parameters: RequestParameters { get }
    /// The HTTP method; `get` by default.
    var method: RequestMethod { get }
    /// Additional fields of this kind; none by default.
    var fields: [FormField] { get }

    /// Called after each response, successful or not, before it is interpreted; does nothing by default.
    func didReceive(_ response: ResponseParameters) async

    /// Converts a response to the answer.
    /// - Throws: an error with the reason if the response is not a valid answer.
    func answer(from response: ResponseParameters) throws -> Answer
}

extension ServerRequest {
    public var method: RequestMethod { .get }
    public var fields: [FormField] { [] }
    public func didReceive(_ response: ResponseParameters) async {}

    /// The form to send to the server: the fields of every request, then those of this kind.
    public var form: [FormField] {
        [
            FormField("deviceID", parameters.deviceID), FormField("messageType", Self.messageType),
            FormField("dateTime", parameters.dateTime),
        ] + fields
    }
}

extension ServerRequest where Answer == EndedForm {
    /// Reads the form in the server's response.
    /// - Throws: ``ServerFailure``, or ``EndedForm/Flaw`` if the form is malformed or incomplete.
    public func answer(from response: ResponseParameters) throws -> EndedForm {
        try response.form
    }
}
