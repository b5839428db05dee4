import Glibc
import IPC
import IPCDBus

/// Sends requests at a fixed rate for a fixed time, even if answers are late.
@DBusActor
enum Soak {
    /// `soak rate=1000 seconds=600 every=5 bytes=1024 board=NAME`: prints a line every `every` seconds.
    static func run(_ settings: Settings) async throws {
        let sender = try await Sender(settings)
        let rate = try settings.number("rate", 1_000)
        let (seconds, every) = (try settings.number("seconds", 600), try settings.number("every", 5))
        try await sender.warmUp()
        let pace = Pace(rate: rate, every: .seconds(every))
        let start = ContinuousClock.now
        let end = start.advanced(by: .seconds(seconds))
        var tick = start
        var sent = 0
        while tick < end {
            tick = tick.advanced(by: .milliseconds(2))
            try await Task.sleep(until: tick, clock: .continuous)
            let due = Int((tick - start).microseconds / 1e6 * Double(rate))
            // The time of a request counts from the moment when it was due. The request's task needs a copy of this
            // moment, because the loop may have advanced `tick` before the task starts.
            let moment = tick
            while sent < due {
                sent += 1
                DBusActor.task { await pace.measure(from: moment) { try await sender.open() } }
            }
            pace.report(at: tick - start)
        }
        while pace.open > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
}

/// The measurements since the last printed line.
@DBusActor
private final class Pace {
    private(set) var open = 0
    private let rate: Int
    private let every: Duration
    private var next: Duration
    private var times: [Duration] = []
    private var failures = 0

    init(rate: Int, every: Duration) { (self.rate, self.every, next) = (rate, every, every) }

    func measure(from due: ContinuousClock.Instant, _ operation: () async throws -> Void) async {
        open += 1
        do {
            try await operation()
            times.append(ContinuousClock.now - due)
        } catch { failures += 1 }
        open -= 1
    }

    func report(at time: Duration) {
        guard time >= next else { return }
        next += every
        let figures = Figures(times, took: every)
        printObject([
            ("seconds", time.microseconds / 1e6), ("rate", Double(times.count) / every.microseconds * 1e6),
            ("p50", figures.percentile(0.5)), ("p99", figures.percentile(0.99)), ("p999", figures.percentile(0.999)),
            ("open", Double(open)), ("failures", Double(failures)),
        ])
        times.removeAll(keepingCapacity: true)
        failures = 0
    }
}
