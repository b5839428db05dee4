#if DEBUG || FUZZING
    import Glibc
    import IPCDBusOracle

    @testable import IPCDBus

    /// A message: IPCDBus and libdbus accept the same bytes, read the same values, and both write them again.
    enum MessageTarget: FuzzTarget {
        static let name = "message"
        nonisolated(unsafe) private static var oracle = Oracle(seed: 1)

        static func check(_ input: [UInt8]) {
            // The number decides how the message is cut on its way. It depends only on the input.
            let number = input.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 } >> 8
            if let reason = oracle.reason(input, number) { broken(reason) }
        }
    }

    /// A stream of bytes: its messages do not depend on the pieces in which it arrives, nor do bytes follow an error.
    enum StreamTarget: FuzzTarget {
        static let name = "stream"

        /// The sockets are used for all inputs. Each input is read completely.
        private static let sockets: (CInt, CInt) = {
            var pair: [CInt] = [-1, -1]
            guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0 else { broken("there is no socket") }
            return (pair[0], pair[1])
        }()

        static func check(_ input: [UInt8]) {
            var reader = InputReader(input)
            let most = [64, 200, 1_024, MessageError.longestMessage][Int(reader.byte() % 4)]
            let piece = max(1, Int(reader.byte()))
            let stream = Array(reader.rest)
            let (whole, parts) = (messages(stream, pieces: stream.count, most), messages(stream, pieces: piece, most))
            guard whole == parts else { broken("in pieces of \(piece): \(parts), at once: \(whole)") }
        }

        private static func messages(_ stream: [UInt8], pieces: Int, _ most: Int) -> [String] {
            var incoming = IncomingBytes()
            incoming.mostMessageBytes = most
            var found: [String] = []
            var at = 0
            while at < stream.count {
                let end = min(stream.count, at + pieces)
                stream[at..<end].withUnsafeBytes { _ = write(sockets.1, $0.baseAddress, $0.count) }
                at = end
                while case .bytes = incoming.receive(from: sockets.0) {
                    do throws(MessageError) {
                        while let message = try incoming.nextMessage(admit: admit) { found.append(text(message)) }
                    } catch {
                        while case .bytes = incoming.receive(from: sockets.0) { incoming.consume(incoming.bytes.count) }
                        return found + ["\(error)"]
                    }
                }
            }
            return found
        }

        private static func admit(_ header: MessageHeader, _ length: Int) -> IncomingBytes.Admission {
            header.serial % 2 == 0 ? .refused : .taken(nil)
        }

        private static func text(_ message: Message) -> String {
            // A description of the whole header would take longer than all other work.
            let header = message.header
            let numbers = [
                UInt32(header.kind), UInt32(header.flags), header.serial, header.replySerial,
                UInt32(header.descriptorCount), UInt32(message.bytes.count), UInt32(message.bodyStart),
            ]
            let texts = [
                header.path, header.interface, header.member, header.errorName, header.destination, header.sender,
                header.signature, message.defect == nil ? nil : "defect",
            ]
            return numbers.map(String.init).joined(separator: " ") + texts.map { $0 ?? "-" }.joined(separator: " ")
        }
    }
#endif
