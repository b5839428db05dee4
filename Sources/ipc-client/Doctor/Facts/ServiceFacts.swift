import IPC
import IPCDesktop

/// A D-Bus service file (D-Bus specification, "Message Bus Starting Services").
struct ServiceFacts: Sendable {
    static let group = "D-BUS Service"

    var path: String
    var name: String?
    /// The words of `Exec`; nil if it is missing or cannot be read.
    var words: [String]?
    var program: FileFacts?
    /// The path of the program, with all symbolic links resolved.
    var programResolved: String?

    init(path: String, bytes: [UInt8]) {
        self.path = path
        let file = KeyFile(bytes: bytes)
        name = file.value(of: "Name", in: Self.group)
        words = file.value(of: "Exec", in: Self.group).flatMap(Self.words)
    }

    /// Splits a command into words. A bus does not interpret shell syntax, so a command that contains shell syntax is
    /// split at spaces.
    private static func words(_ line: String) -> [String]? {
        do throws(CommandWords.Invalid) { return try CommandWords(line).words } catch .needsShell {
            return line.split(separator: " ").map(String.init)
        } catch { return nil }
    }

    /// The bus name that the file's name implies.
    var statedName: String {
        let name = FilePlace.name(of: path)
        return name.hasSuffix(".service") ? String(name.dropLast(8)) : name
    }
}

extension Facts {
    /// Reads the service files of the broker and of applications with claims, in the order in which a session bus reads
    /// them (dbus-daemon(1), "standard_session_servicedirs"). Only the first file for each name counts.
    mutating func readServices() {
        let knownNames = Set(claims.map(\.application)).union([BrokerFacts.name])
        let places = [directories.runtime].compactMap(\.self) + directories.data
        var seen: Set<String> = []
        for folder in places.map({ "\($0)/\(ServiceFile.folder)" }) {
            for file in Folder.names(folder).sorted() where file.hasSuffix(".service") {
                guard let bytes = FilePlace.bytes(of: "\(folder)/\(file)") else { continue }
                var service = ServiceFacts(path: "\(folder)/\(file)", bytes: bytes)
                guard knownNames.contains(service.statedName) || service.name.map(knownNames.contains) ?? false,
                    service.name.map({ seen.insert($0).inserted }) ?? true
                else { continue }
                if let program = service.words?.first {
                    service.program = .read(program)
                    service.programResolved = FilePlace.resolved(program)
                }
                services.append(service)
            }
        }
    }
}
