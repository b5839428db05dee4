internal import IPCDBus
internal import IPCStore
internal import Logging

/// Ends versions when their time is over, which notifies the watchers. The store itself checks each version that is read or
/// written, so a late timer shows no expired content.
@DBusActor
final class ExpiryClock {
    private let store: Store
    private let logger: Logger
    private let timer = DBusTimer()
    private var isLooking = false
    private var mustLookAgain = false

    init(store: Store, logger: Logger) { (self.store, self.logger) = (store, logger) }

    /// Call after a write that set an end, and once at the start.
    func look() {
        guard !isLooking else {
            mustLookAgain = true
            return
        }
        isLooking = true
        DBusActor.task {
            repeat {
                self.mustLookAgain = false
                await self.expire()
            } while self.mustLookAgain
            self.isLooking = false
        }
    }

    private func expire() async {
        do {
            let (next, now) = try await store.commit { (try $0.expire(), $0.uptime) }
            guard let next else { return timer.cancel() }
            // The clock of the deadlines is that of ContinuousClock, which counts sleep as well.
            let left = Int(clamping: next > now ? next - now : 0)
            timer.set(at: .now + .milliseconds(left)) { [weak self] in self?.look() }
        } catch {
            // A full disk: the content is hidden anyway; try again later.
            logger.warning("versions whose time is over could not be ended: \(error)")
            timer.set(at: .now + .seconds(5)) { [weak self] in self?.look() }
        }
    }
}
