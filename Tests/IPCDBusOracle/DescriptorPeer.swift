internal import CLibDBus
internal import CLinux
internal import Glibc
internal import IPCDBus

/// A libdbus connection and the other end of its socket. Messages with descriptors need a connection, because
/// `dbus_message_demarshal` rejects all of them.
final class DescriptorPeer {
    private let listener: CInt
    private let address: String
    private var connection: OpaquePointer?
    private var socket: CInt = -1
    /// The files whose descriptors messages carry. All are different, so that the comparison notices a wrong one.
    private let files: [Descriptor]

    static let mostDescriptors = 4

    /// - Returns: `nil` if the system has no socket or no file left.
    init?() {
        // The kernel chooses the name of the abstract socket: five hexadecimal digits (unix(7), "autobind").
        let listener = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var length = socklen_t(MemoryLayout<sa_family_t>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 4) == 0 else { return false }
                length = socklen_t(MemoryLayout<sockaddr_un>.size)
                return getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { return nil }
        self.listener = listener
        let digits = withUnsafeBytes(of: &name.sun_path) { Array($0[1..<(Int(length) - 2)]) }
        address = "unix:abstract=" + String(decoding: digits, as: UTF8.self)
        files = (0..<Self.mostDescriptors).compactMap { _ in
            let file = clinux_memory_file("oracle")
            return file < 0 ? nil : Descriptor(owning: file)
        }
    }

    deinit {
        disconnect()
        close(listener)
    }

    // MARK: The connection

    private func disconnect() {
        if let connection {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
        }
        if socket >= 0 { close(socket) }
        (connection, socket) = (nil, -1)
    }

    /// Connects libdbus, and answers like a server that accepts descriptors (D-Bus specification, "Authentication
    /// Protocol").
    private func connect() -> OpaquePointer? {
        if let connection { return connection }
        guard let connection = dbus_connection_open_private(address, nil) else { return nil }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        self.connection = connection
        socket = accept(listener, nil, nil)
        var said = ""
        while dbus_connection_get_is_authenticated(connection) == 0 {
            dbus_connection_read_write(connection, 0)
            var room = [UInt8](repeating: 0, count: 256)
            let count = recv(socket, &room, room.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { continue }
            said += String(decoding: room[..<count], as: UTF8.self)
            while let end = said.firstIndex(of: "\r\n") {
                answer(said[..<end])
                said = String(said[said.index(after: end)...])
            }
        }
        return connection
    }

    private func answer(_ line: Substring) {
        let answer =
            line.contains("AUTH")
            ? "OK 0123456789abcdef0123456789abcdef\r\n"
            : line.contains("NEGOTIATE_UNIX_FD") ? "AGREE_UNIX_FD\r\n" : ""
        _ = answer.withCString { send(socket, $0, answer.utf8.count, 0) }
    }

    // MARK: Messages

    /// The message that libdbus reads; `nil` if it rejects the message, and with it the connection.
    private func exchange(_ bytes: [UInt8], _ descriptors: [Descriptor]) -> ReferenceMessage? {
        guard let connection = connect() else { return nil }
        let numbers = descriptors.map(\.rawValue)
        let sent = bytes.withUnsafeBytes { bytes in
            var part = iovec(iov_base: UnsafeMutableRawBufferPointer(mutating: bytes).baseAddress, iov_len: bytes.count)
            return clinux_send(socket, &part, 1, numbers, CInt(numbers.count))
        }
        guard sent == bytes.count else { return nil }
        while dbus_connection_get_is_connected(connection) != 0 {
            dbus_connection_read_write(connection, 0)
            if let message = dbus_connection_pop_message(connection) {
                if dbus_message_is_signal(message, "org.freedesktop.DBus.Local", "Disconnected") == 0 {
                    return ReferenceMessage(owning: message)
                }
                dbus_message_unref(message)
            }
        }
        disconnect()
        return nil
    }

    /// Compares a message with descriptors, in both directions.
    /// - Parameter bytes: a whole message, which may be invalid.
    func difference(_ bytes: [UInt8], descriptorCount: Int) -> String? {
        let descriptors = files.prefix(descriptorCount).compactMap { Descriptor(duplicating: $0.rawValue) }
        let reading = Reading(bytes, descriptors: descriptors)
        if let conflict = reading.conflict { return conflict }
        let reference = exchange(bytes, descriptors)
        // Descriptors that the message does not use would be assigned to the next message, so close the connection.
        if reading.message?.descriptors.count != descriptorCount { disconnect() }
        switch (reference, reading.message) {
        case (nil, nil): return nil
        case (nil, let message?):
            let difference = IntendedDifference.acceptance(bytes, message) { exchange($0, descriptors) != nil }
            return difference == nil ? "IPCDBus accepts what libdbus rejects" : nil
        case (let reference?, nil):
            let differences = IntendedDifference.rejections(reference, descriptorCount: descriptorCount)
            return differences.isEmpty ? "IPCDBus rejects what libdbus accepts: \(reading.error!)" : nil
        case (let reference?, let message?):
            return reference.difference(message) ?? ValueComparison.difference(reading.values, reference)
                ?? returned(reading.values, message.signature)
        }
    }

    /// Lets each side write a message with descriptors and the other side read it, and compares the results.
    private func returned(_ values: [Value], _ signature: String) -> String? {
        do throws(MessageError) {
            let ours = try Message.signal(
                path: "/a", interface: "a.b", member: "M", to: nil, signature: signature
            ) { (writer) throws(MessageError) in for value in values { try value.writeContent(to: &writer) } }
            ours.setSerial(1)
            guard let read = exchange(Array(ours.bytes), ours.descriptors.compactMap { $0 }) else {
                return "libdbus rejects a message with descriptors that IPCDBus has written"
            }
            if let difference = ValueComparison.difference(values, read) { return "written by IPCDBus: \(difference)" }
        } catch .tooManyDescriptors {
            // A descriptor that occurs several times is written as a new descriptor each time, which may exceed the
            // limit.
            return nil
        } catch { return "IPCDBus does not write what it has read: \(error)" }
        guard let connection = connect(), let theirs = ReferenceWriter.message(values) else {
            return "libdbus does not write"
        }
        dbus_connection_send(connection, theirs.pointer, nil)
        dbus_connection_flush(connection)
        return arrivalDifference(theirs)
    }

    private func arrivalDifference(_ theirs: ReferenceMessage) -> String? {
        var incoming = IncomingBytes()
        do throws(MessageError) {
            while case .bytes = incoming.receive(from: socket) {
                guard let message = try incoming.nextMessage() else { continue }
                let reading = Reading(message)
                return reading.conflict ?? ValueComparison.difference(reading.values, theirs)
            }
        } catch { return "IPCDBus does not read descriptors of libdbus: \(error)" }
        return "a message of libdbus does not arrive"
    }
}
