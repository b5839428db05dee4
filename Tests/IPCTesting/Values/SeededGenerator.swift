/// Reproducible random numbers: SplitMix64 (Steele, Lea, Flood, “Fast splittable pseudorandom number generators”,
/// OOPSLA 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The seed passed to `init`; include it in failure messages.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator with the seed in the environment variable `IPC_TEST_SEED`, or else with a random one; prints the
    /// seed and how to reproduce the numbers.
    package static func forTest(_ name: String) -> SeededGenerator {
        let given = environmentVariable("IPC_TEST_SEED").flatMap { UInt64($0) }
        let generator = SeededGenerator(seed: given ?? UInt64.random(in: 0 ... .max))
        print("\(name): IPC_TEST_SEED=\(generator.seed)")
        return generator
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// An independent generator for another task, so that each task's numbers do not depend on scheduling.
    package mutating func split() -> SeededGenerator {
        SeededGenerator(seed: next())
    }
}
