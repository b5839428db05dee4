import Testing

@testable import IPCBroker

@Suite struct NotifySocketTests {
    @Test(arguments: ["", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 108)])
    func `an address that is not a unix socket is no manager`(address: String) {
        #expect(NotifySocket(environment: ["NOTIFY_SOCKET": address]) == nil)
        #expect(NotifySocket(environment: [:]) == nil)
    }

    @Test func `a path and an abstract name are addresses`() {
        #expect(NotifySocket(environment: ["NOTIFY_SOCKET": "/run/notify"]) != nil)
        #expect(NotifySocket(environment: ["NOTIFY_SOCKET": "@notify"]) != nil)
    }
}
