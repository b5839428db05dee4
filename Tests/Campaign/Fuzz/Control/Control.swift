import Glibc

/// A target with a planted defect: it aborts on inputs that begin with six certain bytes, which are one input in 2^48.
/// Only a fuzzer that learns from the coverage of earlier inputs finds one.
@main
enum Control: FuzzTarget {
    static let name = "control"

    static func check(_ input: [UInt8]) {
        var reader = InputReader(input)
        guard reader.byte() == UInt8(ascii: "I") else { return }
        guard reader.byte() == UInt8(ascii: "P") else { return }
        guard reader.byte() == UInt8(ascii: "C") else { return }
        guard reader.byte() == UInt8(ascii: ":") else { return }
        guard reader.byte() == UInt8(ascii: "2") else { return }
        guard reader.byte() == UInt8(ascii: "3") else { return }
        broken("the planted defect is found")
    }

    static func main() { exit(Fuzzer.run(Control.self)) }
}
