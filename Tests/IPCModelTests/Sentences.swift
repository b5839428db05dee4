import IPCModel
import Testing

/// Checks that a condition has a valid message: one sentence that can be shown and sent anywhere.
func expectSentence(_ condition: some Condition, sourceLocation: SourceLocation = #_sourceLocation) {
    let message = condition.ipcError.message
    #expect(message == condition.description, sourceLocation: sourceLocation)
    #expect(message.first?.isLowercase == true, "\(message)", sourceLocation: sourceLocation)
    #expect(message.last != ".", "\(message)", sourceLocation: sourceLocation)
    #expect(!message.contains("\""), "\(message)", sourceLocation: sourceLocation)
    #expect(message.utf8.count < 1_000, "\(message)", sourceLocation: sourceLocation)
    let controls = message.unicodeScalars.filter { $0.properties.generalCategory == .control }
    #expect(controls.isEmpty, "\(message)", sourceLocation: sourceLocation)
}
