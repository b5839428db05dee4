import Foundation

/// A kind of request: what it says to the server, and what it makes of the answer.
///
/// Each kind is a type of its own. What is the same for all of them stands here, and a kind says only what is different:
/// its ``messageType``, its ``fields``, and, where the answer is no ``EndedForm``, ``answer(from:)``.
public protocol ServerRequest: Sendable {
    /// What the sender gets.
    associatedtype Answer: Sendable

    /// The word by which the server knows this kind.
    static var messageType: String { get }
    /// How it is sent: `get` unless the kind says otherwise.
    static var method: RequestMethod { get }

    /// What every request says.
    var parameters: RequestParameters { get }
    /// What this kind says beside that; nothing unless the kind says otherwise.
    var fields: [FormField] { get }

    /// Is called after each response, be it good or bad, before anything is made of it; does nothing unless the kind says
    /// otherwise.
    func didReceive(_ response: ResponseParameters) async

    /// Makes the answer of a response.
    /// - Throws: why the response is no answer.
    func answer(from response: ResponseParameters) throws -> Answer
}

extension ServerRequest {
    public static var method: RequestMethod { .get }
    public var fields: [FormField] { [] }
    public func didReceive(_ response: ResponseParameters) async {}

    /// The form that goes to the server: what every request says, and then what this kind says.
    public var form: [FormField] {
        [
            FormField("deviceID", parameters.deviceID), FormField("messageType", Self.messageType),
            FormField("dateTime", parameters.date.formatted(.iso8601)),
        ] + fields
    }
}

extension ServerRequest where Answer == EndedForm {
    /// The form that the server has answered with.
    /// - Throws: ``ServerFailure``, or ``EndedForm/Flaw`` where the form is not whole.
    public func answer(from response: ResponseParameters) throws -> EndedForm {
        try response.check()
        return try EndedForm(response.rawData, contentLength: response.contentLength)
    }
}
