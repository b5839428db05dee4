/// Which of a handler's lines a request stands in; within a line order holds (I8).
package enum DeliveryLine: Sendable, Hashable {
    /// The requests of every connection that states this source application.
    case application(ApplicationID)
    /// The requests of one connection that states no source application, by its unique name on the bus.
    case connection(String)
}
