/// Random numbers determined by a seed and an index (SplitMix64), so that each input can be reproduced on its own.
struct Randomness {
    private var state: UInt64

    init(seed: UInt64, index: UInt64) {
        state = seed &* 0x9e37_79b9_7f4a_7c15 ^ index &* 0xd134_2543_de82_ef95
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, a limit.
    mutating func below(_ limit: Int) -> Int { Int((next() >> 33) % UInt64(limit)) }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 40) }

    /// Randomly true, once in `times` on average; never for 0.
    mutating func once(in times: Int) -> Bool { times > 0 && below(times) == 0 }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
