/// A signature, converted into steps for skipping values. The start of a structure is a step that only skips padding,
/// and structures that start at the same offset share that step. So of two consecutive steps, at least one skips a byte
/// of the message, and deeply nested types do not cost more time than the message's length allows.
struct TypeSteps {
    struct Step {
        /// The type's character in the signature.
        let code: UInt8
        /// The container depth after this step, counted within the signature.
        var depth: UInt8
        /// For an array of unpadded numbers, which is a single step: the container depth inside an element.
        var innerDepth: UInt8 = 0
        /// For an array: the alignment of its elements.
        var alignment: UInt8 = 1
        /// For bytes: how many this step skips. For an array of unpadded numbers: the size of an element. Otherwise 0.
        var size: UInt16 = 0
        /// For an array: the index of the first step after the steps of its elements.
        var end: Int32 = 0
    }

    /// A stack. Only the first `count` steps are valid.
    private var steps: [Step] = []
    private(set) var count = 0
    /// The index of the first step that the next type may extend. It is set at each start and end of an array, and at
    /// the start of a signature.
    private var barrier = 0

    subscript(step: Int) -> Step { steps[step] }

    mutating func removeLast(to count: Int) { self.count = count }

    private mutating func add(_ step: Step) {
        if count < steps.count { steps[count] = step } else { steps.append(step) }
        count += 1
    }

    /// Whether a type extends the last step instead of adding a new one.
    private func continues(_ code: UInt8) -> Bool { count > barrier && steps[count - 1].code == code }

    /// Adds the steps of a valid signature.
    mutating func append(_ types: ReceivedBytes) {
        barrier = count
        var at = 0
        while at < types.count { append(types, &at, depth: 0) }
    }

    private mutating func append(_ types: ReceivedBytes, _ at: inout Int, depth: UInt8) {
        let code = types[at]
        at += 1
        switch code {
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            if continues(UInt8(ascii: "(")) {
                steps[count - 1].depth = depth + 1
            } else {
                add(Step(code: UInt8(ascii: "("), depth: depth + 1))
            }
            while types[at] != UInt8(ascii: ")"), types[at] != UInt8(ascii: "}") {
                append(types, &at, depth: depth + 1)
            }
            at += 1
        case UInt8(ascii: "a"): appendArray(types, &at, depth: depth)
        case UInt8(ascii: "y"):
            if continues(code) {
                steps[count - 1].size += 1
            } else {
                add(Step(code: code, depth: depth, size: 1))
            }
        default: add(Step(code: code, depth: code == UInt8(ascii: "v") ? depth + 1 : depth))
        }
    }

    private mutating func appendArray(_ types: ReceivedBytes, _ at: inout Int, depth: UInt8) {
        let place = count
        let alignment = UInt8(MessageWriter.alignment(of: types[at]))
        add(Step(code: UInt8(ascii: "a"), depth: depth + 1, alignment: alignment))
        barrier = count
        append(types, &at, depth: depth + 1)
        if let size = size(from: place + 1) {
            // Any bytes are valid elements of this array, so one step checks only the array's length.
            steps[place].size = size
            steps[place].innerDepth = steps[place + 1].depth
            count = place + 1
        }
        steps[place].end = Int32(count)
        barrier = count
    }

    /// The size of an array's element if every byte pattern is a valid element, as for unpadded numbers; else `nil`.
    private func size(from first: Int) -> UInt16? {
        var size: UInt16 = 0
        for step in steps[first..<count] {
            switch step.code {
            case UInt8(ascii: "("): guard size == 0 else { return nil }
            case UInt8(ascii: "y"): size += step.size
            case UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"),
                UInt8(ascii: "t"), UInt8(ascii: "d"):
                let own = UInt16(MessageWriter.alignment(of: step.code))
                guard size % own == 0 else { return nil }
                size += own
            default: return nil
            }
        }
        let isAligned = steps[first].code != UInt8(ascii: "(") || size % 8 == 0
        return isAligned ? size : nil
    }
}
