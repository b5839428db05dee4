import IPCTesting

/// What must be the same after bad input as before it.
struct BrokerCondition: Sendable {
    /// Another round of the same may leave this much more anonymous memory: what the allocator keeps of a large
    /// message, never a copy for each.
    static let memoryTolerance = 4 << 20

    /// The process that owns the broker's name.
    var pid: Int32
    /// Open descriptors.
    var descriptors: Int
    /// Resident anonymous memory, in bytes.
    var memory: Int
    /// What is stored and registered, as everybody can read it.
    var content: [JSONValue]

    /// What is worse than it was, in words.
    func damage(since base: BrokerCondition) -> [String] {
        var damage: [String] = []
        if pid != base.pid { damage.append("the broker is process \(pid), it was \(base.pid)") }
        if descriptors != base.descriptors { damage.append("\(descriptors) descriptors, before \(base.descriptors)") }
        if memory - base.memory > Self.memoryTolerance { damage.append("\(memory) bytes, before \(base.memory)") }
        if content != base.content { damage.append("something was written: \(content), before \(base.content)") }
        return damage
    }
}
