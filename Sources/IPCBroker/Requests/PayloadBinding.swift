internal import IPCModel
internal import IPCStore

/// The payload of a request: its own snapshot, whatever becomes of the pasteboard.
struct BoundPayload: Sendable {
    var items: [PasteboardItem]?
    var pasteboard: PasteboardName?
    var changeCount: UInt64?
    /// Whether the request made the pasteboard.
    var isNewPasteboard = false
    /// Whether no record may keep it.
    var isSecret = false
    /// Whether its version stays on the pasteboard, where it can be held.
    var isHeld = false
    /// How often the request was delivered, as an earlier record of it says.
    var earlierAttempts: UInt32?
}

/// The payload of a request that is queued, on the disk while its pasteboard is in memory.
struct DiskCopy: Sendable {
    let items: [PasteboardItem]
    /// Of the version that was read; 0 where none was.
    let changeCount: UInt64
}

extension BoundPayload {
    /// The payload as it goes to the disk with a queued request.
    func queued(_ copy: DiskCopy?) -> RequestPayload {
        guard let items else { return .none }
        if let copy { return .items(copy.items) }
        // A version that is bound by its pasteboard, or was set on it, is held rather than written twice.
        if let pasteboard, let changeCount, isHeld { return .version(of: pasteboard, changeCount: changeCount) }
        return .items(items)
    }
}

extension StoreTransaction {
    /// The payload of a request, as the contract's rule "Payload" says.
    /// - Parameters:
    ///   - copy: what was taken over to the disk before.
    ///   - boundBefore: the change count that the same request was bound to before a crash.
    borrowing func bind(
        _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ copy: DiskCopy?, boundBefore: UInt64?,
        source: Source, _ limits: Limits, takesDescriptors: Bool
    ) throws -> BoundPayload {
        guard let name = request.pasteboard else {
            return BoundPayload(items: try items.map { try request.handed($0, limits, takesDescriptors) })
        }
        guard request.items != nil, let items else {
            return try bindVersion(
                of: name, request, copy, boundBefore: boundBefore, limits, takesDescriptors: takesDescriptors)
        }
        let handed = try request.handed(items, limits, takesDescriptors)
        if let boundBefore {
            return BoundPayload(items: handed, pasteboard: name, changeCount: boundBefore)
        }
        var isNew = false
        if request.create {
            let made = try createPasteboard(name, persistent: request.keepsPasteboard, source: source)
            isNew = made.isNew
            if !made.isNew, let persistent = request.persistent { try setPersistent(persistent, of: name) }
        } else if let persistent = request.persistent {
            try setPersistent(persistent, of: name)
        }
        let count = try setItems(items, on: name, request.set.with(source))
        return BoundPayload(
            items: handed, pasteboard: name, changeCount: count, isNewPasteboard: isNew,
            isSecret: request.set.isSensitive, isHeld: !request.set.isOnce)
    }

    private borrowing func bindVersion(
        of name: PasteboardName, _ request: ValidatedRequest, _ copy: DiskCopy?, boundBefore: UInt64?,
        _ limits: Limits, takesDescriptors: Bool
    ) throws -> BoundPayload {
        if let copy { return BoundPayload(items: copy.items, pasteboard: name, changeCount: copy.changeCount) }
        let content = try items(of: name, ReadOptions(changeCount: boundBefore ?? request.changeCount))
        guard !request.isQueued || !content.facts.isSensitive else { throw ValidatedRequest.sensitiveQueued }
        return BoundPayload(
            items: try request.handed(content.items, limits, takesDescriptors), pasteboard: name,
            changeCount: content.facts.changeCount, isSecret: content.facts.isSensitive,
            isHeld: !content.facts.isOnce)
    }
}

extension ValidatedRequest {
    /// The items as the handler can take them; what is queued is read when it is sent.
    func handed(
        _ items: [PasteboardItem], _ limits: Limits, _ takesDescriptors: Bool
    ) throws -> [PasteboardItem] {
        guard isQueued else { return try OutgoingValues.handed(items, limits, takesDescriptors: takesDescriptors) }
        try OutgoingValues.checkHanded(items, limits, takesDescriptors: takesDescriptors)
        return items
    }
}
