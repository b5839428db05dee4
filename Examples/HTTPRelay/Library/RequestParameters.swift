public import Foundation

/// The parameters of every request to a server, whatever its kind.
public struct RequestParameters: Sendable, Hashable {
    /// The id of the device that sends the request.
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

    /// ``date`` as `yyyyMMddHHmmss`, such as `20120131235959`. It is in UTC, so that it does not depend on the device.
    public var dateTime: String { date.formatted(Self.dateTimeFormat) }

    private static let dateTimeFormat = Date.VerbatimFormatStyle(
        format: """
            \(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)\
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\(second: .twoDigits)
            """,
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))

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
