import IPCModel

import class IPCDBus.DBusActor

/// The clipboard of a desktop, whichever display serves it. What it holds has no bytes until somebody asks its owner for them.
@DBusActor
protocol DesktopClipboard: AnyObject {
    /// Who serves it, in a sentence: `the X11 display :0`.
    nonisolated var display: String { get }
    /// Is told whenever the clipboard has got another owner; not when it is this process.
    var changed: (ClipboardOwner) -> Void { get set }
    /// Is told once when the display has ended.
    var ended: () -> Void { get set }

    /// Says who owns it now, by ``changed``, and tells changes from now on.
    func begin()
    /// The targets in which another program offers what it has copied.
    func targets() async throws(ClipboardFailure) -> [String]
    /// The content in one target.
    /// - Parameter bytes: the most that is taken.
    func read(_ target: String, atMost bytes: Int) async throws(ClipboardFailure) -> ClipboardContent
    /// Takes the clipboard, and gives what is offered to whoever asks for it; who asks when this returns gets it.
    func offer(_ offer: ClipboardOffer) async
    /// Gives up what was offered; the clipboard is empty when this returns. Does nothing where another program owns it.
    func withdraw() async
    /// Leaves the display, without ``ended``.
    func close()
}

/// Who has put on the clipboard what it holds.
enum ClipboardOwner: Sendable {
    /// A program beside this one.
    case another
    /// Nobody: it is empty.
    case nobody
}

/// What a program gives for one target.
struct ClipboardContent: Sendable {
    let bytes: [UInt8]
    /// What it says that these are, which for the X11 target `TEXT` is its choice.
    let target: String
}

/// What this process offers to others.
struct ClipboardOffer: Sendable {
    /// The names under which it can be asked for, in the order of preference.
    let targets: [String]
    /// Gives the content for one of them.
    let content: @DBusActor @Sendable (_ target: String) async throws -> OfferedContent
}

/// What is given to another program for one target.
struct OfferedContent: Sendable {
    let value: Representation.Value
    /// What it is: the target itself, but for `TEXT`.
    let target: String
}

/// Why a program does not give what it offers.
enum ClipboardFailure: Error, Hashable {
    /// It does not want to, or there is nothing of that kind.
    case refused
    /// There is more than may be taken.
    case tooLarge
    /// It has said nothing for so long that it is not waited for any more.
    case stalled
    /// Another program has taken the clipboard meanwhile, or the display has ended.
    case superseded
}
