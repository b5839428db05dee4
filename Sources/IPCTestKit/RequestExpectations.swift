public import IPC
public import Testing

extension FakeHandler {
    /// Expects that the next request has this URL and, if `items` is not `nil`, exactly this payload.
    ///
    /// Use this in tests of Swift Testing. XCTest ignores the issues of expectations; use ``nextRequest(within:)`` there.
    ///
    /// Takes the next request, and waits for it if necessary. If it differs or none arrives, this records an issue with
    /// both the expected and the actual request. Items are equal if they have the same representations, in the same
    /// order; it does not matter whether a value is text, bytes or a file. Without a payload, a request has no items.
    /// - Parameters:
    ///   - url: the complete URL, byte for byte.
    ///   - items: the payload; `nil` accepts any.
    ///   - time: how long to wait for the request.
    /// - Returns: the request, even if it differs, for further checks; `nil` if none arrived.
    @discardableResult
    public func expectRequest(
        _ url: String, sending items: [PasteboardItem]? = nil, within time: Duration = .seconds(10),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> OpenURLRequest? {
        let expected = RequestText(url, items)
        do {
            let request = try await nextRequest(within: time)
            let actual = RequestText(request.url, items == nil ? nil : request.payload.items)
            if actual != expected {
                let lines = "\(expected.lines("expected"))\n\(actual.lines("actual"))"
                Issue.record(
                    "The next request at \(id) is not the expected one.\n\(lines)", sourceLocation: sourceLocation)
            }
            return request
        } catch is CancellationError {
            return nil
        } catch {
            Issue.record("\(error)\n\(expected.lines("expected"))", sourceLocation: sourceLocation)
            return nil
        }
    }

    /// Expects that all requests have been taken and that none is on its way: records an issue that lists the URLs of
    /// the others, and takes them. Use it in tests of Swift Testing.
    ///
    /// This finds every request that the broker has accepted before the call. Therefore, it need not wait after
    /// `Application.open` or `Application.queue` has returned.
    /// - Parameter time: how long to wait for a request that may not have been accepted yet.
    public func expectNoRequest(
        within time: Duration = .zero, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            let first = time > .zero ? try? await nextRequest(within: time) : nil
            let others = try await takeRest()
            let urls = (first.map { [$0.url] } ?? []) + others
            guard !urls.isEmpty else { return }
            let list = urls.map { "\n  \($0)" }.joined()
            Issue.record("\(id) got requests that the test does not expect:\(list)", sourceLocation: sourceLocation)
        } catch {
            Issue.record("The requests at \(id) are unknown: \(error).", sourceLocation: sourceLocation)
        }
    }
}

/// A request as an expectation compares and prints it.
struct RequestText: Equatable {
    private let url: [UInt8]
    /// For each item, its representations; `nil` if the payload does not matter.
    private let items: [[Content]]?

    private struct Content: Equatable {
        let type: ContentType
        let bytes: [UInt8]

        /// The type with the value, if that is a text of at most 1,000 bytes, or else with its size.
        var text: String {
            guard bytes.count <= 1_000, let text = String(validating: bytes, as: UTF8.self),
                text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control || $0 == "\n" })
            else { return "\(type), \(bytes.count) bytes" }
            return "\(type), “\(text)”"
        }
    }

    init(_ url: String, _ items: [PasteboardItem]?) {
        self.url = Array(url.utf8)
        self.items = items?.map { $0.representations.map { Content(type: $0.type, bytes: $0.value.content) } }
    }

    /// The URL, and each item in a line of its own.
    func lines(_ name: String) -> String {
        let heads = items.map { $0.isEmpty ? ["no items"] : $0.map { $0.map(\.text).joined(separator: "; ") } } ?? []
        return "  \(name): \(String(decoding: url, as: UTF8.self))" + heads.map { "\n    \($0)" }.joined()
    }
}
