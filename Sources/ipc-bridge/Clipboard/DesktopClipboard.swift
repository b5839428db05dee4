import IPCModel

import class IPCDBus.DBusActor

/// A desktop's clipboard, on X11 or Wayland. Its content is read only when a program requests it from the owner.
@DBusActor
protocol DesktopClipboard: AnyObject {
    nonisolated var display: Display { get }
    /// Called when another program has taken or emptied the clipboard.
    var changed: (_ isEmpty: Bool) -> Void { get set }
    /// Called once when the connection to the display has closed.
    var ended: () -> Void { get set }

    /// Calls ``changed`` for the current owner, and again after each change.
    func begin()
    /// The targets (names of formats) in which another program offers the content that it has copied.
    func targets() async throws(ClipboardFailure) -> [String]
    /// Reads the content for one target.
    /// - Parameter bytes: the size limit.
    func read(_ target: String, atMost bytes: Int) async throws(ClipboardFailure) -> ClipboardContent
    /// Takes the clipboard. Once this returns, every program that asks gets the offer.
    func offer(_ offer: ClipboardOffer) async
    /// Withdraws the offer, which empties the clipboard. Does nothing if another program owns the clipboard.
    func withdraw() async
    /// Disconnects from the display without calling ``ended``.
    func close()
}

/// The content that a program provides for one target.
struct ClipboardContent: Sendable {
    let value: Representation.Value
    /// The target that describes the value: the requested one or, for `TEXT`, the one that the program has chosen.
    let target: String
}

/// The content that this process offers.
struct ClipboardOffer: Sendable {
    /// The targets of the content, in order of preference.
    let targets: [String]
    /// Returns the content for one of the targets.
    let content: @DBusActor @Sendable (_ target: String) async throws -> ClipboardContent
}

extension Representation.Value {
    /// The result of calling `body` with a part of the content; `nil` if the content cannot be read.
    func withPart<Result>(_ part: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        switch self {
        case .text(var text):
            text.withUTF8 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[part])) }
        case .bytes(let bytes): bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[part])) }
        case .file(let file): try? file.withBytes(in: part, body)
        }
    }
}

/// The reason why a program does not provide the content that it offers.
enum ClipboardFailure: Error {
    /// The program refuses, or has no content for that target.
    case refused
    /// The content exceeds the size limit.
    case tooLarge
    /// The program has not responded for too long.
    case stalled
    /// Another program has taken the clipboard in the meantime, or the connection to the display has closed.
    case superseded
}
