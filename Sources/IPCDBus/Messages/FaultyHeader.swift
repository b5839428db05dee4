extension MessageHeader {
    /// Reads a header that breaks the protocol, up to the first field whose length is unclear. This is enough to reject
    /// a call, to fail the call that the message answers, and to find the message's descriptors.
    /// - Parameter bytes: a whole message, or only its header.
    init(faulty bytes: UnsafeRawBufferPointer) {
        self.init()
        isBigEndian = bytes[0] == Self.bigEndian
        (kind, flags) = (bytes[1], bytes[2])
        serial = Self.number(bytes, 8, isBigEndian)
        let end = min(bytes.count, Self.fixedLength + Int(Self.number(bytes, 12, isBigEndian)))
        var at = Self.fixedLength
        while at + 6 <= end, bytes[at + 1] == 1, bytes[at + 3] == 0 {
            let (field, type) = (Field(rawValue: bytes[at]), bytes[at + 2])
            let isSignature = type == UInt8(ascii: "g")
            let start = at + (isSignature ? 5 : 8)
            guard start <= end else { return }
            let number = isSignature ? UInt32(bytes[at + 4]) : Self.number(bytes, at + 4, isBigEndian)
            var fieldEnd = start
            switch type {
            case UInt8(ascii: "u"):
                if field == .replySerial { replySerial = number }
                if field == .descriptorCount { descriptorCount = Int(number) }
            case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
                guard Int(number) < end - start else { return }
                let text = String(decoding: bytes[start..<(start + Int(number))], as: UTF8.self)
                if field == .sender { sender = (try? BusName(text))?.text }
                fieldEnd = start + Int(number) + 1
            default: return
            }
            at = (fieldEnd + 7) & ~7
        }
    }
}
