import Testing

@testable import IPC

/// Tests of the parameters of a URL, both when they are read and when they are written.
struct URLParametersTests {
    private static let readings: [(String, URLParameters)] = [
        ("x:do?a=1&b=2", ["a": "1", "b": "2"]), ("x:do", [:]), ("x:do?", [:]), ("x:do#?a=1", [:]),
        ("x:?a=1#b=2", ["a": "1"]), ("x:?a", ["a": ""]), ("x:?a=", ["a": ""]), ("x:?=1", ["": "1"]),
        ("x:?a=b=c", ["a": "b=c"]), ("x:?a=1?b=2", ["a": "1?b=2"]), ("x:?&&a=1&", ["a": "1"]),
        // A plus sign is not read as a space.
        ("x:?a=1+2%2B3%20", ["a": "1+2+3 "]),
        // A parameter with an invalid escape is skipped; the others are read.
        ("x:?a=%zz&b=%FF&%=1&c=%E6%97%A5", ["c": "日"]), ("x:?city=東京 🗼", ["city": "東京 🗼"]),
        ("x:?a=1&A=2", ["a": "1", "A": "2"]),
    ]

    @Test(arguments: readings)
    func parametersAreReadAsText(_ url: String, _ parameters: URLParameters) {
        #expect(URLParameters(of: url) == parameters)
    }

    @Test func theFirstParameterOfANameWins() {
        var parameters = URLParameters(of: "x:?a=1&b=2&a=3&c=4")
        #expect(parameters["a"] == "1" && parameters.all(named: "a") == ["1", "3"])
        #expect(parameters["d"] == nil && parameters.all(named: "d").isEmpty)
        #expect(parameters.repeatedName == "a")
        // Names are compared by scalars: “é” as two scalars is not the same name as “é” as one.
        #expect((["é": "1"] as URLParameters)["e\u{301}"] == nil)
        parameters["a"] = "5"
        #expect(parameters == ["a": "5", "b": "2", "c": "4"] && parameters.repeatedName == nil)
        parameters["b"] = nil
        parameters["d"] = "6"
        #expect(parameters == ["a": "5", "c": "4", "d": "6"])
    }

    @Test func builtParametersArePercentEncoded() {
        let parameters: URLParameters = ["a": "1+2 &=#?%/", "日": "🎉", "a": "", "~-._": "b"]
        let query = "a=1%2B2%20%26%3D%23%3F%25%2F&%E6%97%A5=%F0%9F%8E%89&a=&~-._=b"
        #expect(parameters.query == query)
        #expect(parameters.added(to: "x:do") == "x:do?" + query)
        #expect(URLParameters(of: parameters.added(to: "x:do?k=v#f")) == URLParameters(of: "x:?k=v&" + query))
    }

    @Test func noParametersAddNothing() {
        for url in ["x:do", "x:do?", "x:do?a=%zz#f"] { #expect(URLParameters().added(to: url) == url) }
    }
}
