#if DEBUG || FUZZING
    import Glibc
    import IPC
    import IPCModel
    import IPCTools

    /// A folder of `board export`: whatever its table and its values, it is rejected or read, and each line means the same
    /// after it is written again.
    enum ExportTarget: FuzzTarget {
        static let name = "export"

        /// A folder with one large value, below TMPDIR, which is expected to be removed with it.
        private static let folder: String = {
            let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            guard let path = strdup("\(parent)/fuzz-export.XXXXXX") else { broken("there is no memory") }
            defer { free(path) }
            guard let folder = mkdtemp(path).map({ String(cString: $0) }), mkdir(folder + "/blobs", 0o700) == 0 else {
                broken("there is no folder")
            }
            let digits = ContentDigest(of: Array(value.utf8)).description.dropFirst(ContentDigest.prefix.count)
            write(Array(value.utf8), to: file("\(folder)/blobs/\(digits)"))
            return folder
        }()
        /// The table of contents. Each input becomes its content.
        private static let table = file(folder + "/store.jsonl")
        private static let value = "a value in a file"

        static func check(_ input: [UInt8]) {
            var reader = InputReader(input)
            var table = reader.byte() % 8 == 0 ? [] : head
            table += reader.rest
            if reader.rest.last != UInt8(ascii: "\n") { table.append(UInt8(ascii: "\n")) }
            // Without the right digest, only the last line would be read.
            let lines = UInt64(table.count { $0 == UInt8(ascii: "\n") })
            let end = ExportRecord.end(lines: lines, digest: ContentDigest(of: table).description, changeCount: 7)
            write(table + Array((end.json.text + "\n").utf8), to: Self.table)
            guard let export = try? ExportReader(folder) else { broken("the last line is not found") }
            try? export.verify { record in
                guard ExportRecord(record.json) == record else { broken("\(record) is written otherwise") }
                if case .version(let version) = record { _ = try? export.items(of: version) }
            }
        }

        /// The first line, a pasteboard, and a version with the large value.
        private static let head: [UInt8] = {
            let digest = ContentDigest(of: Array(value.utf8)).description
            let lines = [
                #"{"record":"swift-ipc-export","format":1}"#,
                #"{"record":"pasteboard","pasteboard":"a","persistent":true,"history-limit":1}"#,
                #"{"record":"version","change-count":1,"source-application":"","source-strength":"unknown","items":[[{"type":"#
                    + #""text/plain","digest":"\#(digest)","size":\#(value.utf8.count),"kind":"text"}]]}"#,
            ]
            return Array(lines.map { $0 + "\n" }.joined().utf8)
        }()

        private static func file(_ path: String) -> CInt {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { broken("\(path) cannot be written") }
            return file
        }

        private static func write(_ bytes: [UInt8], to file: CInt) {
            guard pwrite(file, bytes, bytes.count, 0) == bytes.count, ftruncate(file, bytes.count) == 0 else {
                broken("a file cannot be written")
            }
        }
    }
#endif
