import Foundation

/// The header of a WAV file: RIFF chunks, in little-endian order, with PCM samples.
package struct WAVHeader: Sendable, Hashable {
    /// Frames per second. A frame has one sample for each channel.
    package let frameRate: UInt32
    package let frames: UInt32

    /// The length, rounded to the nearest millisecond.
    package var milliseconds: UInt32 {
        UInt32(clamping: (UInt64(frames) * 1_000 + UInt64(frameRate) / 2) / UInt64(frameRate))
    }

    /// Reads the chunks up to the samples, but not the samples.
    /// - Returns: `nil` if something is missing, cut off or contradictory, or if the file cannot be read.
    package init?(ofFile path: String) {
        guard let file = try? FileHandle(forReadingFrom: URL(filePath: path)) else { return nil }
        defer { try? file.close() }
        func read(_ count: Int, at offset: UInt64) -> [UInt8]? {
            guard (try? file.seek(toOffset: offset)) != nil, let data = try? file.read(upToCount: count) else {
                return nil
            }
            return data.count == count ? [UInt8](data) : nil
        }
        guard let riff = read(12, at: 0), riff.starts(with: "RIFF".utf8), riff[8...].elementsEqual("WAVE".utf8),
            let size = try? file.seekToEnd(), case let end = 8 + UInt64(riff.number(at: 4) as UInt32), end <= size
        else { return nil }
        var (offset, format): (UInt64, [UInt8]) = (12, [])
        while offset + 8 <= end, let chunk = read(8, at: offset) {
            let count: UInt32 = chunk.number(at: 4)
            offset += 8
            guard offset + UInt64(count) <= end else { return nil }
            if chunk.starts(with: "data".utf8) {
                self.init(format: format, byteCount: count)
                return
            }
            if chunk.starts(with: "fmt ".utf8) { format = read(Int(min(count, 16)), at: offset) ?? [] }
            offset += UInt64(count) + UInt64(count % 2)  // Chunks start at even offsets.
        }
        return nil
    }

    /// - Parameter format: the content of the chunk “fmt ”.
    private init?(format: [UInt8], byteCount: UInt32) {
        guard format.count == 16, format.number(at: 0) as UInt16 == 1 else { return nil }
        let (channels, bytesPerFrame, bits): (UInt16, UInt16, UInt16) =
            (format.number(at: 2), format.number(at: 12), format.number(at: 14))
        (frameRate, frames) = (format.number(at: 4), byteCount / UInt32(max(bytesPerFrame, 1)))
        let sampleBytes = (UInt64(bits) + 7) / 8
        guard channels > 0, frameRate > 0, 1...4 ~= sampleBytes,
            UInt64(bytesPerFrame) == UInt64(channels) * sampleBytes,
            UInt64(format.number(at: 8) as UInt32) == UInt64(frameRate) * UInt64(bytesPerFrame),
            byteCount % UInt32(bytesPerFrame) == 0
        else { return nil }
    }
}

extension [UInt8] {
    fileprivate func number<Integer: FixedWidthInteger>(at offset: Int) -> Integer {
        self[offset..<(offset + Integer.bitWidth / 8)].reversed().reduce(0) { $0 << 8 | Integer($1) }
    }
}
