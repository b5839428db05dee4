internal import IPCModel
internal import IPCStore

/// A deliberate defect in deliveries, to verify that the tests detect it.
enum DeliveryControl {
    /// Every hundredth queued request is recorded as handled but never sent.
    case dropOne
    /// Every hundredth queued request is sent a second time, under another id.
    case deliverTwice
    /// Every hundredth request goes to the end of its sender queue when its turn comes.
    case reorder

    #if DEBUG
        /// The defect with this name, as set in a test's environment.
        init?(name: String) {
            switch name {
            case "drop-one": self = .dropOne
            case "deliver-twice": self = .deliverTwice
            case "reorder": self = .reorder
            default: return nil
            }
        }
    #endif
}

/// Decides when a defect shows. In release builds, no defect ever shows, so the compiler removes this code.
struct DeliveryDefects {
    #if DEBUG
        private let control: DeliveryControl?
        private var chances = 0

        /// - Throws: an `IPCError` for a name that is neither a defect in deliveries nor one in the store.
        init(_ configuration: BrokerConfiguration) throws(IPCError) {
            control = configuration.control.flatMap { DeliveryControl(name: $0) }
            if let name = configuration.control, control == nil, StoreConfiguration.Control(rawValue: name) == nil {
                throw IPCError(.invalidArguments, "there is no test defect named “\(name)”")
            }
        }

        /// Whether this defect shows now: on the first call for it, and then on every hundredth.
        mutating func show(_ control: DeliveryControl) -> Bool {
            guard self.control == control else { return false }
            chances += 1
            return chances % 100 == 1
        }
    #else
        init(_ configuration: BrokerConfiguration) throws(IPCError) {}

        func show(_ control: DeliveryControl) -> Bool { false }
    #endif
}
