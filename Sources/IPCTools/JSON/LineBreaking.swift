extension Unicode.Scalar {
    /// Whether it is a control (C0, DEL, C1) or a separator of lines or paragraphs: some reader would end a line there,
    /// or a terminal would obey it.
    var breaksLines: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }

    /// `\u` and four hexadecimal digits; only for what ``breaksLines``.
    var escaped: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
