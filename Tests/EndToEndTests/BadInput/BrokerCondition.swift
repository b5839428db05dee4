import IPCTesting

/// The state that bad input must not change.
struct BrokerCondition: Sendable {
    /// The growth of anonymous memory that is allowed in a repeated round: enough for what the allocator keeps after a
    /// large message, but not for a copy of every message.
    static let memoryTolerance = 4 << 20

    /// The process that owns the broker's name.
    var pid: Int32
    /// Open descriptors.
    var descriptors: Int
    /// Resident anonymous memory, in bytes.
    var memory: Int
    /// The stored and registered content, as any client can read it.
    var content: [JSONValue]

    /// Everything that is worse than before, in words.
    func damage(since base: BrokerCondition) -> [String] {
        var damage: [String] = []
        if pid != base.pid { damage.append("the broker is process \(pid), it was \(base.pid)") }
        if descriptors != base.descriptors { damage.append("\(descriptors) descriptors, before \(base.descriptors)") }
        if memory - base.memory > Self.memoryTolerance { damage.append("\(memory) bytes, before \(base.memory)") }
        if content != base.content { damage.append("something was written: \(content), before \(base.content)") }
        return damage
    }
}
