internal import Synchronization

extension ContentFile {
    /// The store's record of a file that it has checked and, if necessary, copied. Only a file with such a
    /// record can become part of a pasteboard version. If it never does, the copy is discarded with this object.
    package final class Taken: Sendable {
        /// Where the bytes are stored.
        package enum Place: Sendable, Hashable {
            /// A sealed memory file.
            case memory
            /// A file in the store, which has this name until it becomes part of a version.
            case blob(String)
        }

        package let place: Place
        package let digest: ContentDigest
        private let isAttached = Mutex(false)
        private let discard: @Sendable () -> Void

        package init(digest: ContentDigest, place: Place, discard: @escaping @Sendable () -> Void) {
            (self.digest, self.place, self.discard) = (digest, place, discard)
        }

        /// Whether the file can become part of a version. A blob can be part of only one version.
        package var canBeAttached: Bool { place == .memory || !isAttached.withLock { $0 } }

        /// Makes the file part of a version. Returns `false` if it is a blob that is already part of another version.
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
