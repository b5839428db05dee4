package import IPC

/// A counter that other programs change with URLs, such as `counter:add?by=3`. The reply is the new count. At each
/// multiple of ten, the program that handles `announce:` gets the count.
package actor Counter {
    private let app: Application
    private var count = 0

    package init(_ app: Application) { self.app = app }

    /// Connects to the session bus, and serves URLs until the task is cancelled.
    package static func run() async throws {
        let app = try await Application.connect(id: "com.example.Counter", schemes: ["counter"])
        let counter = Counter(app)
        try await app.onOpenURL { request in
            guard let number = request.parameters["by"].flatMap({ Int($0) }) else {
                throw OpenURLRequest.Answer.declined(code: "no-number", message: "the parameter 'by' must be a number")
            }
            return [.string("\(try await counter.add(number))")]
        }
    }

    /// Adds to the count, and returns the new one.
    /// - Throws: the failure of the announcement.
    package func add(_ number: Int) async throws(CallFailure) -> Int {
        count += number
        let sum = count
        if sum.isMultiple(of: 10) { _ = try await app.call("announce:count", sending: [.string("\(sum)")]) }
        return sum
    }
}
