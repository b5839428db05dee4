internal import IPCDBus
internal import IPCInterface

/// The promises of this application on one board, the newest versions of them.
@DBusActor
final class PromisingBoard {
    private struct Version {
        let number: UInt64
        /// `nil` while the answer to the write is not here.
        var changeCount: UInt64?
        let promises: [[ContentType]]
        let provider: PromisedData
    }

    let name: PasteboardName
    private var versions: [Version] = []
    private var last: UInt64 = 0
    private let settling = WaitingTasks<Void>()

    init(_ name: PasteboardName) { self.name = name }

    var isEmpty: Bool { versions.isEmpty }

    /// Values that can still be asked for.
    var promiseCount: Int { versions.reduce(0) { $0 + $1.promises.reduce(0) { $0 + $1.count } } }

    /// Takes up promises whose version is being written.
    func begin(_ promises: [[ContentType]], _ provider: @escaping PromisedData) -> UInt64 {
        last += 1
        versions.append(Version(number: last, changeCount: nil, promises: promises, provider: provider))
        return last
    }

    /// The version was written, or was not.
    func settle(_ number: UInt64, at changeCount: UInt64?) {
        if let changeCount, let place = versions.firstIndex(where: { $0.number == number }) {
            versions[place].changeCount = changeCount
        } else {
            versions.removeAll { $0.number == number }
        }
        let kept = versions.compactMap(\.changeCount).sorted().suffix(PromiseKeeper.versionsKept)
        versions.removeAll { version in version.changeCount.map { !kept.contains($0) } ?? false }
        settling.resumeAll(with: ())
    }

    /// Releases the versions that are written; one that is being written may reach the next bus.
    /// - Returns: whether nothing is left.
    func forget() -> Bool {
        versions.removeAll { $0.changeCount != nil }
        return versions.isEmpty
    }

    /// The answer to the broker.
    func value(
        _ changeCount: UInt64, _ item: UInt32, _ wanted: String, _ options: PromisedDataOptions
    ) async -> Result<Representation.Value, any Error> {
        // The broker may ask for a version before the answer to its write is here.
        while mayBeWriting(changeCount) { await settling.wait { self.mayBeWriting(changeCount) ? nil : () } }
        guard let type = try? ContentType(wanted), let (promised, provider) = promise(changeCount, item, type) else {
            return .failure(PromiseGone.reply(item, wanted))
        }
        do {
            let value = try await provider(Int(item), promised)
            return .success(try await OutgoingItems.prepare(value, takesDescriptor: options.fd ?? false))
        } catch let error as any Condition {
            return .failure(error.errorReply)
        } catch {
            return .failure(ErrorReply(.failed, "\(error)"))
        }
    }

    /// Whether a version that is not known may be one that is being written.
    private func mayBeWriting(_ changeCount: UInt64) -> Bool {
        !versions.contains { $0.changeCount == changeCount } && versions.contains { $0.changeCount == nil }
    }

    /// A type as it was promised, and who gives it. The broker asks with the change count that the call gave which
    /// promised, also where items that were added since have made a later one; any other count means a version whose
    /// answer was lost, or one of another writer.
    private func promise(_ changeCount: UInt64, _ item: UInt32, _ type: ContentType) -> (ContentType, PromisedData)? {
        let version = versions.first { $0.changeCount == changeCount }
        guard let version, version.promises.indices.contains(Int(item)) else { return nil }
        return version.promises[Int(item)].first { $0 == type }.map { ($0, version.provider) }
    }
}
