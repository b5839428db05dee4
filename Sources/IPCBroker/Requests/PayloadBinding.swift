internal import IPCModel
internal import IPCStore

/// The payload of a request. It is a snapshot that does not change with the pasteboard.
struct BoundPayload: Sendable {
    var items: [PasteboardItem]?
    var pasteboard: PasteboardName?
    var changeCount: UInt64?
    /// The pasteboard, if the payload was the first content on it.
    var newPasteboard: ManagedPasteboard?
    /// Whether the payload is sensitive, so that no record may contain it.
    let isSecret: Bool
    /// Whether the version with this payload stays on the pasteboard, so that a record can refer to it.
    var isHeld = false
    /// The number of deliveries in an earlier record of the request; `nil` if there is no such record.
    var earlierAttempts: UInt32?
}

/// A copy on disk of a queued request's payload, made because the pasteboard is in memory.
struct DiskCopy: Sendable {
    let items: [PasteboardItem]
    /// The change count of the version that was copied; 0 if the payload came with the request.
    let changeCount: UInt64
}

extension BoundPayload {
    /// The payload that the record of a queued request keeps.
    func queued(_ copy: DiskCopy?) -> RequestPayload {
        guard let items else { return .none }
        if let copy { return .items(copy.items) }
        // The record refers to a version of a pasteboard, so that the content is not written twice.
        if let pasteboard, let changeCount, isHeld { return .version(of: pasteboard, changeCount: changeCount) }
        return .items(items)
    }
}

extension StoreTransaction {
    /// Binds the payload to a request: writes the items to the pasteboard, or reads a version of the pasteboard.
    /// - Parameter boundBefore: the change count of the version that an earlier broker bound to the request, if any.
    borrowing func bind(
        _ request: ValidatedRequest, _ items: [PasteboardItem]?, _ copy: DiskCopy?, boundBefore: UInt64?,
        source: Source, _ outgoing: OutgoingValues
    ) throws -> BoundPayload {
        guard let name = request.pasteboard else {
            return BoundPayload(
                items: try items.map { try request.handed($0, outgoing) }, isSecret: request.set.isSensitive)
        }
        guard request.items != nil, let items else {
            return try bindVersion(of: name, request, copy, boundBefore: boundBefore, outgoing)
        }
        let handed = try request.handed(items, outgoing)
        if let boundBefore {
            return BoundPayload(
                items: handed, pasteboard: name, changeCount: boundBefore, isSecret: request.set.isSensitive)
        }
        let isNew = try request.create && !hasPasteboard(name)
        if !isNew, let persistent = request.persistent { try setPersistent(persistent, of: name) }
        var options = request.set.with(source)
        if request.create { options.createsPersistent = request.keepsPasteboard }
        let count = try setItems(items, on: name, options)
        return BoundPayload(
            items: handed, pasteboard: name, changeCount: count,
            newPasteboard: isNew ? try managedPasteboard(name) : nil, isSecret: request.set.isSensitive,
            isHeld: !request.set.isOnce)
    }

    private borrowing func bindVersion(
        of name: PasteboardName, _ request: ValidatedRequest, _ copy: DiskCopy?, boundBefore: UInt64?,
        _ outgoing: OutgoingValues
    ) throws -> BoundPayload {
        if let copy {
            // The payload is not secret, because sensitive content is never copied to disk.
            return BoundPayload(
                items: copy.items, pasteboard: name, changeCount: copy.changeCount, isSecret: false)
        }
        let count = boundBefore ?? request.changeCount
        if request.isQueued { try requests.checkIsSmall(versionOf: name, count) }
        let content = try items(of: name, ReadOptions(changeCount: count))
        guard !request.isQueued || !content.facts.isSensitive else { throw ValidatedRequest.sensitiveQueued }
        return BoundPayload(
            items: try request.handed(content.items, outgoing), pasteboard: name,
            changeCount: content.facts.changeCount, isSecret: content.facts.isSensitive,
            isHeld: !content.facts.isOnce)
    }
}

extension ValidatedRequest {
    /// The items in the form that the handler accepts. The items of a queued request are prepared when it is sent.
    fileprivate func handed(_ items: [PasteboardItem], _ outgoing: OutgoingValues) throws -> [PasteboardItem] {
        guard isQueued else { return try outgoing.handed(items) }
        try outgoing.checkHanded(items)
        return items
    }
}
