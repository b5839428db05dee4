internal import Synchronization

extension ContentFile {
    /// The mark of a file that the store has checked and, if necessary, copied: its write operations accept no other.
    ///
    /// If no operation makes the file part of a version, the copy is discarded with this object.
    package final class Taken: Sendable {
        /// The place of the bytes.
        package enum Place: Sendable, Hashable {
            /// A sealed memory file.
            case memory
            /// A file of the store that has this name until it is attached.
            case blob(String)
        }

        package let place: Place
        package let digest: ContentDigest
        private let isAttached = Mutex(false)
        private let discard: @Sendable () -> Void

        /// `discard` is called at the end unless this was attached.
        package init(digest: ContentDigest, place: Place, discard: @escaping @Sendable () -> Void) {
            (self.digest, self.place, self.discard) = (digest, place, discard)
        }

        /// Whether a version can have the file: a blob can be part of one version only.
        package var canBeAttached: Bool { place == .memory || !isAttached.withLock { $0 } }

        /// Makes the file part of a version; false if it is a blob that is part of another one already.
        package func attach() -> Bool {
            isAttached.withLock { isAttached in
                defer { isAttached = true }
                return place == .memory || !isAttached
            }
        }

        package func detach() { isAttached.withLock { $0 = false } }

        deinit {
            if !isAttached.withLock({ $0 }) { discard() }
        }
    }
}
