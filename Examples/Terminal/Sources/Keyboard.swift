@preconcurrency import CNcurses
import Glibc

/// Converts the keyboard input of ncurses into events.
struct Keyboard {
    /// An input that ncurses reads: a named key, or a scalar.
    private enum Input {
        case key(Int32)
        case scalar(Unicode.Scalar)
    }

    private let pad: UnsafeMutablePointer<WINDOW>
    /// The bytes of a scalar whose remaining bytes have not arrived.
    private var decoder = mbstate_t()
    /// Typed scalars that may belong to one character.
    private var text = ""
    /// The text pasted so far; `nil` outside a bracketed paste.
    private var paste: String?
    private var events: [TerminalEvent] = []

    /// The keys of ncurses, and of control characters.
    private static let keys: [Int32: Key] = [
        KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right, KEY_HOME: .home, KEY_END: .end,
        KEY_PPAGE: .pageUp, KEY_NPAGE: .pageDown, KEY_DC: .delete, KEY_BACKSPACE: .backspace, 0x08: .backspace,
        0x7F: .backspace, KEY_BTAB: .backTab, 0x09: .tab, KEY_ENTER: .enter, 0x0A: .enter, 0x0D: .enter,
    ]

    init(_ pad: UnsafeMutablePointer<WINDOW>) {
        self.pad = pad
        cbreak()
        noecho()
        nonl()
        keypad(pad, true)
        nodelay(pad, true)
        meta(pad, true)
        // How long ncurses waits after Escape for further bytes of another key, in milliseconds.
        set_escdelay(50)
        // The sequences that terminals send for these keys, with and without Shift, Alt and Control (xterm, “PC-Style Function
        // Keys”). Terminfo names only some of them.
        let held = (2...8).map { ";\($0)" }
        let letters = ["A": KEY_UP, "B": KEY_DOWN, "C": KEY_RIGHT, "D": KEY_LEFT, "H": KEY_HOME, "F": KEY_END]
        for (letter, key) in letters {
            for start in ["[", "O"] + held.map({ "[1" + $0 }) { define_key("\u{1B}" + start + letter, key) }
        }
        let numbers = [1: KEY_HOME, 3: KEY_DC, 4: KEY_END, 5: KEY_PPAGE, 6: KEY_NPAGE, 7: KEY_HOME, 8: KEY_END]
        for (number, key) in numbers {
            for modifier in [""] + held { define_key("\u{1B}[\(number)\(modifier)~", key) }
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
            // -2 means that bytes are missing, and -1 that the bytes are not UTF-8 (mbrtowc(3)).
            let length = mbrtowc(&value, &byte, 1, &decoder)
            if length == -2 { continue }
            if length == -1 { decoder = mbstate_t() }
            return .scalar(length < 0 ? "\u{FFFD}" : Unicode.Scalar(UInt32(value)) ?? "\u{FFFD}")
        }
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .scalar(let scalar) where paste != nil: addToPaste(scalar)
        case .scalar("\u{1B}"): takeEscape()
        case .scalar(let scalar) where scalar.value < 0x20 || scalar.value == 0x7F:
            let letter = Unicode.Scalar(UInt8(scalar.value | 0x60))
            add(.key(Self.keys[Int32(scalar.value)] ?? .control(Character(letter))))
        case .scalar(let scalar): text.unicodeScalars.append(scalar)
        case .key(let code):
            // A named key in a paste is a control sequence in the pasted text, and is ignored.
            if paste == nil, let key = Self.keys[code] { add(.key(key)) }
        }
    }

    /// Handles the input directly after Escape. If there is none, the key was Escape. A character typed with Alt is ignored.
    /// A sequence that ncurses does not know (ECMA-48 §5.4) is skipped unless it begins a paste.
    private mutating func takeEscape() {
        switch next() {
        case .scalar("["), .scalar("O"):
            var sequence = ""
            while case .scalar(let scalar)? = next() {
                sequence.unicodeScalars.append(scalar)
                if ("@"..."~").contains(scalar) { break }
            }
            if sequence == "200~" { paste = "" }
        case .scalar(let scalar) where scalar.value >= 0x20 && scalar.value != 0x7F: break
        case let other:
            add(.key(.escape))
            if let other { take(other) }
        }
    }

    private mutating func addToPaste(_ scalar: Unicode.Scalar) {
        paste?.unicodeScalars.append(scalar)
        guard scalar == "~", let pasted = paste, pasted.hasSuffix("\u{1B}[201~") else { return }
        paste = nil
        // Terminals send a carriage return for a line break. “\r\n” is one Character.
        add(.paste(String(pasted.dropLast(6).map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })))
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
