import Foundation
import IPC
import IPCDBus
import IPCTesting
import Testing

/// Numbers travel between Swift and Python programs without losing a bit.
@Suite(.privateBus)
struct ExactValueTests {
    fileprivate struct Rectangle: Codable, Equatable {
        var x, y, width, height: Double
    }

    fileprivate struct Place: Codable, Equatable {
        var id: UInt64
        var frame: Rectangle
    }

    private static let places = [
        Place(id: .max, frame: Rectangle(x: 0.1, y: -0.0, width: 1e300 / 3, height: .leastNonzeroMagnitude)),
        Place(id: (1 << 53) + 1, frame: Rectangle(x: .pi, y: 1 / 3, width: .greatestFiniteMagnitude, height: 2)),
    ]

    @Test func `numbers travel from Swift to Python and back bit for bit`() async throws {
        _ = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        let application = try await Application.connect(id: "org.example.Exact", bus: .address(bus.address))
        let board = try await application.pasteboard(named: "exact", create: true)
        let python = try await PythonPeer.start(Self.script)
        for place in Self.places {
            try await board.setItems([try .value(place)])
            let bits = try await python.ask("read")
            #expect(bits == place.bits)
            // The Python program writes back what it has read.
            #expect(try await python.ask("write") == "done")
            let back = try await board.items.first?.value(Place.self)
            #expect(back?.bits == place.bits)
        }
    }

    /// Reads the JSON, prints the bits of its numbers, and writes it again, with JSON numbers where they are exact.
    private static let script = """
        import json, struct, sys
        import dbus

        board = dbus.Interface(dbus.SessionBus().get_object(
            "org.swiftipc.Broker1", "/org/swiftipc/Broker1/pasteboards/exact"), "org.swiftipc.Pasteboard1")
        for line in sys.stdin:
            if line.strip() == "read":
                count, items, facts = board.GetItems({})
                kind, text = items[0][0]
                place = json.loads(str(text))
                frame = [float(place["frame"][key]) for key in ("x", "y", "width", "height")]
                print(int(place["id"]), *[struct.pack(">d", number).hex() for number in frame])
            else:
                place = {"id": int(place["id"]), "frame": dict(zip(("x", "y", "width", "height"), frame))}
                board.SetItems([[(kind, json.dumps(place))]], {})
                print("done")

        """
}

extension ExactValueTests.Place {
    /// The id in decimal, and the bits of the frame's four numbers in hexadecimal.
    fileprivate var bits: String {
        let numbers = [frame.x, frame.y, frame.width, frame.height].map { number in
            let digits = String(number.bitPattern, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return ([String(id)] + numbers).joined(separator: " ")
    }
}
