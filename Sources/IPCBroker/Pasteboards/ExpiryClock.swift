internal import IPCDBus
internal import IPCStore
internal import Logging

/// Removes expired versions. Each removal is a change, so calls that wait for changes are answered. Even if the timer
/// fires late, no expired content is visible, because the store checks each version that it reads or writes.
@DBusActor
final class ExpiryClock {
    private let store: Store
    private let logger: Logger
    private let timer = DBusTimer()
    private var isLooking = false
    private var mustLookAgain = false

    init(store: Store, logger: Logger) { (self.store, self.logger) = (store, logger) }

    /// Removes expired versions. Call this after each write that sets an expiry time, and once at startup.
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
            // Expiry times use the same clock as ContinuousClock, which keeps running during sleep.
            let left = Int(clamping: next > now ? next - now : 0)
            timer.set(at: .now + .milliseconds(left)) { [weak self] in self?.look() }
        } catch {
            // The disk is full. Expired content is hidden anyway, so try again later.
            logger.warning("expired versions could not be removed: \(error)")
            timer.set(at: .now + .seconds(5)) { [weak self] in self?.look() }
        }
    }
}
