package import Foundation

/// The frames of a desktop's windows and the position of its pointer: plain rectangles and a point, without boxing.
///
/// As JSON, each number is a string of the fewest digits that identify it, so every number comes back bit for bit:
/// `{"frames":[[["0.0","25.5"],["640.0","480.0"]]],"pointer":["12.0","-0.0"]}`.
package struct WindowFrames: Codable, Sendable {
    package var frames: [CGRect]
    package var pointer: CGPoint?

    package init(frames: [CGRect], pointer: CGPoint? = nil) { (self.frames, self.pointer) = (frames, pointer) }

    /// All numbers: x, y, width and height of each frame, then x and y of the pointer.
    package var numbers: [Double] {
        frames.flatMap(\.numbers) + (pointer.map(\.numbers) ?? [])
    }

    /// Returns the frames and the pointer moved into an area; see ``CGRect/moved(into:)``.
    package func moved(into area: CGRect) -> WindowFrames {
        WindowFrames(frames: frames.map { $0.moved(into: area) }, pointer: pointer.map { $0.moved(into: area) })
    }
}

extension WindowFrames {
    /// Reads exactly the form that `Encodable` writes. `CGRect` itself would ignore further numbers.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        frames = try values.decode([Pair<Pair<Number>>].self, forKey: .frames).map { frame in
            let (origin, size) = (frame.first, frame.second)
            return CGRect(
                x: origin.first.value, y: origin.second.value, width: size.first.value, height: size.second.value)
        }
        pointer = try values.decodeIfPresent(Pair<Number>.self, forKey: .pointer).map {
            CGPoint(x: $0.first.value, y: $0.second.value)
        }
    }
}

/// An array of two elements.
private struct Pair<Element: Decodable>: Decodable {
    let first, second: Element

    init(from decoder: any Decoder) throws {
        var elements = try decoder.unkeyedContainer()
        (first, second) = (try elements.decode(Element.self), try elements.decode(Element.self))
        guard elements.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: elements, debugDescription: "the array has more than 2 elements")
        }
    }
}

/// A JSON number, or a string that ``Double/init(decimal:)`` reads.
private struct Number: Decodable {
    let value: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            value = try container.decode(Double.self)
            return
        }
        guard let number = Double(decimal: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text.prefix(100))” is not a number")
        }
        value = number
    }
}

extension Double {
    /// Reads decimal digits, `inf` or `-inf`, as frames.py does: Swift alone also reads `0x1p3` and `nan`. A number that
    /// is too large is rejected, because it would become infinite.
    package init?(decimal text: some StringProtocol) {
        let isInfinite = text == "inf" || text == "-inf"
        guard isInfinite || text.allSatisfy("+-.0123456789eE".contains), let number = Double(text),
            number.isInfinite == isInfinite
        else { return nil }
        self = number
    }
}

extension CGRect {
    package var numbers: [Double] { origin.numbers + [Double(size.width), Double(size.height)] }

    /// Returns the frame, moved by the shortest distance so that all of it is in the area. A frame that is larger than the
    /// area is shrunk. A frame that is already in the area is unchanged.
    package func moved(into area: CGRect) -> CGRect {
        let (x, width) = fitted(origin.x, size.width, into: area.origin.x, area.size.width)
        let (y, height) = fitted(origin.y, size.height, into: area.origin.y, area.size.height)
        return CGRect(x: x, y: y, width: width, height: height)
    }
}

extension CGPoint {
    package var numbers: [Double] { [Double(x), Double(y)] }

    /// Returns the nearest point in the area.
    package func moved(into area: CGRect) -> CGPoint {
        CGRect(origin: self, size: .zero).moved(into: area).origin
    }
}

/// Fits a range, whose length may be negative, into another one.
private func fitted(
    _ start: CGFloat, _ length: CGFloat, into areaStart: CGFloat, _ areaLength: CGFloat
) -> (start: CGFloat, length: CGFloat) {
    let first = length < 0 ? start + length : start
    let (fitting, areaEnd) = (min(length < 0 ? -length : length, areaLength), areaStart + areaLength)
    // If infinities have cancelled each other, `first` is not a number, and no comparison is true.
    let moved = first + fitting <= areaEnd ? first : areaEnd - fitting
    return (max(areaStart, moved), fitting)
}
