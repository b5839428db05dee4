import Glibc

/// A reader of untrusted bytes, and what must hold for any bytes.
protocol FuzzTarget {
    static var name: String { get }
    /// Calls ``broken(_:)`` if something does not hold.
    static func check(_ input: [UInt8])
}

/// Reports what does not hold for the present input, and aborts the process, so that the fuzzer keeps the input.
func broken(_ sentence: String) -> Never {
    print("broken: \(sentence)")
    fflush(nil)
    abort()
}

/// Bytes are taken from the front of an input, to make choices.
struct InputReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next bytes, as many as there are, up to `count`.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func number() -> Int64 {
        bytes(8).enumerated().reduce(0) { $0 | Int64(bitPattern: UInt64($1.element) << (8 * $1.offset)) }
    }
}

/// Runs one target: in a fuzzing build with libFuzzer and its options, otherwise for each of the given inputs.
enum Fuzzer {
    #if FUZZING
        private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

        @_silgen_name("LLVMFuzzerRunDriver")
        private static func drive(
            _ count: UnsafeMutablePointer<CInt>,
            _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ one: Callback
        ) -> CInt

        // libFuzzer's callback has no context. It is set once, before the callback is used.
        nonisolated(unsafe) private static var target: (any FuzzTarget.Type)?

        /// libFuzzer ignores the option `--target`, but passes it on to the processes that it starts.
        static func run(_ target: any FuzzTarget.Type) -> CInt {
            self.target = target
            var (count, words) = (CommandLine.argc, CommandLine.unsafeArgv)
            return drive(&count, &words) { bytes, count in
                Fuzzer.target?.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        }
    #else
        static func run(_ target: any FuzzTarget.Type) -> CInt {
            let inputs = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("-") }.flatMap(files)
            for path in inputs {
                guard let input = content(path) else {
                    print("cannot read \(path)")
                    return 66
                }
                // The last line that was printed before a crash names the input.
                print(path)
                fflush(nil)
                target.check(input)
            }
            print("\(inputs.count) inputs of \(target.name) are right")
            return 0
        }

        /// The files in a folder, sorted; or the path itself.
        private static func files(_ path: String) -> [String] {
            guard let folder = opendir(path) else { return [path] }
            defer { closedir(folder) }
            var names: [String] = []
            while let entry = readdir(folder) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                )
            }
            return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(path)/\($0)" }
        }

        private static func content(_ path: String) -> [UInt8]? {
            guard let file = fopen(path, "r") else { return nil }
            defer { fclose(file) }
            var content: [UInt8] = []
            var block = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = fread(&block, 1, block.count, file), count > 0 { content += block[..<count] }
            return content
        }
    #endif
}
