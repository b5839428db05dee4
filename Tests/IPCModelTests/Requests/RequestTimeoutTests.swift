import IPCModel
import Testing

@Suite("Time-outs of a request")
struct RequestTimeoutTests {
    private static let rows: [(stated: UInt32?, left: UInt32?, isQueued: Bool, time: UInt64)] = [
        (nil, nil, false, 20_000), (nil, nil, true, 600_000), (1, nil, false, 1), (1, nil, true, 1),
        (.max, nil, false, 4_294_967_295), (nil, 5, false, 5), (7, 5, false, 5), (5, 7, false, 5),
    ]

    @Test("A time-out is given or the default, and never exceeds the time that is left", arguments: rows)
    func timeOut(stated: UInt32?, left: UInt32?, isQueued: Bool, time: UInt64) throws {
        #expect(try RequestTimeout.milliseconds(stated: stated, left: left, isQueued: isQueued, Limits()) == time)
    }

    @Test("A time-out of 0 is refused", arguments: [(0, nil), (nil, 0), (0, 0), (5, 0)] as [(UInt32?, UInt32?)])
    func noTime(stated: UInt32?, left: UInt32?) {
        let error = #expect(throws: IPCError.self) {
            try RequestTimeout.milliseconds(stated: stated, left: left, isQueued: false, Limits())
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("A queued request lives for 7 days, or for a given time up to 30 days")
    func timeToLive() throws {
        let (limits, month) = (Limits(), 30 * 86_400_000 as UInt64)
        #expect(try RequestTimeout.timeToLive(stated: nil, isQueued: true, limits) == 7 * 86_400_000)
        #expect(try RequestTimeout.timeToLive(stated: nil, isQueued: false, limits) == 7 * 86_400_000)
        for stated in [1, month] {
            #expect(try RequestTimeout.timeToLive(stated: stated, isQueued: true, limits) == stated)
        }
        for (stated, isQueued) in [(0, true), (month + 1, true), (1, false)] {
            let error = #expect(throws: IPCError.self) {
                try RequestTimeout.timeToLive(stated: stated, isQueued: isQueued, limits)
            }
            #expect(error?.code == .invalidArguments)
        }
    }

    @Test("A retry keeps the times of a queued request, or else uses the defaults")
    func retry() {
        let (limits, month) = (Limits(), 30 * 86_400_000 as UInt64)
        #expect(RequestTimeout.ofRetry(timeout: 5, timeToLive: nil, limits) == (600_000, 7 * 86_400_000))
        #expect(RequestTimeout.ofRetry(timeout: 5, timeToLive: 7, limits) == (5, 7))
        // The original time-to-live may exceed the limit, because the limit may have been lowered since then.
        #expect(RequestTimeout.ofRetry(timeout: 5, timeToLive: month + 1, limits) == (5, month))
        var short = limits
        short.timeToLiveMostMilliseconds = 3
        #expect(RequestTimeout.ofRetry(timeout: 5, timeToLive: nil, short) == (600_000, 3))
    }

    @Test("A request expires only before its handler has it, and not while its attempt is stored")
    func deadlines() {
        for isQueued in [true, false] {
            var life = RequestLife(isQueued: isQueued)
            #expect(life.deadline == .expiry)
            _ = life.handle(.stored)
            #expect(life.deadline == .expiry)
            _ = life.handle(.turn)
            #expect(life.deadline == (isQueued ? nil : .expiry))
            _ = life.handle(.prepared(attempt: 1))
            _ = life.handle(.leaves(delivery: 1))
            #expect(life.deadline == .answer)
            _ = life.handle(.answered(delivery: 1, RequestEnd(.handled)))
            #expect(life.deadline == nil)
        }
        #expect(RequestLife(recovered: false, attempts: 1, crashes: 0).deadline == .expiry)
    }
}
