internal import IPCDBus
internal import IPCInterface

/// The D-Bus object of one pasteboard: its properties, and the calls that read and write its versions.
struct PasteboardObject: Sendable {
    private let link: BrokerLink
    private let source: String
    private let name: PasteboardName

    init(_ application: Application, _ name: PasteboardName) {
        (link, source, self.name) = (application.link, application.id.text, name)
    }

    var path: ObjectPath {
        get throws(IPCError) {
            do throws(NameError) { return try Pasteboards1.root.appending(name.pathElement) } catch {
                throw IPCError(.invalidName, error.description)
            }
        }
    }

    func get<Content: ValueConvertible>(_ property: Property<Content>) async throws(IPCError) -> Content {
        let value = try await link.call(
            Properties.get, at: path, (property.interface.text, property.name.text), repeatable: true)
        guard let content = Content(dbusValue: value) else {
            throw IPCError(
                .storeUnavailable,
                "the broker's answer for \(property.name) has the unexpected type “\(value.signature)”")
        }
        return content
    }

    func set<Content: ValueConvertible>(
        _ property: Property<Content>, _ content: Content
    ) async throws(IPCError) {
        // Making a pasteboard persistent stores all its versions. Their size is unknown here, so allow time for 4 GiB.
        try await link.call(
            Properties.set, at: path, (property.interface.text, property.name.text, content.dbusValue),
            timeout: BrokerLink.timeout(storing: 4 << 30), repeatable: true)
    }

    func versions() async throws(IPCError) -> [PasteboardVersionInfo] {
        let rows = try await link.call(Pasteboard1.listVersions, at: path, NoOptions(), repeatable: true)
        return try rows.map { (facts) throws(IPCError) in try PasteboardVersionInfo(facts) }
    }

    /// Reads a version; with `take`, also consumes it. A call with `take` has an id if it may be sent again.
    func read(_ options: GetItemsOptions) async throws(IPCError) -> PasteboardVersion {
        var options = options
        if options.take == true, options.id == nil { options.id = await link.repetitionID() }
        options.fd = await link.takesDescriptors
        let (count, read, facts) = try await link.call(
            Pasteboard1.getItems, at: path, options, repeatable: options.take != true || options.id != nil)
        let items = read.map(\.item)
        try await IncomingValues.check(items, against: facts.digests)
        return PasteboardVersion(changeCount: count, items: items, facts)
    }

    func data(
        _ type: ContentType, item: UInt32, changeCount: UInt64?
    ) async throws(IPCError) -> Representation.Value {
        var options = GetDataOptions()
        options.changeCount = changeCount
        options.fd = await link.takesDescriptors
        let (value, facts) = try await link.call(
            Pasteboard1.getData, at: path, (item, type.text, options), repeatable: true)
        try await IncomingValues.check(value, size: facts.size, digest: facts.digest)
        return value
    }

    func options(_ options: PasteboardOptions) async throws(IPCError) -> WriteOptions {
        var wire = WriteOptions()
        wire.ifChangeCount = options.ifChangeCount
        wire.timeToLive = try options.milliseconds()
        if options.isSensitive { wire.sensitive = true }
        if options.isOnce { wire.once = true }
        wire.id = if let id = options.id { id.text } else { await link.repetitionID() }
        wire.sourceApplication = source
        return wire
    }

    /// - Returns: the change count of the new version.
    func write(
        _ items: [PasteboardItem], _ options: WriteOptions,
        by method: Method<([PasteboardItem], WriteOptions), UInt64> = Pasteboard1.setItems
    ) async throws(IPCError) -> UInt64 {
        let items = try await OutgoingItems.prepare(items, passes: link.passesDescriptors)
        var options = options
        options.digests = OutgoingItems.digests(of: items)
        while true {
            do {
                return try await link.call(
                    method, at: path, (items, options), timeout: BrokerLink.timeout(storing: items.byteCount),
                    repeatable: options.id != nil)
            } catch let error where error.code == .invalidArguments && options.digests != nil {
                // A broker that predates the option `digests` rejects it, and computes the digests itself.
                options.digests = nil
            }
        }
    }

    func clear(ifChangeCount count: UInt64?, id: RequestID?) async throws(IPCError) -> UInt64 {
        var options = ClearOptions()
        options.ifChangeCount = count
        options.id = if let id { id.text } else { await link.repetitionID() }
        options.sourceApplication = source
        return try await link.call(Pasteboard1.clear, at: path, options, repeatable: options.id != nil)
    }
}
