import Glibc
import IPCModel
import IPCTools

import class IPCDBus.DBusActor
import class IPCDBus.Descriptor

/// A Wayland compositor's clipboard, through the data control protocol `ext_data_control_v1` or its predecessor
/// `zwlr_data_control_v1`. Requests and events have the same numbers in both protocols.
@DBusActor
final class WaylandClipboard: DesktopClipboard {
    let display: Display
    var changed: (Bool) -> Void = { _ in }
    var ended: () -> Void = {}

    private let connection: WaylandConnection
    /// A locked file, which another bridge cannot lock. Wayland itself has nothing that only one client can own.
    private var lock: Descriptor?
    private let manager: UInt32
    private let seat: UInt32
    private var device: UInt32 = 0
    /// The targets that other programs offer, by the object ID of the offer. An offer that is not the current one is
    /// about to become the current one or to be dropped.
    private var offers: [UInt32: [String]] = [:]
    private var current: UInt32 = 0
    /// The object ID of this process's offer, until the compositor replaces it; 0 if there is none.
    private var source: UInt32 = 0
    private var readings: [WaylandPipe] = []
    private nonisolated static let markType = "application/x-swift-ipc-bridge"
    /// A type that identifies this process's offer.
    private let mark = "\(WaylandClipboard.markType);id=\(UInt64.random(in: 0 ... .max))"

    /// - Throws: a ``ToolFailure`` if there is no compositor with data control, or if another bridge serves it.
    init(_ name: String) throws(ToolFailure) {
        display = .wayland(name)
        connection = try WaylandConnection(display)
        guard let seat = connection.bind("wl_seat") else {
            throw display.unusable("it has no seat, and so no clipboard")
        }
        guard let manager = connection.bind("ext_data_control_manager_v1", "zwlr_data_control_manager_v1") else {
            throw display.unusable("it has neither ext_data_control_v1 nor zwlr_data_control_v1")
        }
        lock = try Self.lock(display)
        (self.seat, self.manager) = (seat, manager)
    }

    /// Locks a file beside the compositor's socket. Without the right to create it, nothing is locked.
    private static func lock(_ display: Display) throws(ToolFailure) -> Descriptor? {
        let file = Glibc.open("\(display.socket ?? "").ipc-bridge", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        let lock = Descriptor(owning: file)
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw display.taken }
        return lock
    }

    func begin() {
        connection.ended = { [weak self] in
            self?.endReadings()
            self?.ended()
        }
        device = connection.newObject { [weak self] event in self?.handleDeviceEvent(&event) }
        // get_data_device(id, seat): the compositor reports the selection immediately.
        connection.send(manager, 1, device, seat)
        connection.roundTrip()
        connection.begin()
    }

    func targets() async throws(ClipboardFailure) -> [String] {
        guard let targets = offers[current] else { throw .superseded }
        // A target that another bridge has added to mark its offer is not content.
        return targets.filter { !$0.hasPrefix(Self.markType) }
    }

    func read(_ target: String, atMost bytes: Int) async throws(ClipboardFailure) -> ClipboardContent {
        guard current != 0 else { throw .superseded }
        var ends: [CInt] = [-1, -1]
        // Close-on-exec is not needed, because this process starts no other programs.
        guard pipe(&ends) == 0 else { throw .refused }
        let reading = WaylandPipe(Descriptor(owning: ends[0]))
        // receive(mime_type, fd)
        connection.send(current, 0, target, passing: ends[1])
        // Close the write end in this process: while it is open, reading never reaches the end of the pipe.
        Glibc.close(ends[1])
        readings.append(reading)
        defer { readings.removeAll { $0 === reading } }
        let content = try await reading.read(atMost: bytes)
        // On Wayland, all text is UTF-8, even under the target names of X11.
        return ClipboardContent(
            value: .bytes(content), target: ["STRING", "TEXT"].contains(target) ? "UTF8_STRING" : target)
    }

    func offer(_ offer: ClipboardOffer) async {
        let source = connection.newObject { [weak self] event in self?.handleSourceEvent(&event, offer) }
        // create_data_source(id), offer(mime_type) for each target, set_selection(source)
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
        lock = nil
    }

    private func endReadings() {
        for reading in readings { reading.supersede() }
    }

    private func handleDeviceEvent(_ event: inout WaylandEvent) {
        switch event.opcode {
        // data_offer(id): an offer whose types follow.
        case 0:
            let offer = event.number()
            offers[offer] = []
            connection.handle(offer) { [weak self] event in
                let target = event.text()
                self?.offers[offer]?.append(target)
            }
        // selection(id): the offer that is now on the clipboard; 0 if there is none.
        case 1: selected(event.number())
        // finished(): the seat is gone.
        case 2: connection.ended()
        // primary_selection(id), which is a different clipboard.
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
        changed(offer == 0)
    }

    private func drop(_ offer: UInt32) {
        guard offers.removeValue(forKey: offer) != nil else { return }
        connection.forget(offer)
        // destroy()
        connection.send(offer, 1)
    }

    private func handleSourceEvent(_ event: inout WaylandEvent, _ offer: ClipboardOffer) {
        switch event.opcode {
        // send(mime_type, fd)
        case 0:
            let target = event.text()
            guard let output = connection.nextDescriptor() else { return }
            write(offer, target, to: output)
        // cancelled(): another program's offer, or a new one from this process, has replaced this offer.
        case 1:
            if source == event.object { source = 0 }
            connection.forget(event.object)
            connection.send(event.object, 1)
        default: break
        }
    }

    private func write(_ offer: ClipboardOffer, _ target: String, to output: Descriptor) {
        guard offer.targets.contains(target) else { return }
        DBusActor.task {
            // Wayland has no way to refuse a request: without content, the pipe is closed immediately.
            let named = target == "STRING" ? "UTF8_STRING" : target
            guard let content = try? await offer.content(named) else { return }
            await WaylandPipe(output).write(content.value)
        }
    }
}
