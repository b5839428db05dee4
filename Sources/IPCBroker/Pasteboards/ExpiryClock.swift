internal import IPCDBus
internal import IPCStore
internal import Logging

/// Removes expired versions, which answers the calls that wait for a change. The store itself checks each version that
/// it reads or writes, so no expired content is visible even if the timer fires late.
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
