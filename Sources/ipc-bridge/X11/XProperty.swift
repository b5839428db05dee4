import CXCB
import Glibc

struct XProperty: Sendable {
    let type: xcb_atom_t
    /// The size of one element in bits: 8, 16 or 32; 0 if there is no such property.
    let format: UInt8
    let bytes: [UInt8]
    /// The number of bytes that were not read, because they are above the size limit.
    let bytesLeft: Int

    /// The elements, if they have 32 bits; otherwise empty.
    var words: [UInt32] {
        guard format == 32 else { return [] }
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
        }
    }
}

extension XConnection {
    /// Reads a property. The corresponding C function is `xcb_get_property`.
    /// - Parameters:
    ///   - most: the size limit in bytes.
    ///   - removes: whether to remove the property once it has been read, unless it exceeds the limit.
    func property(
        _ atom: xcb_atom_t, of window: xcb_window_t, atMost most: Int, removes: Bool
    ) -> XProperty? {
        let words = UInt32(clamping: (most + 3) / 4)
        let cookie = xcb_get_property(
            handle, removes ? 1 : 0, window, atom, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, words)
        guard let reply = xcb_get_property_reply(handle, cookie, nil) else { return nil }
        defer { free(reply) }
        let count = Int(xcb_get_property_value_length(reply))
        let bytes = [UInt8](UnsafeRawBufferPointer(start: xcb_get_property_value(reply), count: count))
        return XProperty(
            type: reply.pointee.type, format: reply.pointee.format, bytes: bytes,
            bytesLeft: Int(reply.pointee.bytes_after))
    }

    /// Writes a property of at most ``mostInProperty`` bytes. The corresponding C function is `xcb_change_property`.
    func setProperty(_ atom: xcb_atom_t, of window: xcb_window_t, type: xcb_atom_t, _ bytes: UnsafeRawBufferPointer) {
        xcb_change_property(
            handle, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom, type, 8, UInt32(bytes.count), bytes.baseAddress
        )
    }

    func setProperty(_ atom: xcb_atom_t, of window: xcb_window_t, type: xcb_atom_t, _ words: [UInt32]) {
        xcb_change_property(
            handle, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom, type, 32, UInt32(words.count), words)
    }

    /// The size limit of one write in bytes. Larger content is written in pieces, so that neither the server nor the
    /// reader has to hold all of it (ICCCM §2.7.2).
    var mostInProperty: Int {
        // The request itself takes 24 bytes, and the maximum length is in units of 4 bytes.
        min(256 << 10, Int(xcb_get_maximum_request_length(handle)) * 4 - 24)
    }
}
