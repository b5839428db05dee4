import CXCB

import class IPCDBus.DBusActor
import class IPCDBus.DBusTimer

/// Asks the owner of a selection for its content (ICCCM §2.4), which may arrive in pieces (INCR, §2.7.2).
///
/// Each question has a window of its own, which ends the owner's writing when it is destroyed.
@DBusActor
final class XSelectionReader {
    @DBusActor
    private final class Question {
        let most: Int
        let answer: CheckedContinuation<Result<XProperty, ClipboardFailure>, Never>
        let timer = DBusTimer()
        /// The pieces that have arrived; nil until the content is known to come in pieces.
        var pieces: [UInt8]?
        var type: xcb_atom_t = 0

        init(most: Int, _ answer: CheckedContinuation<Result<XProperty, ClipboardFailure>, Never>) {
            (self.most, self.answer) = (most, answer)
        }
    }

    /// The time in which an owner has to answer. Some have to make their content first.
    private static let patience = Duration.seconds(10)

    private let connection: XConnection
    private let selection: xcb_atom_t
    private let property: xcb_atom_t
    private let incremental: xcb_atom_t
    private var questions: [xcb_window_t: Question] = [:]

    init(_ connection: XConnection, of selection: xcb_atom_t) {
        self.connection = connection
        self.selection = selection
        property = connection.atom("_SWIFT_IPC_CONTENT")
        incremental = connection.atom("INCR")
    }

    func read(_ target: xcb_atom_t, atMost most: Int) async throws(ClipboardFailure) -> XProperty {
        try await withCheckedContinuation { (answer: CheckedContinuation<Result<XProperty, ClipboardFailure>, Never>) in
            let window = connection.makeWindow()
            questions[window] = Question(most: most, answer)
            xcb_convert_selection(
                connection.handle, window, selection, target, property, xcb_timestamp_t(XCB_CURRENT_TIME))
            wait(for: window)
            connection.pump()
        }.get()
    }

    /// Ends all questions: later answers would be the content of another program.
    func endAll() {
        for window in questions.keys { end(window, .failure(.superseded)) }
    }

    func answered(_ event: xcb_selection_notify_event_t) {
        guard let question = questions[event.requestor], question.pieces == nil else { return }
        guard event.property != XCB_ATOM_NONE.rawValue else { return end(event.requestor, .failure(.refused)) }
        guard let content = take(event.requestor, question) else { return }
        guard content.type == incremental else { return end(event.requestor, .success(content)) }
        // The property states the least size of the content.
        guard Int(content.words.first ?? 0) <= question.most else { return end(event.requestor, .failure(.tooLarge)) }
        question.pieces = []
        wait(for: event.requestor)
    }

    func changed(_ event: xcb_property_notify_event_t) {
        guard event.state == UInt8(XCB_PROPERTY_NEW_VALUE.rawValue), event.atom == property,
            let question = questions[event.window], question.pieces != nil,
            let piece = take(event.window, question)
        else { return }
        guard piece.bytes.isEmpty else {
            question.type = piece.type
            question.pieces?.append(contentsOf: piece.bytes)
            return wait(for: event.window)
        }
        // The last piece is empty.
        let content = XProperty(type: question.type, format: 8, bytes: question.pieces ?? [], bytesLeft: 0)
        end(event.window, .success(content))
    }

    /// Reads and removes the property; nil if that has ended the question.
    private func take(_ window: xcb_window_t, _ question: Question) -> XProperty? {
        let room = question.most - (question.pieces?.count ?? 0)
        guard let content = connection.property(property, of: window, atMost: room, removes: true) else {
            end(window, .failure(.refused))
            return nil
        }
        guard content.bytesLeft == 0, content.bytes.count <= room || content.type == incremental else {
            end(window, .failure(.tooLarge))
            return nil
        }
        return content
    }

    private func wait(for window: xcb_window_t) {
        questions[window]?.timer.set(at: .now + Self.patience) { [weak self] in
            self?.end(window, .failure(.stalled))
        }
    }

    private func end(_ window: xcb_window_t, _ result: Result<XProperty, ClipboardFailure>) {
        guard let question = questions.removeValue(forKey: window) else { return }
        question.timer.cancel()
        xcb_destroy_window(connection.handle, window)
        xcb_flush(connection.handle)
        question.answer.resume(returning: result)
    }
}
