/// A deliberate defect of deliveries, for tests that must see their promise broken.
enum DeliveryControl: String, Sendable {
    /// Every hundredth queued request is noted as handled and never sent.
    case dropOne = "drop-one"
    /// Every hundredth queued request is sent a second time under another id.
    case deliverTwice = "deliver-twice"
    /// Every hundredth request goes to the end of its line when its turn has come.
    case reorder
}
