import IPCStore
import Testing

/// The store identifies a caller by its connection, its bus and its process.
@Suite struct CallerTextTests {
    @Test(arguments: [nil, "7-8"] as [String?])
    func `a caller is recognized only on its own bus`(process: String?) {
        let caller = CallerText(":1.1", on: "bus", process: process)
        #expect(caller.text == (process == nil ? ":1.1@bus" : ":1.1@bus 7-8"))
        #expect(caller.name(on: "bus") == ":1.1")
        #expect(caller.name(on: "other") == nil)
        #expect(caller.processOrConnection == process ?? ":1.1@bus")
    }

    @Test(arguments: ["", " ", "@", ":1.1", ":1.1 @bus"])
    func `a text of no connection names none`(text: String) {
        #expect(CallerText(text).name(on: "bus") == nil)
    }
}
