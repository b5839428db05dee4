import CXCB
import Glibc
import IPCTools

import class IPCDBus.DBusActor
import class IPCDBus.DescriptorWatch

/// A connection to an X11 display through XCB, on the I/O thread: its events, atoms, windows and properties. Each
/// request blocks until its answer arrives: the server is on this machine, and nothing else on this thread is urgent.
@DBusActor
final class XConnection {
    typealias Event = UnsafeMutablePointer<xcb_generic_event_t>

    let handle: OpaquePointer
    /// The number of the XFixes event that reports a selection's new owner.
    let selectionNotify: UInt8
    private let root: xcb_window_t
    private var atoms: [String: xcb_atom_t] = [:]
    private var names: [xcb_atom_t: String] = [:]
    /// Events that arrived while this process was waiting for another event.
    private var backlog: [Event] = []
    private var watch: DescriptorWatch?
    private var isPumping = false
    private var isClosed = false

    /// Called with every event, which is freed afterwards.
    var received: (Event) -> Void = { _ in }
    /// Called once when the connection to the display has closed.
    var ended: () -> Void = {}

    /// Connects to a display. The corresponding C function is `xcb_connect`.
    init(_ name: String) throws(ToolFailure) {
        let display = Display.x11(name)
        var screen: CInt = 0
        guard let handle = xcb_connect(name, &screen) else {
            throw display.unusable("there is no memory left")
        }
        guard xcb_connection_has_error(handle) == 0 else {
            xcb_disconnect(handle)
            throw display.unusable(
                "it rejects the connection; check that it is running and that you may use it (xauth)")
        }
        guard let fixes = cxcb_xfixes(handle), fixes.pointee.present != 0 else {
            xcb_disconnect(handle)
            throw display.unusable("it lacks the XFixes extension, which reports clipboard changes")
        }
        // XFixes requires this request before any other.
        free(xcb_xfixes_query_version_reply(handle, xcb_xfixes_query_version(handle, 1, 0), nil))
        self.handle = handle
        selectionNotify = fixes.pointee.first_event + UInt8(XCB_XFIXES_SELECTION_NOTIFY)
        var screens = xcb_setup_roots_iterator(xcb_get_setup(handle))
        for _ in 0..<screen { xcb_screen_next(&screens) }
        root = screens.data.pointee.root
        watch = DescriptorWatch(xcb_get_file_descriptor(handle), for: .reading) { [weak self] in self?.pump() }
    }

    /// Stops handling events. Callers may still send requests to the server; after a disconnect, they get no replies.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        (received, ended) = ({ _ in }, {})
        watch?.end()
        for event in backlog { free(event) }
        backlog = []
    }

    /// The corresponding C function is `xcb_disconnect`.
    isolated deinit {
        close()
        xcb_disconnect(handle)
    }

    /// Handles the events that have arrived, and sends queued requests. Call this after each request to the server:
    /// events may have arrived with the answer, and the descriptor does not become ready for them.
    func pump() {
        guard !isPumping, !isClosed else { return }
        isPumping = true
        while !isClosed, let event = nextEvent() {
            received(event)
            free(event)
        }
        isPumping = false
        guard !isClosed else { return }
        xcb_flush(handle)
        guard xcb_connection_has_error(handle) != 0 else { return }
        let ended = ended
        close()
        ended()
    }

    private func nextEvent() -> Event? { backlog.isEmpty ? xcb_poll_for_event(handle) : backlog.removeFirst() }

    /// The server's current time, for taking a selection (ICCCM §2.1). The server reports it when a property changes.
    func serverTime(_ window: xcb_window_t) -> xcb_timestamp_t {
        let property = atom("_SWIFT_IPC_TIME")
        xcb_change_property(
            handle, UInt8(XCB_PROP_MODE_APPEND.rawValue), window, property, XCB_ATOM_INTEGER.rawValue, 32, 0, nil)
        xcb_flush(handle)
        while let event = xcb_wait_for_event(handle) {
            if Self.kind(of: event) == XCB_PROPERTY_NOTIFY {
                let change = Self.read(event, as: xcb_property_notify_event_t.self)
                if change.window == window && change.atom == property {
                    free(event)
                    return change.time
                }
            }
            backlog.append(event)
        }
        return xcb_timestamp_t(XCB_CURRENT_TIME)
    }

    /// The kind of an event, no matter whether the server or another program has sent it.
    static func kind(of event: Event) -> CInt { CInt(event.pointee.response_type & 0x7F) }

    static func read<Content>(_ event: Event, as type: Content.Type) -> Content {
        UnsafeRawPointer(event).assumingMemoryBound(to: type).pointee
    }

    /// The atom with this name. The corresponding C function is `xcb_intern_atom`.
    func atom(_ name: String) -> xcb_atom_t {
        if let known = atoms[name] { return known }
        let cookie = xcb_intern_atom(handle, 0, UInt16(name.utf8.count), name)
        guard let reply = xcb_intern_atom_reply(handle, cookie, nil) else { return XCB_ATOM_NONE.rawValue }
        defer { free(reply) }
        (atoms[name], names[reply.pointee.atom]) = (reply.pointee.atom, name)
        return reply.pointee.atom
    }

    /// The name of an atom; `nil` if there is no such atom. The corresponding C function is `xcb_get_atom_name`.
    func name(of atom: xcb_atom_t) -> String? {
        if let known = names[atom] { return known }
        guard let reply = xcb_get_atom_name_reply(handle, xcb_get_atom_name(handle, atom), nil) else { return nil }
        defer { free(reply) }
        let bytes = UnsafeRawBufferPointer(
            start: xcb_get_atom_name_name(reply), count: Int(xcb_get_atom_name_name_length(reply)))
        let name = String(decoding: bytes, as: UTF8.self)
        (atoms[name], names[atom]) = (atom, name)
        return name
    }

    /// Creates an invisible window that receives events when its properties change.
    func makeWindow() -> xcb_window_t {
        let window = xcb_generate_id(handle)
        xcb_create_window(
            handle, 0, window, root, 0, 0, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, 0, nil)
        select(XCB_EVENT_MASK_PROPERTY_CHANGE, of: window)
        return window
    }

    /// Selects which events of a window the server sends.
    func select(_ events: xcb_event_mask_t..., of window: xcb_window_t) {
        var mask = events.reduce(0) { $0 | $1.rawValue }
        xcb_change_window_attributes(handle, window, XCB_CW_EVENT_MASK.rawValue, &mask)
    }

    func owner(of selection: xcb_atom_t) -> xcb_window_t {
        guard let reply = xcb_get_selection_owner_reply(handle, xcb_get_selection_owner(handle, selection), nil)
        else { return xcb_window_t(XCB_NONE) }
        defer { free(reply) }
        return reply.pointee.owner
    }
}
