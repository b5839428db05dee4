import Glibc

/// `fuzz-targets --target=NAME INPUT…` checks each input, a file or a folder of files. In a fuzzing build (`make fuzz`),
/// libFuzzer's options may precede the folders, and it generates more inputs from those in the folders.
@main
enum FuzzTargets {
    #if DEBUG || FUZZING
        private static var all: [any FuzzTarget.Type] {
            [
                MessageTarget.self, StreamTarget.self, AuthenticationTarget.self, AddressTarget.self,
                SignatureTarget.self,
                ContractTarget.self, PolicyTarget.self, URLTarget.self, PercentTarget.self, ContentTypeTarget.self,
                JSONTarget.self, KeyFileTarget.self, CommandTarget.self, ConfigurationTarget.self, ExportTarget.self,
                RowTarget.self,
            ]
        }
    #else
        // A release build lacks the internals of the modules.
        private static var all: [any FuzzTarget.Type] { [] }
    #endif

    static func main() {
        guard let target = all.first(where: { CommandLine.arguments.contains("--target=\($0.name)") }) else {
            print("usage: fuzz-targets --target=NAME INPUT…\nnames: \(all.map { $0.name }.joined(separator: " "))")
            exit(64)
        }
        exit(Fuzzer.run(target))
    }
}

/// A defect on purpose: with `FUZZ_CONTROL=normalize`, texts are normalized on their way, as a careless program would do.
enum PlantedDefect {
    private static let normalizes = getenv("FUZZ_CONTROL").map { String(cString: $0) } == "normalize"

    static func passed(_ text: String) -> String {
        guard normalizes else { return text }
        return text.replacing("%20", with: "+")
    }
}
