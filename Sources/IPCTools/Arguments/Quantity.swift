internal import ArgumentParser

package enum Quantity {
    /// Parses an option's argument that must be at least 1.
    /// - Throws: an error that names the valid range.
    package static func parse(_ argument: String) throws -> UInt32 {
        guard let number = UInt32(argument), number > 0 else {
            throw ValidationError("give a number from 1 to \(UInt32.max).")
        }
        return number
    }

    /// Parses an option's argument that may be 0.
    /// - Throws: an error that names the valid range.
    package static func number<Number: FixedWidthInteger & UnsignedInteger>(_ argument: String) throws -> Number {
        guard let number = Number(argument) else { throw ValidationError("give a number from 0 to \(Number.max).") }
        return number
    }
}
