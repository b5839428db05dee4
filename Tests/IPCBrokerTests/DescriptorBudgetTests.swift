import IPCDBus
import IPCModel
import Testing

@testable import IPCBroker

@DBusActor
struct DescriptorBudgetTests {
    private let one: BusName
    private let other: BusName

    init() throws { (one, other) = (BusName(":1.1"), BusName(":1.2")) }

    private func limits(perCaller: UInt64, all: UInt64) throws -> Limits {
        var limits = Limits()
        try limits.set("descriptors-per-caller", perCaller)
        try limits.set("descriptors", all)
        return limits
    }

    @Test func aCallerGetsExactlyItsLimit() throws {
        let budget = DescriptorBudget(limits: try limits(perCaller: 4, all: 100))
        let three = try budget.charge(3, to: one)
        #expect(throws: LimitExceeded(limit: "descriptors-per-caller", use: 3, request: 2, allowed: 4)) {
            try budget.charge(2, to: one)
        }
        let fourth = try budget.charge(1, to: one)
        #expect(throws: LimitExceeded(limit: "descriptors-per-caller", use: 4, request: 1, allowed: 4)) {
            try budget.charge(1, to: one)
        }
        // The rejected charges do not count, and another caller has its own budget.
        let others = try budget.charge(4, to: other)
        #expect(budget.count == 8)
        for charge in [three, fourth, others] { charge.release() }
        #expect(budget.count == 0)
    }

    @Test func allCallersTogetherHaveALimit() throws {
        let budget = DescriptorBudget(limits: try limits(perCaller: 4, all: 5))
        let four = try budget.charge(4, to: one)
        #expect(throws: LimitExceeded(limit: "descriptors", use: 4, request: 2, allowed: 5)) {
            try budget.charge(2, to: other)
        }
        let fifth = try budget.charge(1, to: other)
        four.release()
        #expect(budget.count == 1)
        let again = try budget.charge(4, to: one)
        #expect(budget.count == 5)
        again.release()
        fifth.release()
    }

    @Test func `I17: values in memory and arriving values share one budget`() throws {
        let budget = DescriptorBudget(limits: try limits(perCaller: 8, all: 10)) { 6 }
        #expect(throws: LimitExceeded(limit: "descriptors", use: 6, request: 5, allowed: 10)) {
            try budget.charge(5, to: one)
        }
        let four = try budget.charge(4, to: one)
        #expect(throws: LimitExceeded(limit: "descriptors", use: 10, request: 1, allowed: 10)) {
            try budget.chargeConnection()
        }
        four.release()
    }

    @Test(arguments: [16, 64, 256, 1_024, 1_048_576])
    func `I17: the budget leaves part of the descriptor table free`(_ places: Int) {
        var limits = Limits()
        limits.fitDescriptors(to: places)
        #expect(limits.descriptors >= 1 && limits.descriptors <= Limits().descriptors)
        #expect(places < 64 || limits.descriptors <= UInt64(places) - 40)
        #expect(limits.directDescriptors <= limits.descriptors)
    }

    @Test func aChargeEndsOnceAndWithItsOwner() throws {
        let budget = DescriptorBudget(limits: try limits(perCaller: 4, all: 10))
        let charge = try budget.charge(2, to: one)
        charge.release()
        charge.release()
        #expect(budget.count == 0)
        func letGo() throws { _ = try budget.charge(3, to: one) }
        try letGo()
        #expect(budget.count == 0)
        try budget.charge(0, to: one).release()
        #expect(budget.count == 0)
    }
}
