#if DEBUG || FUZZING
    @testable import IPCDBus

    /// The lines before the first message: they mean the same in any pieces, and another user never gets in.
    enum AuthenticationTarget: FuzzTarget {
        static let name = "authentication"

        private struct Result: Equatable {
            let state: Authentication.State
            let outgoing: [UInt8]
            let passesDescriptors: Bool
            let taken: Int
        }

        static func check(_ input: [UInt8]) {
            var reader = InputReader(input)
            let piece = max(1, Int(reader.byte()))
            let bytes = Array(reader.rest)
            let (server, client) = ("0123456789abcdef0123456789abcdef", "00112233445566778899aabbccddeeff")
            let sides: [Authentication.Side] = [
                .server(peer: 1_000, own: 1_000, id: server), .server(peer: 1_001, own: 1_000, id: server),
                .client(server: nil), .client(server: client),
            ]
            for (number, side) in sides.enumerated() {
                let (whole, parts) = (result(side, bytes, bytes.count), result(side, bytes, piece))
                guard whole == parts else { broken("side \(number): at once \(whole), in pieces of \(piece) \(parts)") }
                guard whole.taken <= bytes.count else { broken("side \(number) takes more bytes than there are") }
                guard whole.state == .finished else { continue }
                let text = String(decoding: bytes[..<whole.taken], as: UTF8.self)
                switch number {
                case 0:
                    guard text.hasPrefix("\0"), text.hasSuffix("\r\nBEGIN\r\n") || text.contains("\r\nBEGIN ") else {
                        broken("the server finishes without BEGIN: \(text.debugDescription)")
                    }
                case 1: broken("the server accepts another user")
                case 2: guard text.hasPrefix("OK") else { broken("the client is accepted without OK") }
                default: guard text.hasPrefix("OK \(client)") else { broken("the client accepts another server") }
                }
            }
        }

        private static func result(_ side: Authentication.Side, _ bytes: [UInt8], _ piece: Int) -> Result {
            var conversation = Authentication(side, user: 1_000)
            var at = 0
            while at < bytes.count {
                let part = bytes[at..<min(bytes.count, at + piece)]
                let taken = part.withUnsafeBytes { conversation.take($0) }
                at += taken
                if taken < part.count || conversation.state != .speaking { break }
            }
            let outgoing = conversation.takeOutgoing()
            return Result(
                state: conversation.state, outgoing: outgoing, passesDescriptors: conversation.passesDescriptors,
                taken: at)
        }
    }

    /// A D-Bus address: what is read can be written, and means the same again.
    enum AddressTarget: FuzzTarget {
        static let name = "address"

        static func check(_ input: [UInt8]) {
            guard let addresses = try? ServerAddress.list(input) else { return }
            let text = addresses.map(\.text).joined(separator: ";")
            guard let again = try? ServerAddress.list(Array(text.utf8)) else { broken("\(text) cannot be read again") }
            guard again == addresses else { broken("\(text) is read as \(again) in place of \(addresses)") }
            for address in addresses { _ = (address.serverID, address["path"], address["abstract"]) }
        }
    }
#endif
