internal import IPC

extension JSONValue {
    /// A received message with all its properties.
    static func message(_ request: OpenURLRequest) -> JSONValue {
        let payload = request.payload
        return .object([
            "id": .string(request.id),
            "url": .string(request.url),
            "source-application": .nonEmpty(request.source.application),
            "source-strength": .string(request.source.strength.rawValue),
            "pasteboard": payload.pasteboard.map { .string($0) },
            "change-count": payload.changeCount.map { .count($0) },
            "items": payload.isPresent ? .items(payload.items, most: InputFile.mostBytes) : nil,
            "annotation": request.annotation.map { JSONValue($0) },
            "attempt": .unsigned(request.attempt),
            "activation-token": request.activationToken.map { .string($0) },
        ])
    }
}
