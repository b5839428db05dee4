#if DEBUG || FUZZING
    import IPCModel

    @testable import IPC

    /// A URL: its bytes stay as they are in every form that passes it on (I20), and its parts are found by bytes.
    enum URLTarget: FuzzTarget {
        static let name = "url"

        static func check(_ input: [UInt8]) {
            guard let text = String(validating: input, as: UTF8.self) else { return }
            unchanged(text, QueriedURL(text).text, "splitting")
            if let callback = XCallbackURL(text) { unchanged(text, callback.text, "x-callback-url") }
            guard let url = try? URLText(text) else {
                if (try? URLParts(of: text)) != nil { broken("a URL that cannot be opened has parts") }
                return
            }
            unchanged(text, url.text, "checking")
            checkScheme(url)
            if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { broken("the URL has a control character") }
            guard let item = try? PasteboardItem.url(text), let read = item.url else { broken("it is no item") }
            unchanged(text, read, "a pasteboard")
            checkParameters(text)
        }

        private static func unchanged(_ text: String, _ passed: String, _ place: String) {
            guard PlantedDefect.passed(passed).utf8.elementsEqual(text.utf8) else { broken("\(place) changes the URL") }
        }

        private static func checkScheme(_ url: URLText) {
            let scheme = url.scheme
            guard url.text.utf8.starts(with: (scheme.spelling + ":").utf8) else { broken("the scheme is not in front") }
            guard let canonical = try? URLScheme(scheme.canonical), canonical == scheme,
                canonical.canonical == scheme.canonical, canonical.isReserved == scheme.isReserved
            else { broken("the canonical form of \(scheme) is another scheme") }
        }

        private static func checkParameters(_ text: String) {
            guard let parts = try? URLParts(of: text) else { broken("a URL that can be opened has no parts") }
            let added: URLParameters = ["x-success": "demo:é/?#&=%20+", "": "", "a&b": "\u{301}"]
            let longer = added.added(to: text)
            guard URLParameters(of: longer).elementsEqual(Array(parts.parameters) + added) else {
                broken("adding parameters to the URL changes others: \(longer)")
            }
            guard QueriedURL(longer).head.utf8.elementsEqual(QueriedURL(text).head.utf8) else {
                broken("the head changes")
            }
            guard let after = try? URLParts(of: longer), after.host == parts.host, after.path == parts.path else {
                broken("adding parameters changes the host or the path")
            }
            _ = CallbackPlace.isOne(text)
            if let callback = XCallbackURL(text) {
                for kind in XCallbackURL.Callback.allCases {
                    if let url = callback.url(of: kind), !callback.namesCallbacks { broken("\(url) is not named") }
                }
            }
        }
    }

    /// Percent-encoding: every text survives it, and what can be decoded can be encoded.
    enum PercentTarget: FuzzTarget {
        static let name = "percent"

        static func check(_ input: [UInt8]) {
            guard let text = String(validating: input, as: UTF8.self) else { return }
            let encoded = PercentEncoding.encode(text)
            guard encoded.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "%") }) else {
                broken("\(encoded) is not encoded")
            }
            guard PercentEncoding.decode(encoded)?.utf8.elementsEqual(text.utf8) == true else {
                broken("\(encoded) is lost")
            }
            if let decoded = PercentEncoding.decode(text) {
                guard PercentEncoding.decode(PercentEncoding.encode(decoded))?.utf8.elementsEqual(decoded.utf8) == true
                else {
                    broken("what is decoded from \(text) is lost")
                }
            }
            var parameters = URLParameters(query: text)
            guard URLParameters(query: parameters.query) == parameters else {
                broken("\(parameters.query) is read otherwise")
            }
            if let name = parameters.first?.name {
                guard parameters[name] == parameters.first?.value else { broken("the first \(name) is not found") }
                let others = parameters.count - parameters.all(named: name).count
                parameters[name] = "new"
                guard parameters.count == others + 1, parameters[name] == "new" else {
                    broken("\(name) is not replaced")
                }
            }
        }
    }
#endif
