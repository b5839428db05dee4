import Glibc
import IPCDBusOracle

/// `wire-oracle SEED FIRST COUNT` compares COUNT inputs starting at the index FIRST, and exits with 1 at the first
/// difference. With `all` as a fourth argument, it continues, shows three differences of each kind, and counts them.
/// `wire-oracle times MEBIBYTES [KIND]` prints how long it takes to check one message.
@main
enum WireOracle {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        let numbers = words.compactMap { UInt64($0) }
        if words.first == "times", let size = numbers.first { return printTimes(Int(size) << 20) }
        guard numbers.count == 3 else {
            print("usage: wire-oracle SEED FIRST COUNT [all]\n       wire-oracle times MEBIBYTES")
            exit(64)
        }
        let showsAll = words.last == "all"
        var oracle = Oracle(seed: numbers[0])
        var kinds: [String: Int] = [:]
        let start = clock()
        for index in numbers[1]..<(numbers[1] + numbers[2]) {
            guard let difference = oracle.difference(index: index) else { continue }
            kinds[String(difference.reason.prefix(70)), default: 0] += 1
            if kinds[String(difference.reason.prefix(70))]! <= 3 { print(difference) }
            if !showsAll { exit(1) }
        }
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        print(
            "seed \(numbers[0]): \(numbers[2]) inputs in \(Int(seconds)) s, \(oracle.accepted) accepted, \(oracle.rejected) rejected by both"
        )
        for (difference, count) in oracle.intended.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            print("intended: \(count) \(difference)")
        }
        for (kind, count) in kinds.sorted(by: { $0.value > $1.value }) { print("\(count) × \(kind)") }
        exit(kinds.isEmpty ? 0 : 1)
    }

    private static func printTimes(_ size: Int) {
        let name = CommandLine.arguments.dropFirst(3).first
        for kind in CheckTimes.kinds where name == nil || name == "\(kind)" {
            print("\(kind): \(Int(CheckTimes(kind, bytes: size).milliseconds().rounded())) ms")
        }
    }
}
