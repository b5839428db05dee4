import CXCB
import IPCModel

import class IPCDBus.DBusActor

/// Owns a selection and answers who asks for it (ICCCM §2.2), with all that is offered.
@DBusActor
final class XSelectionOwner {
    private let connection: XConnection
    private let selection: xcb_atom_t
    private let window: xcb_window_t
    private let transfers: XTransfers
    private var offer: ClipboardOffer?
    /// When the selection was taken, by the clock of the server.
    private var since: xcb_timestamp_t = 0
    /// Requests that are being answered.
    private var inHand = 0

    /// Each asks the broker for something; no desktop comes near it.
    private static let mostInHand = 64
    /// Targets that are questions about the selection and none of its contents; ICCCM §2.6.2.
    private static let own = ["TARGETS", "MULTIPLE", "TIMESTAMP"]

    init(_ connection: XConnection, of selection: xcb_atom_t, window: xcb_window_t) {
        (self.connection, self.selection, self.window) = (connection, selection, window)
        transfers = XTransfers(connection)
    }

    /// Takes the selection.
    func take(_ offer: ClipboardOffer) {
        since = connection.serverTime(window)
        xcb_set_selection_owner(connection.handle, window, selection, since)
        self.offer = connection.owner(of: selection) == window ? offer : nil
    }

    /// Lets it go; nobody owns it then.
    func release() {
        guard offer != nil else { return }
        offer = nil
        xcb_set_selection_owner(connection.handle, xcb_window_t(XCB_NONE), selection, since)
        _ = connection.owner(of: selection)
    }

    /// Another program has taken it. What is on its way goes on.
    func lost() { offer = nil }

    // MARK: Events

    /// A program wants the content in a target, or in several.
    func requested(_ event: xcb_selection_request_event_t) {
        guard event.selection == selection, let offer, inHand < Self.mostInHand else { return answer(event, with: nil) }
        // Programs from before ICCCM name no property, and look at the one that is named like the target.
        let property = event.property == XCB_ATOM_NONE.rawValue ? event.target : event.property
        inHand += 1
        DBusActor.task { [self] in
            let isMultiple = connection.name(of: event.target) == "MULTIPLE"
            let isGiven =
                isMultiple
                ? await giveSeveral(offer, property, to: event.requestor)
                : await give(offer, event.target, property, to: event.requestor)
            inHand -= 1
            answer(event, with: isGiven ? property : nil)
            connection.pump()
        }
    }

    /// A property of a program was read, and the next piece may follow.
    func changed(_ event: xcb_property_notify_event_t) { transfers.changed(event) }

    /// A window is gone, with all that was to be written to it.
    func destroyed(_ window: xcb_window_t) { transfers.end(window) }

    // MARK: Answers

    private func answer(_ request: xcb_selection_request_event_t, with property: xcb_atom_t?) {
        var event = xcb_selection_notify_event_t()
        event.response_type = UInt8(XCB_SELECTION_NOTIFY)
        event.time = request.time
        event.requestor = request.requestor
        event.selection = request.selection
        event.target = request.target
        event.property = property ?? XCB_ATOM_NONE.rawValue
        // Every event has 32 bytes on the wire, xcb_send_event(3).
        var bytes = [CChar](repeating: 0, count: 32)
        withUnsafeBytes(of: event) { event in bytes.withUnsafeMutableBytes { $0.copyMemory(from: event) } }
        xcb_send_event(connection.handle, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT.rawValue, bytes)
    }

    /// Writes the content in one target to a property.
    /// - Returns: whether there is one.
    private func give(
        _ offer: ClipboardOffer, _ target: xcb_atom_t, _ property: xcb_atom_t, to requestor: xcb_window_t
    ) async -> Bool {
        switch connection.name(of: target) {
        case "TARGETS":
            let targets = (Self.own + offer.targets.filter { !Self.own.contains($0) }).map(connection.atom)
            connection.setProperty(property, of: requestor, type: XCB_ATOM_ATOM.rawValue, targets)
            return true
        case "TIMESTAMP":
            connection.setProperty(property, of: requestor, type: XCB_ATOM_INTEGER.rawValue, [since])
            return true
        case let name? where offer.targets.contains(name):
            // What cannot be had is refused: the version may be gone, or its writer does not keep its promise.
            guard let content = try? await offer.content(name) else { return false }
            return transfers.begin(
                content.value, type: connection.atom(content.target), in: property, of: requestor)
        default: return false
        }
    }

    /// Writes the contents of several targets to a property each, as a property of pairs says.
    private func giveSeveral(_ offer: ClipboardOffer, _ property: xcb_atom_t, to requestor: xcb_window_t) async -> Bool
    {
        let most = 4_096
        guard let pairs = connection.property(property, of: requestor, atMost: most, removes: false),
            pairs.bytesLeft == 0
        else { return false }
        var words = pairs.words
        for place in stride(from: 0, to: words.count - 1, by: 2) {
            guard await !give(offer, words[place], words[place + 1], to: requestor) else { continue }
            words[place + 1] = XCB_ATOM_NONE.rawValue
        }
        connection.setProperty(property, of: requestor, type: pairs.type, words)
        return !words.isEmpty
    }
}
