import CXCB
import IPCModel

import class IPCDBus.DBusActor
import class IPCDBus.DBusTimer

/// Writes content into other programs' properties: all at once, or in pieces (INCR, ICCCM §2.7.2).
@DBusActor
final class XTransfers {
    private struct Place: Hashable {
        let window: xcb_window_t
        let property: xcb_atom_t
    }

    @DBusActor
    private struct Transfer {
        let value: Representation.Value
        let type: xcb_atom_t
        var sent = 0
        let timer = DBusTimer()
    }

    /// How long a program may take to read a piece.
    private static let patience = Duration.seconds(30)

    private let connection: XConnection
    private var transfers: [Place: Transfer] = [:]

    init(_ connection: XConnection) { self.connection = connection }

    /// Writes small content at once, and starts writing larger content in pieces.
    /// - Returns: false if the content cannot be read.
    func begin(
        _ value: Representation.Value, type: xcb_atom_t, in property: xcb_atom_t, of window: xcb_window_t
    ) -> Bool {
        let place = Place(window: window, property: property)
        transfers.removeValue(forKey: place)?.timer.cancel()
        if value.byteCount <= connection.mostInProperty { return write(value, 0..<value.byteCount, type, at: place) }
        transfers[place] = Transfer(value: value, type: type)
        // This makes the server report when the property is removed and when the window is destroyed.
        connection.select(XCB_EVENT_MASK_PROPERTY_CHANGE, XCB_EVENT_MASK_STRUCTURE_NOTIFY, of: window)
        let least = UInt32(clamping: value.byteCount)
        connection.setProperty(property, of: window, type: connection.atom("INCR"), [least])
        wait(at: place)
        return true
    }

    /// Writes the next piece once the reader has removed the property with the previous one. The last piece is empty.
    func changed(_ event: xcb_property_notify_event_t) {
        let place = Place(window: event.window, property: event.atom)
        guard event.state == UInt8(XCB_PROPERTY_DELETE.rawValue), let transfer = transfers[place] else { return }
        let count = transfer.value.byteCount
        let piece = transfer.sent..<min(count, transfer.sent + connection.mostInProperty)
        // Unreadable content must not seem complete: without an empty last piece, the reader waits until its time limit.
        guard write(transfer.value, piece, transfer.type, at: place) else { return end(place) }
        transfers[place]?.sent = piece.upperBound
        if piece.isEmpty { end(place) } else { wait(at: place) }
    }

    /// Stops all transfers to a window that is gone.
    func end(_ window: xcb_window_t) {
        for place in transfers.keys where place.window == window { end(place) }
    }

    private func end(_ place: Place) {
        transfers.removeValue(forKey: place)?.timer.cancel()
        guard !transfers.keys.contains(where: { $0.window == place.window }) else { return }
        connection.select(of: place.window)
    }

    private func wait(at place: Place) {
        transfers[place]?.timer.set(at: .now + Self.patience) { [weak self] in self?.end(place) }
    }

    private func write(_ value: Representation.Value, _ part: Range<Int>, _ type: xcb_atom_t, at place: Place) -> Bool {
        // A file from the broker cannot shrink while it is read: it is sealed, or only the broker can write it.
        let written: Void? = value.withPart(part) {
            connection.setProperty(place.property, of: place.window, type: type, $0)
        }
        return written != nil
    }
}
