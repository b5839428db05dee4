@preconcurrency import CNcurses
import Glibc

/// Converts what ncurses reads from the keyboard into events.
struct Keyboard {
    /// What ncurses reads: a key with a name, or a character.
    private enum Input {
        case key(Int32)
        case scalar(Unicode.Scalar)
    }

    private let pad: UnsafeMutablePointer<WINDOW>
    /// The bytes of a character whose remaining bytes have not arrived.
    private var decoder = mbstate_t()
    /// Typed scalars that may belong to one character.
    private var text = ""
    /// The text pasted so far; `nil` outside a bracketed paste.
    private var paste: String?
    private var events: [TerminalEvent] = []

    private static let escape: Unicode.Scalar = "\u{1B}"

    init(_ pad: UnsafeMutablePointer<WINDOW>) {
        self.pad = pad
        keypad(pad, true)
        nodelay(pad, true)
        meta(pad, true)
        // How long Escape waits for further bytes that would make it another key, in milliseconds.
        set_escdelay(50)
        // Keys with Shift, Alt and Control (xterm, “PC-Style Function Keys”), which terminfo names differently or not at all.
        let letters = ["A": KEY_UP, "B": KEY_DOWN, "C": KEY_RIGHT, "D": KEY_LEFT, "H": KEY_HOME, "F": KEY_END]
        let numbers = [3: KEY_DC, 5: KEY_PPAGE, 6: KEY_NPAGE]
        for held in 2...8 {
            for (letter, key) in letters { define_key("\u{1B}[1;\(held)\(letter)", key) }
            for (number, key) in numbers { define_key("\u{1B}[\(number);\(held)~", key) }
        }
    }

    /// Returns the events of everything that has been typed so far.
    mutating func read() -> [TerminalEvent] {
        while let input = next() { take(input) }
        flush()
        defer { events = [] }
        return events
    }

    private mutating func next() -> Input? {
        while true {
            let code = wgetch(pad)
            guard code != ERR else { return nil }
            guard code < KEY_MIN else { return .key(code) }
            var byte = CChar(truncatingIfNeeded: code)
            var value: wchar_t = 0
            switch mbrtowc(&value, &byte, 1, &decoder) {
            case -2: continue
            case -1:
                decoder = mbstate_t()
                return .scalar("\u{FFFD}")
            default: return .scalar(Unicode.Scalar(UInt32(value)) ?? "\u{FFFD}")
            }
        }
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .scalar(let scalar) where paste != nil: addToPaste(scalar)
        case .scalar(Self.escape): takeEscape()
        case .scalar(let scalar) where scalar.value < 0x20 || scalar.value == 0x7F:
            if let key = Self.control(scalar) { add(.key(key)) }
        case .scalar(let scalar): text.unicodeScalars.append(scalar)
        case .key(let code):
            // A control sequence in a paste has no meaning.
            if paste == nil, let key = Self.named(code) { add(.key(key)) }
        }
    }

    private static func control(_ scalar: Unicode.Scalar) -> Key? {
        switch scalar.value {
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x08, 0x7F: .backspace
        case 0x01...0x1A: .control(Character(Unicode.Scalar(UInt8(scalar.value + 0x60))))
        default: nil
        }
    }

    private static func named(_ code: Int32) -> Key? {
        switch code {
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_HOME: .home
        case KEY_END: .end
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_DC: .delete
        case KEY_BACKSPACE: .backspace
        case KEY_BTAB: .backTab
        case KEY_ENTER: .enter
        default: nil
        }
    }

    /// Reads the rest of a sequence that ncurses does not know: parameters, then the byte that identifies it (ECMA-48 §5.4).
    private mutating func takeEscape() {
        let following = next()
        guard case .scalar("[") = following else {
            add(.key(.escape))
            if let following { take(following) }
            return
        }
        var sequence = ""
        while case .scalar(let scalar)? = next() {
            sequence.unicodeScalars.append(scalar)
            if ("@"..."~").contains(scalar) { break }
        }
        if sequence == "200~" { paste = "" }
    }

    private mutating func addToPaste(_ scalar: Unicode.Scalar) {
        paste?.unicodeScalars.append(scalar)
        guard scalar == "~", let pasted = paste, pasted.hasSuffix("\u{1B}[201~") else { return }
        // Terminals send a carriage return for a line break. “\r\n” is one Character.
        add(.paste(String(pasted.dropLast(6).map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })))
        paste = nil
    }

    private mutating func add(_ event: TerminalEvent) {
        flush()
        events.append(event)
    }

    private mutating func flush() {
        events += text.map { .key(.character($0)) }
        text = ""
    }
}
