package import IPCModel

package enum StoreError: Condition, Hashable {
    /// The disk is full. The operation was not written; acknowledged operations are safe, and reads still work.
    case noSpace
    /// The database or its log was removed or moved while the store was open. Nothing was written; reads still work.
    case removed(path: String)
    /// Another file replaced the database or its log while the store was open. Nothing was written; reads still work.
    case replaced(path: String)
    /// The store is closed, or the disk has failed and no further operation is acknowledged.
    case unavailable
    /// The process cannot start the store's thread.
    case noThread
    case inUse(directory: String, holder: String)
    /// A newer broker wrote the store, which is left untouched.
    case newer(file: String, version: UInt32, supported: UInt32)
    /// The file is another program's database, and is left untouched.
    case foreign(file: String)
    /// The directory, or a file in it, is not safe for a store to use.
    case unsafePlace(path: String, reason: String)
    /// SQLite did not apply a setting that the store's guarantees depend on.
    case setting(name: String, value: String, wanted: String)
    /// A record other than a pasteboard version fails its checksum, or has a value that the store never writes.
    case damagedRecord(String)

    package var ipcError: IPCError {
        switch self {
        case .noSpace: IPCError(.noSpace, sentence)
        case .damagedRecord, .removed, .replaced: IPCError(.inputOutput, sentence)
        case .unavailable, .noThread, .inUse, .newer, .foreign, .unsafePlace, .setting:
            IPCError(.storeUnavailable, sentence)
        }
    }

    private var sentence: String {
        switch self {
        case .noSpace:
            "the store's disk is full, and nothing was written; try again when there is space"
        case .removed(let path): Self.loss("\(path.quoted) is gone")
        case .replaced(let path): Self.loss("\(path.quoted) is now a different file")
        case .unavailable:
            "the store accepts no more changes: the broker is stopping, or the disk failed; try again"
        case .noThread:
            "the process cannot start the store's thread; raise its thread limit (RLIMIT_NPROC, TasksMax)"
        case .inUse(let directory, let holder):
            "the store \(directory.quoted) is in use by \(holder); stop it, choose another store, or take its place with --replace"
        case .newer(let file, let version, let supported):
            "the store \(file.quoted) has version \(version), but this broker supports versions up to \(supported); "
                + "use a newer broker (the store is unchanged)"
        case .foreign(let file):
            "the file \(file.quoted) is another program's database; choose another store (the file is unchanged)"
        case .unsafePlace(let path, let reason):
            "the store cannot use \(path.quoted): \(reason)"
        case .setting(let name, let value, let wanted):
            "the store needs the SQLite setting \(name) = \(wanted), but SQLite reports \(value)"
        case .damagedRecord(let what):
            "the record of \(what) is damaged on disk"
        }
    }

    private static func loss(_ fact: String) -> String {
        "the store was moved, removed or replaced while its broker was running (\(fact)), so the broker writes nothing to "
            + "it; run 'ipc-client board export FOLDER' to save what the broker still has, and restart the broker"
    }
}
