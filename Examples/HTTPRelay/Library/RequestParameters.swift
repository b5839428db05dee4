public import Foundation

/// What every request to a server says, whatever its kind is.
public struct RequestParameters: Sendable, Hashable {
    /// The device that asks, as the server knows it.
    public var deviceID: String
    /// Where the server is: an `http` or `https` URL without a fragment.
    public var serverURL: String
    /// When the request was made.
    public var date: Date
    /// How long the server may take to accept the connection.
    public var connectTimeout: Duration
    /// How long the server may be silent after that.
    public var readTimeout: Duration

    /// How long both time-outs are where nothing is said: 60 s.
    public static let usualTimeout = Duration.seconds(60)

    /// Makes the parameters of a request.
    public init(
        deviceID: String, serverURL: String, date: Date = Date(),
        connectTimeout: Duration = RequestParameters.usualTimeout,
        readTimeout: Duration = RequestParameters.usualTimeout
    ) {
        (self.deviceID, self.serverURL, self.date) = (deviceID, serverURL, date)
        (self.connectTimeout, self.readTimeout) = (connectTimeout, readTimeout)
    }
}
