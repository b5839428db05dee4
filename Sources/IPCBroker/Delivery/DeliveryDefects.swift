internal import IPCModel
internal import IPCStore

/// A deliberate defect of deliveries, for tests that must see their promise broken.
enum DeliveryControl {
    /// Every hundredth queued request is noted as handled and never sent.
    case dropOne
    /// Every hundredth queued request is sent a second time under another id.
    case deliverTwice
    /// Every hundredth request goes to the end of its sender queue when its turn has come.
    case reorder

    #if DEBUG
        /// The defect with this name in the environment of a test.
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

/// When a defect shows. In release programs no defect ever shows, so the compiler removes them.
struct DeliveryDefects {
    #if DEBUG
        private let control: DeliveryControl?
        private var chances = 0

        /// - Throws: an `IPCError` for a name that is neither a defect of deliveries nor one of the store.
        init(_ configuration: BrokerConfiguration) throws(IPCError) {
            control = configuration.control.flatMap { DeliveryControl(name: $0) }
            if let name = configuration.control, control == nil, StoreConfiguration.Control(rawValue: name) == nil {
                throw IPCError(.invalidArguments, "there is no control “\(name)” for tests")
            }
        }

        /// Whether this defect shows now: at the first chance, and then once in a hundred.
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
