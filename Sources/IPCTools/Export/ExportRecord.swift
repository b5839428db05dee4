package import IPCModel

/// One line of `store.jsonl`, the table of contents of an exported store.
///
/// The first line names the format, and the last one the number of lines. Between them are first all pasteboards, each
/// followed by its versions from the oldest to the current one, and then the claims and the user's choices of handlers.
package enum ExportRecord: Sendable, Hashable {
    /// The number of the format, which increases with every change that an older tool would misread.
    case header(format: UInt64)
    case pasteboard(name: String, isPersistent: Bool, historyLimit: UInt32)
    /// A version of the pasteboard that the nearest `pasteboard` record before it names.
    case version(Version)
    /// A claim that stays when its application exits.
    case registration(scheme: String, application: String)
    /// The user's choice of a handler for a scheme.
    case choice(scheme: String, application: String)
    /// The last line: the number of lines before it, the digest of their bytes, and the store's highest change count.
    case end(lines: UInt64, digest: String, changeCount: UInt64)

    static let format: UInt64 = 1

    package struct Version: Sendable, Hashable {
        package let changeCount: UInt64
        /// Milliseconds since 1970 UTC.
        package let time: UInt64?
        package let expires: UInt64?
        package let application: String
        package let strength: String
        /// Why the export lacks the content: `sensitive`, `once`, `damaged` or `unreadable`; nil if it has the content.
        package let leftOut: String?
        package let items: [[Value]]

        package init(
            changeCount: UInt64, time: UInt64?, expires: UInt64?, application: String, strength: String,
            leftOut: String?, items: [[Value]]
        ) {
            (self.changeCount, self.time, self.expires) = (changeCount, time, expires)
            (self.application, self.strength) = (application, strength)
            (self.leftOut, self.items) = (leftOut, items)
        }
    }

    /// A representation. A small value is in the line itself, a large one in a separate file.
    package struct Value: Sendable, Hashable {
        package let type: String
        package let content: Content

        package enum Content: Sendable, Hashable {
            case text(String)
            case bytes([UInt8])
            /// The file `blobs/<digits of the digest>`, and whether the value is text.
            case blob(digest: String, byteCount: UInt64, isText: Bool)
        }
    }
}

extension ExportRecord {
    package var json: JSONValue {
        switch self {
        case .header(let format): .object(["record": "swift-ipc-export", "format": .count(format)])
        case .pasteboard(let name, let isPersistent, let historyLimit):
            .object([
                "record": "pasteboard", "pasteboard": .string(name), "persistent": .boolean(isPersistent),
                "history-limit": .unsigned(historyLimit),
            ])
        case .version(let version):
            .object([
                "record": "version", "change-count": .count(version.changeCount),
                "time": version.time.map { .count($0) }, "expires": version.expires.map { .count($0) },
                "source-application": .string(version.application), "source-strength": .string(version.strength),
                "left-out": version.leftOut.map { .string($0) },
                "items": .array(version.items.map { .array($0.map(\.json)) }),
            ])
        case .registration(let scheme, let application):
            .object(["record": "registration", "scheme": .string(scheme), "application": .string(application)])
        case .choice(let scheme, let application):
            .object(["record": "default", "scheme": .string(scheme), "application": .string(application)])
        case .end(let lines, let digest, let changeCount):
            .object([
                "record": "end", "lines": .count(lines), "digest": .string(digest), "change-count": .count(changeCount),
            ])
        }
    }

    /// Parses a line; nil if it is not a complete record.
    package init?(_ json: JSONValue) {
        switch json["record"]?.string {
        case "swift-ipc-export":
            guard let format = json["format"]?.count else { return nil }
            self = .header(format: format)
        case "pasteboard":
            guard let name = json["pasteboard"]?.string, let isPersistent = json["persistent"]?.boolean,
                let limit = json["history-limit"]?.count.flatMap(UInt32.init(exactly:))
            else { return nil }
            self = .pasteboard(name: name, isPersistent: isPersistent, historyLimit: limit)
        case "version":
            guard let version = Version(json) else { return nil }
            self = .version(version)
        case "registration":
            guard let scheme = json["scheme"]?.string, let application = json["application"]?.string else { return nil }
            self = .registration(scheme: scheme, application: application)
        case "default":
            guard let scheme = json["scheme"]?.string, let application = json["application"]?.string else { return nil }
            self = .choice(scheme: scheme, application: application)
        case "end":
            guard let lines = json["lines"]?.count, let digest = json["digest"]?.string,
                let changeCount = json["change-count"]?.count
            else { return nil }
            self = .end(lines: lines, digest: digest, changeCount: changeCount)
        default: return nil
        }
    }
}

extension ExportRecord.Version {
    fileprivate init?(_ json: JSONValue) {
        guard let changeCount = json["change-count"]?.count, let application = json["source-application"]?.string,
            let strength = json["source-strength"]?.string, let rows = json["items"]?.array
        else { return nil }
        for key in ["time", "expires"] where json[key] != nil && json[key]?.count == nil { return nil }
        var items: [[ExportRecord.Value]] = []
        for row in rows {
            guard let values = row.array?.map(ExportRecord.Value.init), !values.contains(nil) else { return nil }
            items.append(values.compactMap(\.self))
        }
        self.init(
            changeCount: changeCount, time: json["time"]?.count, expires: json["expires"]?.count,
            application: application, strength: strength, leftOut: json["left-out"]?.string, items: items)
    }
}

extension ExportRecord.Value {
    /// The maximum size, in bytes, of a value that is stored in the line itself.
    static let mostInline = 4_096

    fileprivate var json: JSONValue {
        switch content {
        case .text(let text): .object(["type": .string(type), "text": .string(text)])
        case .bytes(let bytes): .object(["type": .string(type), "base64": .string(Base64.encode(bytes))])
        case .blob(let digest, let byteCount, let isText):
            .object([
                "type": .string(type), "digest": .string(digest), "size": .count(byteCount),
                "kind": isText ? "text" : "bytes",
            ])
        }
    }

    fileprivate init?(_ json: JSONValue) {
        guard let type = json["type"]?.string else { return nil }
        self.type = type
        if let text = json["text"]?.string {
            content = .text(text)
        } else if let bytes = json["base64"]?.string.flatMap(Base64.decode) {
            content = .bytes(bytes)
        } else {
            guard let digest = json["digest"]?.string, let size = json["size"]?.count,
                let kind = json["kind"]?.string, kind == "text" || kind == "bytes"
            else { return nil }
            content = .blob(digest: digest, byteCount: size, isText: kind == "text")
        }
    }
}
