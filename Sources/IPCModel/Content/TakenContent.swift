internal import Synchronization

extension ContentFile {
    /// What makes a file one that the store has checked and, where that was needed, copied: its write operations take no
    /// other.
    ///
    /// It waits for the operation that makes it part of a version. Where none comes, what was copied goes with it.
    package final class Taken: Sendable {
        /// Where the bytes are.
        package enum Place: Sendable, Hashable {
            /// In a sealed memory file.
            case memory
            /// In a file of the store that bears this name until it is attached.
            case blob(String)
        }

        package let place: Place
        /// The digest of the bytes.
        package let digest: ContentDigest
        private let isAttached = Mutex(false)
        private let discard: @Sendable () -> Void

        /// `discard` is called at the end unless this was attached.
        package init(digest: ContentDigest, place: Place, discard: @escaping @Sendable () -> Void) {
            (self.digest, self.place, self.discard) = (digest, place, discard)
        }

        /// Whether a version can have the file: any number of them one in memory, a single one a blob.
        package var canBeAttached: Bool { place == .memory || !isAttached.withLock { $0 } }

        /// Makes the file part of a version; false where it is that of another already.
        package func attach() -> Bool {
            isAttached.withLock { isAttached in
                defer { isAttached = true }
                return place == .memory || !isAttached
            }
        }

        /// Takes the attachment back.
        package func detach() { isAttached.withLock { $0 = false } }

        deinit {
            if !isAttached.withLock({ $0 }) { discard() }
        }
    }
}
