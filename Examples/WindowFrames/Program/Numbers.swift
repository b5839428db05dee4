import ArgumentParser
import Foundation

extension CGRect {
    static func parsed(_ text: String) throws -> CGRect {
        let numbers = try numbers(4, of: text, like: "0,25.5,640,480")
        return CGRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}

extension CGPoint {
    static func parsed(_ text: String) throws -> CGPoint {
        let numbers = try numbers(2, of: text, like: "12,30.5")
        return CGPoint(x: numbers[0], y: numbers[1])
    }
}

/// Splits a text into numbers. A number that is too large for a Double is rejected, because it would become infinite.
private func numbers(_ count: Int, of text: String, like example: String) throws -> [Double] {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { word in
        Double(word).flatMap { $0.isInfinite && !word.lowercased().contains("inf") ? nil : $0 }
    }
    guard words.count == count, numbers.count == count else {
        throw ValidationError("'\(text)' is not \(count) numbers, such as \(example).")
    }
    guard !numbers.contains(where: \.isNaN) else { throw ValidationError("'\(text)' contains NaN.") }
    return numbers
}

extension Double {
    var bitDigits: String {
        let digits = String(bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
