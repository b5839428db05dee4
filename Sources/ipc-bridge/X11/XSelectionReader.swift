import CXCB

import class IPCDBus.DBusActor
import class IPCDBus.DBusTimer

/// Requests the content of a selection from its owner (ICCCM §2.4). The content may arrive in pieces (INCR, §2.7.2).
/// Each request has its own window. Destroying the window makes the owner stop writing.
@DBusActor
final class XSelectionReader {
    private enum Event: Sendable {
        /// The owner has answered, and has written the content or, if the content will arrive in pieces, its minimum
        /// size.
        case answered
        /// The owner has written the window's property, possibly with the next piece.
        case written
        case failed(ClipboardFailure)
    }

    /// How long an owner may take to answer. Some owners generate their content first.
    private static let patience = Duration.seconds(10)

    private let connection: XConnection
    private let selection: xcb_atom_t
    private let property: xcb_atom_t
    private let incremental: xcb_atom_t
    /// The requests in progress, by window.
    private var questions: [xcb_window_t: AsyncStream<Event>.Continuation] = [:]

    init(_ connection: XConnection, of selection: xcb_atom_t) {
        self.connection = connection
        self.selection = selection
        property = connection.atom("_SWIFT_IPC_CONTENT")
        incremental = connection.atom("INCR")
    }

    func read(_ target: xcb_atom_t, atMost most: Int) async throws(ClipboardFailure) -> XProperty {
        let (window, timer) = (connection.makeWindow(), DBusTimer())
        let (events, question) = AsyncStream.makeStream(of: Event.self)
        questions[window] = question
        defer {
            questions[window] = nil
            timer.cancel()
            xcb_destroy_window(connection.handle, window)
            xcb_flush(connection.handle)
        }
        xcb_convert_selection(
            connection.handle, window, selection, target, property, xcb_timestamp_t(XCB_CURRENT_TIME))
        var type: xcb_atom_t = 0
        var pieces: [UInt8]?
        timer.set(at: .now + Self.patience) { question.yield(.failed(.stalled)) }
        connection.pump()
        for await event in events {
            switch event {
            case .failed(let failure): throw failure
            case .answered where pieces != nil, .written where pieces == nil: continue
            case .answered, .written: break
            }
            let content = try take(window, atMost: most - (pieces?.count ?? 0))
            if pieces != nil {
                if content.bytes.isEmpty { return XProperty(type: type, format: 8, bytes: pieces ?? [], bytesLeft: 0) }
                type = content.type
                pieces?.append(contentsOf: content.bytes)
            } else {
                guard content.type == incremental else { return content }
                // Before the first piece, the property contains the minimum size of the content.
                guard Int(content.words.first ?? 0) <= most else { throw .tooLarge }
                pieces = []
            }
            timer.set(at: .now + Self.patience) { question.yield(.failed(.stalled)) }
            connection.pump()
        }
        throw .superseded
    }

    /// Reads and removes the property to which the owner has written.
    private func take(_ window: xcb_window_t, atMost room: Int) throws(ClipboardFailure) -> XProperty {
        guard let content = connection.property(property, of: window, atMost: room, removes: true) else {
            throw .refused
        }
        guard content.bytesLeft == 0, content.bytes.count <= room || content.type == incremental else {
            throw .tooLarge
        }
        return content
    }

    /// Fails all requests, because answers that arrive later would be another program's content.
    func endAll() {
        for question in questions.values { question.yield(.failed(.superseded)) }
    }

    func answered(_ event: xcb_selection_notify_event_t) {
        questions[event.requestor]?.yield(event.property == XCB_ATOM_NONE.rawValue ? .failed(.refused) : .answered)
    }

    func changed(_ event: xcb_property_notify_event_t) {
        guard event.state == UInt8(XCB_PROPERTY_NEW_VALUE.rawValue), event.atom == property else { return }
        questions[event.window]?.yield(.written)
    }
}
