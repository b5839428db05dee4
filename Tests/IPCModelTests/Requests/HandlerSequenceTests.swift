import IPCTesting
import Testing

@testable import IPCModel

@Suite("HandlerQueue over sequences of events")
struct HandlerSequenceTests {
    typealias Stimulus = HandlerScene.Stimulus

    private struct World: Equatable {
        var scene: HandlerScene
        var watcher: HandlerWatcher

        init(_ defect: HandlerScene.Defect? = nil) {
            scene = HandlerScene(defect)
            watcher = HandlerWatcher(now: scene.now)
        }

        mutating func step(_ stimulus: Stimulus) -> HandlerWatcher.Violation? {
            watcher.judge(stimulus, scene.happens(stimulus))
        }
    }

    /// The sequences of events from which the search starts. Each leads to a state in which different rules apply.
    private static let beginnings: [[Stimulus]] = {
        let two: [Stimulus] = [
            .arrives(sender: 0, isQueued: true), .arrives(sender: 1, isQueued: false), .stored(0), .stored(1),
        ]
        let three = two + [.arrives(sender: 0, isQueued: true), .stored(2)]
        let present: [Stimulus] = [.appears(1, isKnown: true), .registers(window: 2)]
        let leftWithTwo = present + two + [.prepared(0), .leaves(1), .crashed(1), .appears(2, isKnown: true)]
        return [
            [],
            two,
            two + [.canStart, .startFails],
            present + three,
            present + three + [.prepared(0)],
            // The handler left while it had two requests, so it is not known which of them was the reason.
            leftWithTwo,
            leftWithTwo + [.waits(100), .prepared(0)],
            // The handler left while it had a single request, so this request was probably the reason.
            present + [.arrives(sender: 0, isQueued: true), .stored(0), .prepared(0), .leaves(1), .crashed(1)]
                + [.appears(2, isKnown: true), .waits(100), .prepared(0)],
            present + three + [.prepared(0), .cutOff(0)],
            present + three + [.prepared(0), .handedBack(0)],
            present + three + [.prepared(0), .timePassed(0), .prepared(2)],
        ]
    }()

    private struct Search {
        private(set) var steps = 0
        private(set) var found: (violation: HandlerWatcher.Violation, path: [Stimulus])?
        private var path: [Stimulus] = []
        /// The index, in an initial sequence, of the first event that cannot happen at that point; `nil` if all can.
        private(set) var unoffered: Int?

        /// Tries all sequences of events. A sequence is not continued after an event that changes nothing, because the
        /// same sequences are tried without that event.
        mutating func go(_ world: World, depth: Int) {
            for stimulus in world.watcher.offers(mostRequests: 3) where found == nil {
                var next = world
                steps += 1
                path.append(stimulus)
                if let violation = next.step(stimulus) {
                    found = (violation, path)
                } else if depth > 1, next != world {
                    go(next, depth: depth - 1)
                }
                path.removeLast()
            }
        }

        mutating func go(after beginning: [Stimulus], _ defect: HandlerScene.Defect?, depth: Int) {
            var world = World(defect)
            for (index, stimulus) in beginning.enumerated() {
                guard world.watcher.offers(mostRequests: 3).contains(stimulus) else {
                    unoffered = index
                    return
                }
                if let violation = world.step(stimulus) {
                    found = (violation, Array(beginning[...index]))
                    return
                }
            }
            go(world, depth: depth)
        }
    }

    @Test func `I6 to I8, I15: all sequences of events keep the promises`() async {
        var steps = 0
        for beginning in Self.beginnings {
            let search = await onOwnThread {
                var search = Search()
                search.go(after: beginning, nil, depth: TestSize.pick(small: 3, full: 4))
                return search
            }
            #expect(search.unoffered == nil, "that event cannot happen in \(beginning)")
            #expect(search.found == nil, "after \(beginning): \(String(describing: search.found))")
            steps += search.steps
        }
        print("HandlerQueue: \(steps) steps of all sequences")
        #expect(steps > 50_000)
    }

    @Test func `I6 to I8, I15: long random sequences keep the promises, and all requests end`() async {
        let violation: String? = await onOwnThread {
            var generator = SeededGenerator.forTest("HandlerQueue")
            var steps = 0
            for run in 0..<TestSize.pick(small: 300, full: 10_000) {
                let (found, count) = Self.randomRun(nil, 300, &generator)
                steps += count
                if let found { return "seed \(generator.seed), run \(run): \(found)" }
            }
            print("HandlerQueue: \(steps) random steps")
            return nil
        }
        #expect(violation == nil)
    }

    private typealias Found = (violation: HandlerWatcher.Violation, path: [Stimulus])

    private static func randomRun(
        _ defect: HandlerScene.Defect?, _ count: Int, _ generator: inout SeededGenerator
    ) -> (found: Found?, steps: Int) {
        var (world, path) = (World(defect), [Stimulus]())
        for _ in 0..<count {
            let offers = world.watcher.offers(mostRequests: path.count / 4 + 2)
            var stimulus = offers[Int.random(in: 0..<offers.count, using: &generator)]
            if stimulus == .stops { stimulus = .registers(window: Int.random(in: 1...4, using: &generator)) }
            path.append(stimulus)
            if let violation = world.step(stimulus) { return ((violation, path), path.count) }
        }
        while let stimulus = world.watcher.help() {
            path.append(stimulus)
            if let violation = world.step(stimulus) { return ((violation, path), path.count) }
            if path.count > count * 20 { return ((.lost, path), path.count) }
        }
        return (nil, path.count)
    }

    @Test(arguments: HandlerScene.Defect.allCases)
    func `a queue with a defect is found`(_ defect: HandlerScene.Defect) {
        for beginning in Self.beginnings {
            var search = Search()
            search.go(after: beginning, defect, depth: 2)
            if search.found != nil { return }
        }
        var generator = SeededGenerator.forTest("HandlerQueue \(defect)")
        for _ in 0..<300 where Self.randomRun(defect, 300, &generator).found != nil { return }
        Issue.record("seed \(generator.seed): nothing was found")
    }
}
