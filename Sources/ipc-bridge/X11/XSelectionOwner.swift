import CXCB
import IPCModel

import class IPCDBus.DBusActor

/// Owns a selection, and answers requests for it with an offer (ICCCM §2.2).
@DBusActor
final class XSelectionOwner {
    private let connection: XConnection
    private let selection: xcb_atom_t
    private let window: xcb_window_t
    let transfers: XTransfers
    private var offer: ClipboardOffer?
    /// When this process took the selection, by the server's clock.
    private var since: xcb_timestamp_t = 0
    /// The number of requests being answered.
    private var inProgress = 0

    /// The limit for ``inProgress``, needed because each request calls the broker. No desktop comes near the limit.
    private static let mostInProgress = 64
    /// Targets that request information about the selection, not its content (ICCCM §2.6.2).
    private static let own = ["TARGETS", "MULTIPLE", "TIMESTAMP"]

    init(_ connection: XConnection, of selection: xcb_atom_t, window: xcb_window_t) {
        (self.connection, self.selection, self.window) = (connection, selection, window)
        transfers = XTransfers(connection)
    }

    func take(_ offer: ClipboardOffer) {
        since = connection.serverTime(window)
        xcb_set_selection_owner(connection.handle, window, selection, since)
        self.offer = connection.owner(of: selection) == window ? offer : nil
    }

    /// Releases the selection, so that it has no owner.
    func release() {
        guard offer != nil else { return }
        offer = nil
        xcb_set_selection_owner(connection.handle, xcb_window_t(XCB_NONE), selection, since)
        _ = connection.owner(of: selection)
    }

    /// Drops the offer after another program has taken the selection. Transfers that have started continue.
    func lost() { offer = nil }

    /// Answers a request for the content in one target or in several.
    func requested(_ event: xcb_selection_request_event_t) {
        guard event.selection == selection, let offer, inProgress < Self.mostInProgress else {
            return answer(event, with: nil)
        }
        // Programs older than the ICCCM name no property. They read the property that has the target's name.
        let property = event.property == XCB_ATOM_NONE.rawValue ? event.target : event.property
        inProgress += 1
        DBusActor.task { [self] in
            let isMultiple = connection.name(of: event.target) == "MULTIPLE"
            let isGiven =
                isMultiple
                ? await giveSeveral(offer, property, to: event.requestor)
                : await give(offer, event.target, property, to: event.requestor)
            inProgress -= 1
            answer(event, with: isGiven ? property : nil)
            connection.pump()
        }
    }

    private func answer(_ request: xcb_selection_request_event_t, with property: xcb_atom_t?) {
        let event = xcb_selection_notify_event_t(
            response_type: UInt8(XCB_SELECTION_NOTIFY), pad0: 0, sequence: 0, time: request.time,
            requestor: request.requestor, selection: request.selection, target: request.target,
            property: property ?? XCB_ATOM_NONE.rawValue)
        // Every event takes 32 bytes on the wire (xcb_send_event(3)).
        var bytes = [CChar](repeating: 0, count: 32)
        withUnsafeBytes(of: event) { event in bytes.withUnsafeMutableBytes { $0.copyMemory(from: event) } }
        xcb_send_event(connection.handle, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT.rawValue, bytes)
    }

    /// Writes the content for one target to a property.
    /// - Returns: whether there is content.
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
            // There is no content if the version is gone, or if its writer does not provide the content that it
            // promised.
            guard let content = try? await offer.content(name) else { return false }
            return transfers.begin(
                content.value, type: connection.atom(content.target), in: property, of: requestor)
        default: return false
        }
    }

    /// Writes the content of several targets. `property` lists them as pairs of a target and a property.
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
