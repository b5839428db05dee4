@preconcurrency import CNcurses
@preconcurrency import Glibc

/// The terminal as ncurses sees it. ncurses is not thread-safe, so ``Terminal`` guards this with a lock.
struct Screen {
    private let window: UnsafeMutablePointer<WINDOW>
    private let colors = Int(tigetnum("colors"))
    private var keyboard: Keyboard

    /// Fails if there is no memory.
    init?() {
        Unicode.Scalar.locale
        // Reading keys from a pad does not draw anything.
        guard newterm(nil, stdout, stdin) != nil, let window = newwin(0, 0, 0, 0), let pad = newpad(1, 1) else {
            return nil
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
        if cell.style.isUnderlined { attributes |= cncurses_underlined }
        if cell.style.isReversed { attributes |= cncurses_reversed }
        let (foreground, background) = (cell.style.foreground, cell.style.background)
        let isPlain = colors < 8 || foreground == nil && background == nil
        let pair = isPlain ? 0 : alloc_pair(foreground?.number(of: colors) ?? -1, background?.number(of: colors) ?? -1)
        return (cell.character?.pieces ?? []).map { cncurses_cell($0, Int32($0.count), attributes, pair) }
    }
}

extension Character {
    private static let joiner: wchar_t = 0x200D

    /// The scalars of the character, in one array for each cell of ncurses. The width of its first scalar must be the width
    /// of the cell, and a cell has at most 5 scalars (`CCHARW_MAX`).
    ///
    /// What does not fit is left out, and so is U+FE0F after a narrow character, because terminals disagree whether it
    /// makes the character wide. Characters that the C library does not know become U+FFFD.
    var pieces: [[wchar_t]] {
        let scalars = unicodeScalars.drop { $0.columns == 0 }
        let values = scalars.map { wchar_t($0.knownColumns == nil ? 0xFFFD : $0.value) }
        guard let first = scalars.first else { return [] }
        guard first.columns == 1 else {
            let end = values.count > 5 ? values.prefix(6).lastIndex(of: Self.joiner) ?? 5 : values.count
            return [Array(values[..<end])]
        }
        var pieces: [[wchar_t]] = []
        for (scalar, value) in zip(scalars, values) where value != 0xFE0F {
            if scalar.columns > 0, pieces.count == displayWidth { break }
            if scalar.columns == 2 { return [pieces[0].filter { $0 != Self.joiner }, [0x20]] }
            if scalar.columns > 0 { pieces.append([]) }
            if pieces[pieces.count - 1].count < 5 { pieces[pieces.count - 1].append(value) }
        }
        return pieces
    }
}
