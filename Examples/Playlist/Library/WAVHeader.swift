import Foundation

/// The header of a WAV file: RIFF chunks, in little-endian order, with PCM samples.
package struct WAVHeader: Sendable, Hashable {
    /// Frames per second. A frame has one sample for each channel.
    package let frameRate: Int
    package let frames: Int

    /// The length, rounded to the nearest millisecond.
    package var milliseconds: UInt32 { UInt32(clamping: (frames * 1_000 + frameRate / 2) / frameRate) }

    /// Reads the chunks up to the samples, but not the samples.
    /// - Returns: `nil` if the header is incomplete or contradictory, or if the file cannot be read.
    package init?(ofFile path: String) {
        guard let file = try? FileHandle(forReadingFrom: URL(filePath: path)) else { return nil }
        func read(_ count: Int, at offset: Int) -> [UInt8]? {
            try? file.seek(toOffset: UInt64(offset))
            let data = try? file.read(upToCount: count)
            return data?.count == count ? data.map([UInt8].init) : nil
        }
        guard let riff = read(12, at: 0), riff.starts(with: "RIFF".utf8), riff[8...].elementsEqual("WAVE".utf8),
            let size = try? file.seekToEnd(), case let end = 8 + riff.number(at: 4, 4), end <= size
        else { return nil }
        var (offset, format): (Int, [UInt8]) = (12, [])
        while offset + 8 <= end, let chunk = read(8, at: offset) {
            let count = chunk.number(at: 4, 4)
            offset += 8
            guard offset + count <= end else { return nil }
            if chunk.starts(with: "data".utf8) {
                self.init(format: format, byteCount: count)
                return
            }
            if chunk.starts(with: "fmt ".utf8) { format = read(min(count, 16), at: offset) ?? [] }
            offset += count + count % 2  // Chunks start at even offsets.
        }
        return nil
    }

    /// - Parameter format: the content of the chunk “fmt ”.
    private init?(format: [UInt8], byteCount: Int) {
        guard format.count == 16, format.number(at: 0, 2) == 1 else { return nil }
        let (channels, bytesPerFrame) = (format.number(at: 2, 2), format.number(at: 12, 2))
        let sampleBytes = (format.number(at: 14, 2) + 7) / 8
        frameRate = format.number(at: 4, 4)
        guard channels > 0, frameRate > 0, 1...4 ~= sampleBytes, bytesPerFrame == channels * sampleBytes,
            format.number(at: 8, 4) == frameRate * bytesPerFrame, byteCount % bytesPerFrame == 0
        else { return nil }
        frames = byteCount / bytesPerFrame
    }
}

extension [UInt8] {
    fileprivate func number(at offset: Int, _ count: Int) -> Int {
        self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
