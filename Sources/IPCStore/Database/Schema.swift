/// The tables of the first version of the store; later versions change them with migrations. Rows have sequential keys,
/// so that a commit touches few pages, and each payload is stored once. Each row ends with a checksum of the columns
/// before it. Only a representation's value, which has its own digest, comes after the checksum, so that the other
/// columns can be read without the value's overflow pages. Times are in milliseconds since 1970. There are no foreign
/// keys, because a held version may outlive its pasteboard, and versions share contents.
enum Schema {
    /// The statements of the first version, always in this order. `@` stands for the name of the database.
    static let first: [String] = [
        pasteboard, version, versionExtends, versionEnds, versionPromises, representation, removal, operation,
        reservation, openRequest, schemeClaim, schemeDefault, policy, liveClaim,
        usage,
    ]

    /// `id` is the pasteboard's first change count. `versions` lists the change counts of its versions, 8 bytes each,
    /// lowest byte first, the current version last. Because the list is a column, the row's checksum covers it, and
    /// changing it updates no index. `source` is the application that created the pasteboard; empty if there is none.
    private static let pasteboard = """
        CREATE TABLE @.pasteboard (
            id INTEGER PRIMARY KEY CHECK (id > 0),
            name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
            change_count INTEGER NOT NULL CHECK (change_count >= id),
            history_limit INTEGER NOT NULL CHECK (history_limit BETWEEN 0 AND 100),
            created INTEGER NOT NULL,
            versions BLOB NOT NULL CHECK (length(versions) BETWEEN 8 AND 808 AND length(versions) % 8 = 0),
            source TEXT NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// A version consists of the first `representations` representations of the content that was created at the change
    /// count `content`; 0 stands for no content. When items are added, the new version includes more representations of
    /// the same content, so nothing is copied. `pins` counts the requests and calls that hold the version. Flags: 1 if
    /// it is sensitive (its content is only in memory), 2 if it is for one reader. `writer` lists the writers of
    /// unfulfilled promises (``Promisers``).
    private static let version = """
        CREATE TABLE @.version (
            change_count INTEGER PRIMARY KEY CHECK (change_count > 0),
            pasteboard INTEGER NOT NULL,
            content INTEGER NOT NULL CHECK (content BETWEEN 0 AND change_count),
            items INTEGER NOT NULL CHECK (items BETWEEN 0 AND representations),
            representations INTEGER NOT NULL CHECK (representations BETWEEN 0 AND 65535),
            bytes INTEGER NOT NULL CHECK (bytes >= 0),
            pins INTEGER NOT NULL CHECK (pins >= 0),
            time INTEGER NOT NULL,
            expires_at INTEGER,
            flags INTEGER NOT NULL,
            strength INTEGER NOT NULL CHECK (strength BETWEEN 0 AND 3),
            source TEXT NOT NULL,
            writer TEXT NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    private static let versionExtends = """
        CREATE INDEX @.version_extends ON version (content) WHERE content <> change_count AND content <> 0
        """

    /// An index of the few versions that expire, so that the broker finds them at its start without reading all rows.
    private static let versionEnds = """
        CREATE INDEX @.version_ends ON version (expires_at) WHERE expires_at IS NOT NULL
        """

    /// An index of the few versions with promises, so that the broker finds them at its start without reading all rows.
    private static let versionPromises = """
        CREATE INDEX @.version_promises ON version (writer) WHERE writer <> ''
        """

    /// `id` is content × 2^20 + ordinal. Kinds: 0 text, 1 bytes, 2 file, 3 promise (`value` is null for 2 and 3).
    private static let representation = """
        CREATE TABLE @.representation (
            id INTEGER PRIMARY KEY CHECK (id >= 1048576),
            item INTEGER NOT NULL CHECK (item >= 0),
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
            type TEXT NOT NULL,
            size INTEGER NOT NULL CHECK (size >= 0),
            digest BLOB NOT NULL CHECK (length(digest) = 16),
            checksum INTEGER NOT NULL,
            value BLOB CHECK ((kind >= 2) = (value IS NULL))
        ) STRICT
        """

    /// Contents that no version uses, whose rows are not deleted yet (``UnusedContents``).
    static let unusedContent = """
        CREATE TABLE @.unused_content (
            content INTEGER PRIMARY KEY CHECK (content > 0),
            checksum INTEGER NOT NULL
        ) STRICT
        """

    private static let removal = """
        CREATE TABLE @.removal (
            change_count INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// Calls that may be repeated with the same id. Ids are indexed only in memory: they are random, so with an index
    /// on disk, each call would write another page.
    private static let operation = """
        CREATE TABLE @.operation (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
            arguments BLOB NOT NULL CHECK (length(arguments) = 16),
            result INTEGER NOT NULL,
            version INTEGER NOT NULL,
            time INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// Callers may have seen any change count below `next`, even if its transaction was lost. `clean` is 1 only between
    /// a clean stop and the next start. Removals up to the change count `removed_to` are no longer recorded.
    /// `had_volatile` is 1 if the last run had pasteboards in memory, because their loss is not recorded. There are two
    /// equal rows, so that no change count is assigned twice if one row is damaged.
    private static let reservation = """
        CREATE TABLE @.reservation (
            id INTEGER PRIMARY KEY CHECK (id IN (1, 2)),
            next INTEGER NOT NULL CHECK (next > 0),
            removed_to INTEGER NOT NULL CHECK (removed_to >= 0),
            had_volatile INTEGER NOT NULL CHECK (had_volatile IN (0, 1)),
            clean INTEGER NOT NULL CHECK (clean IN (0, 1)),
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// Requests with an id, in order of acceptance. States: 0 waiting, 1 queued, 2 ended. `payload` is the change count
    /// of the version that is pinned for the request, 0 if there is none, and -1 if the payload is not kept. A version
    /// that was never on a pasteboard has the pasteboard 0. Columns that may be long come last, so that a start need
    /// not read them. `context` is the router's data, opaque to the store.
    private static let openRequest = """
        CREATE TABLE @.open_request (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
            outcome TEXT CHECK ((state = 2) = (outcome IS NOT NULL)),
            late_outcome TEXT CHECK (late_outcome IS NULL OR state = 2),
            strength INTEGER NOT NULL CHECK (strength BETWEEN 0 AND 3),
            source TEXT NOT NULL,
            ended INTEGER CHECK ((state = 2) = (ended IS NOT NULL)),
            arguments BLOB NOT NULL CHECK (length(arguments) = 16),
            caller TEXT NOT NULL,
            application TEXT NOT NULL,
            pasteboard TEXT,
            change_count INTEGER NOT NULL,
            payload INTEGER NOT NULL CHECK (payload >= -1),
            payload_items INTEGER NOT NULL CHECK (payload_items >= 0),
            payload_bytes INTEGER NOT NULL CHECK (payload_bytes >= 0),
            attempts INTEGER NOT NULL CHECK (attempts >= 0),
            crashes INTEGER NOT NULL CHECK (crashes >= 0),
            timeout INTEGER NOT NULL,
            parent TEXT,
            depth INTEGER NOT NULL CHECK (depth >= 0),
            accepted INTEGER NOT NULL,
            expires_at INTEGER,
            error_name TEXT NOT NULL,
            error_code TEXT NOT NULL,
            error_message TEXT NOT NULL,
            url TEXT NOT NULL,
            context BLOB,
            trace BLOB NOT NULL,
            reply BLOB,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// Claims on schemes, oldest first. `NOCASE` ignores the case of ASCII letters, as ``IPCModel/URLScheme`` does.
    private static let schemeClaim = """
        CREATE TABLE @.scheme_claim (
            sequence INTEGER PRIMARY KEY,
            application TEXT NOT NULL,
            scheme TEXT NOT NULL COLLATE NOCASE,
            window INTEGER NOT NULL CHECK (window > 0),
            flags INTEGER NOT NULL,
            time INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            UNIQUE (application, scheme)
        ) STRICT
        """

    private static let schemeDefault = """
        CREATE TABLE @.scheme_default (
            sequence INTEGER PRIMARY KEY,
            scheme TEXT NOT NULL UNIQUE COLLATE NOCASE,
            application TEXT NOT NULL,
            time INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// The claims of running handlers (``LiveClaims``). `schemes` is a list (``PackedFields``).
    private static let liveClaim = """
        CREATE TABLE @.live_claim (
            sequence INTEGER PRIMARY KEY,
            application TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            schemes BLOB NOT NULL,
            window INTEGER NOT NULL CHECK (window > 0),
            flags INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// Access policies that restrict callers. `allow` and `deny` are lists of application ids (``PackedFields``).
    private static let policy = """
        CREATE TABLE @.policy (
            sequence INTEGER PRIMARY KEY,
            application TEXT NOT NULL UNIQUE,
            others INTEGER NOT NULL CHECK (others IN (0, 1)),
            allow BLOB NOT NULL,
            deny BLOB NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// What each source uses on disk: sums over the other tables, stored so that a start need not read those tables.
    private static let usage = """
        CREATE TABLE @.usage (
            source TEXT PRIMARY KEY,
            pasteboards INTEGER NOT NULL CHECK (pasteboards >= 0),
            items INTEGER NOT NULL CHECK (items >= 0),
            bytes INTEGER NOT NULL CHECK (bytes >= 0),
            checksum INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
}
