import IPCBroker
import IPCModel
import Testing

/// Compares words and numbers that the documents promise with those in the code.
@Suite struct DocumentedWordsTests {
    private func text(_ interface: String, _ member: String? = nil) throws -> String {
        let document = try #require(try InterfaceDocument(ProjectFiles.document(of: interface))[interface])
        let comment = try #require(member.map { document.comments[$0] } ?? document.comment)
        return comment.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The limits for which a document gives a default, with that default.
    private func toldLimits() throws -> [String: UInt64] {
        var told: [String: UInt64] = [:]
        for row in try text("org.swiftipc.Broker1", "GetLimits").matches(
            of: /\* ((?:``[a-z-]+``(?:, )?)+) \(default ([0-9]+)/)
        {
            for name in row.1.matches(of: /``([a-z-]+)``/) { told[String(name.1)] = UInt64(row.2) }
        }
        return told
    }

    @Test func `limits have the documented defaults`() throws {
        let told = try toldLimits()
        #expect(told.count >= 12)
        let real = Limits().dictionary
        for (name, value) in told { #expect(real[name] == value, "\(name)") }
        // Negative control: a changed default differs from the documented one.
        var changed = Limits()
        try changed.set("history-most", 99)
        #expect(changed.dictionary["history-most"] != told["history-most"])
    }

    @Test func `every documented limit exists`() throws {
        let named = try text("org.swiftipc.Broker1", "GetLimits").matches(of: /``([a-z]+(?:-[a-z]+)*)``/).map {
            String($0.1)
        }
        let known = Set(Limits().dictionary.keys).union([
            "annotation", "timeout", "id", "window", "parent", "resync",
        ])
        #expect(Set(named).subtracting(known) == [])
    }

    @Test func `features match the document`() throws {
        let told = try text("org.swiftipc.Broker1", "Features").matches(of: /\* ``([a-z-]+)``:/).map { String($0.1) }
        #expect(told == BrokerConfiguration.features)
        #expect(told + ["telepathy"] != BrokerConfiguration.features)
    }

    @Test func `reserved schemes match the document`() throws {
        let list = try #require(try text("org.swiftipc.Schemes1").firstMatch(of: /``allow-reserved``: ([a-z, -]+)\./))
        #expect(Set(list.1.split(separator: ", ").map(String.init)) == URLScheme.reserved)
    }

    @Test func `kinds of claims match the document`() throws {
        let told = try text("org.swiftipc.Schemes1").matches(of: /\* ``([a-z]+)``:/).map { String($0.1) }
        #expect(Set(told) == Set(SchemeClaim.Kind.allCases.map(\.rawValue)))
    }

    @Test func `reasons of a resolution match the document`() throws {
        let told = try text("org.swiftipc.Schemes1", "ResolveURL").matches(of: /``([a-z]+(?:-[a-z]+)*)``/).map {
            String($0.1)
        }
        // `ResolveURL` never returns the reason `pinned`: only a call that opens a URL can choose its handler.
        #expect(Set(Resolution.Reason.allCases.map(\.rawValue)).subtracting(["pinned"]).subtracting(told) == [])
    }

    @Test func `steps of a trace match the document`() throws {
        let told = try text("org.swiftipc.URLs1", "TraceRequest").matches(of: /\* ``([a-z]+(?:-[a-z]+)*)``:/).map {
            String($0.1)
        }
        #expect(told == TraceStep.Kind.allCases.map(\.rawValue))
        #expect(told.dropLast() != TraceStep.Kind.allCases.map(\.rawValue)[...])
    }

    @Test func `outcomes of a request match the document`() throws {
        let text = try text("org.swiftipc.URLs1")
        let told = text.matches(of: /\* ``([a-z]+(?:-[a-z]+)*)``:/).map { String($0.1) }
        #expect(Set(told) == Set(Outcome.allCases.filter(\.isEnd).map(\.rawValue)))
        #expect(text.contains("``queued`` is the only outcome that is not final"))
    }

    @Test(arguments: ["GetRequest", "ListRequests"])
    func `states of a request and words of the filter are documented`(member: String) throws {
        let told = try text("org.swiftipc.URLs1", member).matches(of: /``([a-z]+(?:-[a-z]+)*)``/).map { String($0.1) }
        #expect(Set(["waiting", "delivered", "ended", "queued"]).subtracting(told) == [])
        guard member == "ListRequests" else { return }
        #expect(Set(Outcome.allCases.map(\.rawValue)).subtracting(told) == [])
    }

    @Test func `strengths of a source match the rules`() throws {
        let rules = try ProjectFiles.document(of: "org.swiftipc.Broker1").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let told = rules.matches(of: /"([a-z]+)" \(/).map { String($0.1) }
        #expect(Set(SourceStrength.allCases.map(\.rawValue)).subtracting(told) == [])
    }
}
