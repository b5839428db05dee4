import CXCB
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// The clipboard of an X11 display: the selection `CLIPBOARD`, owned by another program or by this one.
@DBusActor
final class XClipboard: DesktopClipboard {
    let display: Display
    var changed: (Bool) -> Void = { _ in }
    var ended: () -> Void = {}

    private let connection: XConnection
    private let window: xcb_window_t
    private let selection: xcb_atom_t
    private let reader: XSelectionReader
    private let owner: XSelectionOwner

    /// - Throws: a ``ToolFailure`` if there is no such display, or if another bridge serves it.
    init(_ name: String) throws(ToolFailure) {
        connection = try XConnection(name)
        display = .x11(name)
        window = connection.makeWindow()
        selection = connection.atom("CLIPBOARD")
        reader = XSelectionReader(connection, of: selection)
        owner = XSelectionOwner(connection, of: selection, window: window)
        // ICCCM §2.8: the owner of this selection is the display's only bridge.
        let place = connection.atom("_SWIFT_IPC_BRIDGE")
        guard connection.owner(of: place) == xcb_window_t(XCB_NONE) else { throw display.taken }
        xcb_set_selection_owner(connection.handle, window, place, connection.serverTime(window))
        connection.received = { [weak self] event in self?.take(event) }
        connection.ended = { [weak self] in
            self?.reader.endAll()
            self?.ended()
        }
    }

    func begin() {
        let events = [
            XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER,
            XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_WINDOW_DESTROY,
            XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_CLIENT_CLOSE,
        ]
        xcb_xfixes_select_selection_input(
            connection.handle, window, selection, events.reduce(0) { $0 | $1.rawValue })
        ownerChanged(connection.owner(of: selection))
        connection.pump()
    }

    func targets() async throws(ClipboardFailure) -> [String] {
        let most = 16_384
        let content = try await reader.read(connection.atom("TARGETS"), atMost: most)
        defer { connection.pump() }
        return content.words.compactMap(connection.name)
    }

    func read(_ target: String, atMost bytes: Int) async throws(ClipboardFailure) -> ClipboardContent {
        let content = try await reader.read(connection.atom(target), atMost: bytes)
        // Elements of more than 8 bits are numbers, such as atoms, which have no meaning outside this X server.
        guard content.format == 8 || content.bytes.isEmpty else { throw .refused }
        defer { connection.pump() }
        return ClipboardContent(value: .bytes(content.bytes), target: connection.name(of: content.type) ?? target)
    }

    func offer(_ offer: ClipboardOffer) {
        owner.take(offer)
        connection.pump()
    }

    func withdraw() {
        owner.release()
        connection.pump()
    }

    func close() {
        reader.endAll()
        connection.close()
    }

    private func ownerChanged(_ holder: xcb_window_t) {
        guard holder != window else { return }
        owner.lost()
        // The content being read belongs to the former owner.
        reader.endAll()
        changed(holder == xcb_window_t(XCB_NONE))
    }

    private func take(_ event: XConnection.Event) {
        switch XConnection.kind(of: event) {
        case CInt(connection.selectionNotify):
            let change = XConnection.read(event, as: xcb_xfixes_selection_notify_event_t.self)
            // Ask for the current owner, because this process may have taken the selection after the event.
            if change.selection == selection { ownerChanged(connection.owner(of: selection)) }
        case XCB_SELECTION_REQUEST:
            owner.requested(XConnection.read(event, as: xcb_selection_request_event_t.self))
        case XCB_SELECTION_NOTIFY:
            reader.answered(XConnection.read(event, as: xcb_selection_notify_event_t.self))
        case XCB_PROPERTY_NOTIFY:
            let change = XConnection.read(event, as: xcb_property_notify_event_t.self)
            reader.changed(change)
            owner.transfers.changed(change)
        case XCB_DESTROY_NOTIFY:
            owner.transfers.end(XConnection.read(event, as: xcb_destroy_notify_event_t.self).window)
        // A request failed, because its window was destroyed, and the window's destroy event has not arrived yet.
        case 0: owner.transfers.end(XConnection.read(event, as: xcb_generic_error_t.self).resource_id)
        default: break
        }
    }
}
