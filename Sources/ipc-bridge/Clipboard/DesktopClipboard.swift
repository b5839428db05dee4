import Glibc
import IPCModel
import IPCTools

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

extension Representation.Value {
    /// Runs a closure with a part of the content.
    /// - Returns: `nil` where it cannot be read.
    func withPart<Result>(_ part: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        switch self {
        case .text(var text):
            text.withUTF8 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[part])) }
        case .bytes(let bytes): bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[part])) }
        case .file(let file): try? file.withBytes(in: part, body)
        }
    }
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

/// The one clipboard of a session. A compositor keeps its clipboard and that of its X11 programs in step itself, so one is enough.
@DBusActor
enum ClipboardOfSession {
    /// - Parameter display: an X11 display; `nil` is what the environment says.
    static func open(_ display: String?, _ report: BridgeReport) throws(ToolFailure) -> any DesktopClipboard {
        if let display { return try XClipboard.open(display) }
        let hasX11 = isSet("DISPLAY")
        guard isSet("WAYLAND_DISPLAY") else {
            guard hasX11 else { throw .noDisplay }
            return try XClipboard.open(nil)
        }
        do throws(ToolFailure) {
            return try WaylandClipboard.open()
        } catch {
            guard hasX11 else { throw error }
            report.trace("NoDisplay", error.message)
            return try XClipboard.open(nil)
        }
    }

    private static func isSet(_ variable: String) -> Bool { getenv(variable).map { $0.pointee != 0 } ?? false }
}

extension ToolFailure {
    fileprivate static let noDisplay = ToolFailure(
        name: "NoDisplay",
        message:
            "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; start it in the session of a desktop",
        exit: .unavailable)
}
