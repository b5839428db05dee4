@preconcurrency import CNcurses
@preconcurrency import Glibc

/// The terminal as ncurses sees it. ncurses is not thread-safe, so ``Terminal`` guards this with a lock.
struct Screen {
    private let window: UnsafeMutablePointer<WINDOW>
    private let colors = Int(tigetnum("colors"))
    private var keyboard: Keyboard

    init() {
        Unicode.Scalar.locale
        // Reading keys from a pad does not draw anything.
        guard newterm(nil, stdout, stdin) != nil, let window = newwin(0, 0, 0, 0), let pad = newpad(1, 1) else {
            fatalError("ncurses cannot allocate its windows")
        }
        // Draw everything even if keys are waiting.
        typeahead(-1)
        start_color()
        use_default_colors()
        self.window = window
        keyboard = Keyboard(pad)
    }

    /// Reads the keys that have been typed so far.
    mutating func read() -> [TerminalEvent] { keyboard.read() }

    /// Draws the canvas; ncurses sends only the differences from the last one.
    func show(_ canvas: Canvas) {
        let size = Terminal.currentSize
        if is_term_resized(Int32(size.rows), Int32(size.columns)) { resizeterm(Int32(size.rows), Int32(size.columns)) }
        werase(window)
        for row in 0..<min(canvas.size.rows, size.rows) {
            let cells = (0..<canvas.size.columns).flatMap { self.cells(of: canvas[row, $0]) }
            mvwadd_wchnstr(window, Int32(row), 0, cells, Int32(cells.count))
        }
        curs_set(canvas.cursor == nil ? 0 : 1)
        if let cursor = canvas.cursor { wmove(window, Int32(cursor.row), Int32(cursor.column)) }
        wrefresh(window)
    }

    func ring() { beep() }

    /// Makes the next ``show(_:)`` draw everything, after another program has used the terminal.
    func forget() {
        clearok(window, true)
        curs_set(1)
    }

    private func cells(of cell: Canvas.Cell) -> [cchar_t] {
        var attributes: attr_t = 0
        if cell.style.isBold { attributes |= cncurses_bold }
        if cell.style.isDim { attributes |= cncurses_dim }
        if cell.style.isReversed { attributes |= cncurses_reversed }
        let (foreground, background) = (cell.style.foreground, cell.style.background)
        let isPlain = colors < 8 || foreground == nil && background == nil
        // The number -1 is the terminal's default.
        let numbers = [foreground, background].map { $0?.number(of: colors) ?? -1 }
        let pair = isPlain ? 0 : max(0, alloc_pair(numbers[0], numbers[1]))
        return (cell.character?.pieces ?? []).map { cncurses_cell($0, Int32($0.count), attributes, pair) }
    }
}

extension Character {
    private static let joiner: wchar_t = 0x200D

    /// The scalars of the character, in one array for each cell of ncurses. The first scalar determines the width of its
    /// cell. A cell has at most 5 scalars (`CCHARW_MAX`); a longer emoji is cut where its parts are joined.
    ///
    /// U+FE0F is left out after a narrow character, because terminals disagree on whether it makes the character wide.
    /// Characters that the C library does not know become U+FFFD.
    var pieces: [[wchar_t]] {
        var pieces: [[wchar_t]] = []
        for scalar in unicodeScalars where !(pieces.isEmpty && scalar.columns == 0) {
            let beginsCell = pieces.isEmpty || scalar.columns > 0 && !isWide
            // Terminals disagree on the width of a narrow cell and a wide cell that are joined.
            if beginsCell, scalar.columns == 2, let last = pieces.popLast() {
                pieces.append(last.filter { $0 != Self.joiner })
            }
            if beginsCell { pieces.append([]) }
            if isWide || scalar != "\u{FE0F}" {
                pieces[pieces.count - 1].append(wchar_t(scalar.knownColumns == nil ? 0xFFFD : scalar.value))
            }
        }
        return pieces.map { piece in
            piece.count > 5 ? Array(piece[..<(piece.prefix(6).lastIndex(of: Self.joiner) ?? 5)]) : piece
        }
    }
}
