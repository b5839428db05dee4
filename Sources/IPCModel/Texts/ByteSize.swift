package enum ByteSize {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// Returns a size such as `512 B`, `1.5 KiB` or `1.0 GiB`, in powers of 1,024, with one decimal place.
    package static func text(_ bytes: UInt64) -> String {
        guard bytes >= 1_024 else { return "\(bytes) B" }
        var value = Double(bytes) / 1_024
        var place = 0
        // A value that would round to 1024.0 uses the next unit.
        while value >= 1_023.95, place < units.count - 1 {
            value /= 1_024
            place += 1
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[place])"
    }
}
