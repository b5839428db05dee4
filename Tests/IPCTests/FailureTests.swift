import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPC

struct FailureTests {
    @Test func theErrorForAMissingBusSaysWhatWasTriedAndWhatToDo() async {
        for address in ["unix:path=/nowhere/bus", "autolaunch:"] {
            let error = await #expect(throws: IPCError.self) {
                try await Application.connect(id: "demo.IPCClient", bus: .address(address))
            }
            #expect(error?.code == .noBus && error?.code.exitCode == 69)
            #expect(error?.message.contains("dbus-run-session") == true)
            #expect(error?.message.contains(address) == true)
        }
    }

    @Test func anInvalidNameIsFoundWithoutTheBus() {
        for id in ["", "demo", ":1.4", "demo.1", "a b.c", "demo.a\0b"] {
            let error = #expect(throws: IPCError.self) { try ApplicationID(id) }
            #expect(error?.code == .invalidName, "\(id)")
        }
        for scheme in ["", "1a", "a b", "a:", "a\0"] {
            let error = #expect(throws: IPCError.self) { try URLScheme(scheme) }
            #expect(error?.code == .invalidName, "\(scheme)")
        }
    }

    @Test func theErrorShowsWhetherACallMayBeRepeated() {
        #expect(CallError.disconnected.meansCutOff)
        #expect(CallError.remote(name: "org.freedesktop.DBus.Error.NoReply", message: "").meansCutOff)
        #expect(!CallError.timedOut.meansCutOff && !CallError.cancelled.meansCutOff)
        #expect(CallError.remote(name: "org.freedesktop.DBus.Error.ServiceUnknown", message: "").meansNoBroker)
        #expect(!CallError.remote(name: "org.swiftipc.Error.NoHandler", message: "").meansNoBroker)
    }

    @Test func timesAreMillisecondsOnTheWire() {
        #expect(Duration.seconds(20).wireMilliseconds == 20_000)
        #expect(Duration.microseconds(1).wireMilliseconds == 1)
        #expect(Duration.microseconds(1001).wireMilliseconds == 2)
        #expect(Duration.seconds(0).wireMilliseconds == 1 && Duration.seconds(-5).wireMilliseconds == 1)
        #expect(Duration.seconds(Int64.max).wireMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).wireMilliseconds == 1)
    }

    @DBusActor @Test func aCallWithALargeValueWaitsLonger() {
        #expect(BrokerLink.timeout(storing: 0) == .seconds(25))
        #expect(BrokerLink.timeout(storing: 100_000_000) == .seconds(35))
    }
}
