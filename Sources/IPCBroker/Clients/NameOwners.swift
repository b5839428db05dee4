internal import IPCDBus
internal import IPCModel

/// The owners of well-known names, as the bus reports them in signals and in answers to questions. A signal is handled
/// when it arrives, but an answer is handled only when the task that waits for it resumes. An answer therefore counts
/// only if no signal about the name has arrived since the question. Otherwise, the broker could believe that a handler
/// that has left is still the owner, and no signal would correct that.
struct NameOwners: Sendable {
    enum Owner: Sendable, Equatable {
        /// There is an owner, but it is not known which one. The bus is asked when this is needed.
        case unknown
        case known(BusName)
    }

    struct Question: Sendable {
        fileprivate let application: ApplicationID
        fileprivate let number: UInt64
    }

    /// The questions about a name that no signal has overtaken.
    private struct OpenQuestions {
        let first: UInt64
        var count = 0
    }

    private var owners: [ApplicationID: Owner] = [:]
    /// The open questions about each name, until one of them is answered. Each counts, not only the newest: otherwise, a
    /// queue that asked first would get no owner, and no later answer would wake it.
    private var open: [ApplicationID: OpenQuestions] = [:]
    private var questionCount: UInt64 = 0

    subscript(application: ApplicationID) -> Owner? { owners[application] }

    /// Notes that the bus has listed this name, which therefore has an owner.
    mutating func list(_ application: ApplicationID) {
        if owners[application] == nil { owners[application] = .unknown }
    }

    mutating func change(_ application: ApplicationID, to owner: BusName?) {
        open[application] = nil
        owners[application] = owner.map { .known($0) }
    }

    mutating func ask(_ application: ApplicationID) -> Question {
        questionCount += 1
        open[application, default: OpenQuestions(first: questionCount)].count += 1
        return Question(application: application, number: questionCount)
    }

    /// Notes an answer, unless a signal has overtaken it, or the owner is already known.
    mutating func answer(_ question: Question, _ owner: BusName?) {
        guard isOpen(question) else { return }
        open[question.application] = nil
        if case .known = owners[question.application] { return }
        owners[question.application] = owner.map { .known($0) }
    }

    /// Notes that a question to the bus has failed.
    mutating func drop(_ question: Question) {
        guard isOpen(question) else { return }
        open[question.application]?.count -= 1
        if open[question.application]?.count == 0 { open[question.application] = nil }
    }

    private func isOpen(_ question: Question) -> Bool {
        open[question.application].map { question.number >= $0.first } ?? false
    }

    /// Removes an owner that is known to have left although the bus has not reported it yet.
    mutating func forget(_ application: ApplicationID, owner: BusName) {
        if owners[application] == .known(owner) { owners[application] = nil }
    }
}
