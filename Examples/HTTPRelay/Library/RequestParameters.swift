public import Foundation

/// The parameters of every request to a server, whatever its kind.
public struct RequestParameters: Sendable, Hashable {
    /// The device that sends the request, as the server knows it.
    public var deviceID: String
    /// The server's URL: `http` or `https`, without a fragment.
    public var serverURL: String
    /// When the request was created.
    public var date: Date
    /// How long the server may take to accept the connection.
    public var connectTimeout: Duration
    /// How long the server may send nothing once it is connected.
    public var readTimeout: Duration

    /// The default of both time-outs, for connecting and for reading: 60 s.
    public static let usualTimeout = Duration.seconds(60)

    /// Creates the parameters of a request.
    public init(
        deviceID: String, serverURL: String, date: Date = Date(),
        connectTimeout: Duration = RequestParameters.usualTimeout,
        readTimeout: Duration = RequestParameters.usualTimeout
    ) {
        (self.deviceID, self.serverURL, self.date) = (deviceID, serverURL, date)
        (self.connectTimeout, self.readTimeout) = (connectTimeout, readTimeout)
    }
}
