import Glibc
import IPCModel
import IPCTools

import class IPCDBus.DBusActor
import class IPCDBus.Descriptor

/// The clipboard of a Wayland compositor, by its data control protocol: `ext_data_control_v1` or the older `zwlr_data_control_v1`,
/// whose requests and events have the same numbers.
@DBusActor
final class WaylandClipboard: DesktopClipboard {
    let display: String
    var changed: (ClipboardOwner) -> Void = { _ in }
    var ended: () -> Void = {}

    private let connection: WaylandConnection
    private let manager: UInt32
    private let seat: UInt32
    private var device: UInt32 = 0
    /// What others offer, by the objects that stand for it; all but the current one are on their way in or out.
    private var offers: [UInt32: [String]] = [:]
    private var current: UInt32 = 0
    /// What this process offers, as long as the compositor has not replaced it.
    private var source: UInt32 = 0
    private var readings: [WaylandReading] = []
    private nonisolated static let markType = "application/x-swift-ipc-bridge"
    /// A type by which this process finds its own offer among others.
    private let mark = "\(WaylandClipboard.markType);id=\(UInt64.random(in: 0 ... .max))"

    /// - Throws: where there is no compositor, or none with data control.
    static func open() throws(ToolFailure) -> WaylandClipboard {
        let connection = try WaylandConnection.open()
        let globals = WaylandGlobals(connection)
        let name = getenv("WAYLAND_DISPLAY").map { String(cString: $0) } ?? ""
        guard let seat = globals.bind(["wl_seat"]) else {
            throw .noWayland(name, "it has no seat, and so no clipboard")
        }
        guard let manager = globals.bind(["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"]) else {
            throw .noWayland(name, "it has neither ext_data_control_v1 nor zwlr_data_control_v1")
        }
        return WaylandClipboard(connection, seat: seat, manager: manager, "the Wayland display \(name)")
    }

    private init(_ connection: WaylandConnection, seat: UInt32, manager: UInt32, _ display: String) {
        (self.connection, self.seat, self.manager, self.display) = (connection, seat, manager, display)
    }

    func begin() {
        connection.ended = { [weak self] in
            self?.endReadings()
            self?.ended()
        }
        device = connection.newObject { [weak self] event in self?.deviceTells(&event) }
        // get_data_device(id, seat): the compositor tells the selection at once.
        connection.send(manager, 1, device, seat)
        connection.roundTrip()
        connection.begin()
    }

    func targets() async throws(ClipboardFailure) -> [String] {
        guard let targets = offers[current] else { throw .superseded }
        // The mark of another bridge is no content.
        return targets.filter { !$0.hasPrefix(Self.markType) }
    }

    func read(_ target: String, atMost bytes: Int) async throws(ClipboardFailure) -> ClipboardContent {
        guard current != 0 else { throw .superseded }
        var ends: [CInt] = [-1, -1]
        // Nothing is started by this process that could inherit them.
        guard pipe(&ends) == 0 else { throw .refused }
        let reading = WaylandReading(Descriptor(owning: ends[0]), atMost: bytes)
        // receive(mime_type, fd)
        connection.send(current, 0, target, passing: ends[1])
        // It is the other program's alone from here on, so that its end is seen.
        Glibc.close(ends[1])
        readings.append(reading)
        defer { readings.removeAll { $0 === reading } }
        let content = try await reading.content()
        // All texts are UTF-8 here, whatever X11 has called them.
        return ClipboardContent(bytes: content, target: ["STRING", "TEXT"].contains(target) ? "UTF8_STRING" : target)
    }

    func offer(_ offer: ClipboardOffer) async {
        let source = connection.newObject { [weak self] event in self?.sourceTells(&event, offer) }
        // create_data_source(id), offer(mime_type) for each, set_selection(source)
        connection.send(manager, 0, source)
        for target in offer.targets + [mark] { connection.send(source, 0, target) }
        self.source = source
        connection.send(device, 0, source)
        await connection.answered()
    }

    func withdraw() async {
        guard source != 0 else { return }
        source = 0
        connection.send(device, 0, source)
        await connection.answered()
    }

    func close() {
        endReadings()
        connection.close()
    }

    private func endReadings() {
        for reading in readings { reading.end(.failure(.superseded)) }
    }

    // MARK: Events

    private func deviceTells(_ event: inout WaylandEvent) {
        switch event.opcode {
        // data_offer(id): an offer of which the types are told next.
        case 0:
            let offer = event.number()
            offers[offer] = []
            connection.handle(offer) { [weak self] event in
                let target = event.text()
                self?.offers[offer]?.append(target)
            }
        // selection(id): what is on the clipboard now; 0 is nothing.
        case 1: selected(event.number())
        // finished(): this seat is gone.
        case 2: connection.ended()
        // primary_selection(id), which is another clipboard.
        case 3: drop(event.number())
        default: break
        }
    }

    private func selected(_ offer: UInt32) {
        let former = current
        current = offer
        if former != offer { drop(former) }
        endReadings()
        guard !(offers[offer]?.contains(mark) ?? false) else { return }
        changed(offer == 0 ? .nobody : .another)
    }

    private func drop(_ offer: UInt32) {
        guard offers.removeValue(forKey: offer) != nil else { return }
        connection.forget(offer)
        // destroy()
        connection.send(offer, 1)
    }

    private func sourceTells(_ event: inout WaylandEvent, _ offer: ClipboardOffer) {
        switch event.opcode {
        // send(mime_type, fd)
        case 0:
            let target = event.text()
            guard let output = connection.nextDescriptor() else { return }
            give(offer, target, output)
        // cancelled(): replaced by somebody's, perhaps by our own.
        case 1:
            if source == event.object { source = 0 }
            connection.forget(event.object)
            connection.send(event.object, 1)
        default: break
        }
    }

    private func give(_ offer: ClipboardOffer, _ target: String, _ output: Descriptor) {
        guard offer.targets.contains(target) else { return }
        DBusActor.task {
            // What cannot be had is an end without content: there is no refusal here.
            let named = target == "STRING" ? "UTF8_STRING" : target
            guard let content = try? await offer.content(named) else { return }
            await WaylandWriting(content.value, to: output).run()
        }
    }
}
