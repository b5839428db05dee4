import ArgumentParser
import Foundation
import WindowFrames

extension CGRect {
    static func parsed(_ text: String) throws -> CGRect {
        let numbers = try split(text, into: 4, like: "0,25.5,640,480")
        return CGRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}

extension CGPoint {
    static func parsed(_ text: String) throws -> CGPoint {
        let numbers = try split(text, into: 2, like: "12,30.5")
        return CGPoint(x: numbers[0], y: numbers[1])
    }
}

/// Splits a text into numbers.
private func split(_ text: String, into count: Int, like example: String) throws -> [Double] {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double(decimal: $0) }
    guard words.count == count, numbers.count == count else {
        throw ValidationError("'\(text)' is not \(count) numbers, such as \(example).")
    }
    return numbers
}

extension Double {
    var bitDigits: String {
        let digits = String(bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
