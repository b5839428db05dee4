/// The part of ``HistoryChecker`` that judges collections. It must get the starts and completions of operations in
/// order.
struct CollectionChecker {
    private(set) var violations: [HistoryViolation] = []
    private var tried: [String: [History.Value: History.Result]] = [:]
    /// The elements that every listing from now on must contain, for each collection, in the order in which they became
    /// known.
    private var certain: [String: [History.Value]] = [:]
    private var isCertain: [String: Set<History.Value>] = [:]
    /// The number of elements that `certain` had when each listing started, by the listing's operation number.
    private var floors: [Int: Int] = [:]

    init(_ history: History) {
        for operation in history.operations {
            guard case .add(let collection, let value) = operation.action else { continue }
            tried[collection, default: [:]][value] = operation.result
        }
    }

    mutating func begin(_ operation: History.Operation) {
        if case .list(let collection) = operation.action {
            floors[operation.number] = certain[collection]?.count ?? 0
        }
    }

    mutating func end(_ operation: History.Operation) {
        switch (operation.action, operation.result) {
        case (.add(let collection, let value), .acknowledged): makeCertain(collection, value)
        case (.list(let collection), .elements(let elements)):
            checkListing(operation, collection, elements)
            for element in elements { makeCertain(collection, element) }
        default: break
        }
    }

    private mutating func makeCertain(_ collection: String, _ value: History.Value) {
        if isCertain[collection, default: []].insert(value).inserted { certain[collection, default: []].append(value) }
    }

    private mutating func checkListing(
        _ operation: History.Operation, _ collection: String, _ elements: [History.Value]
    ) {
        var found: Set<History.Value> = []
        for element in elements {
            if !found.insert(element).inserted {
                report(.duplicated, operation, "\(element.shown) occurs twice in \(collection).")
            }
            switch tried[collection]?[element] {
            case nil: report(.torn, operation, "\(element.shown) is in \(collection); nobody added it.")
            case .refused?:
                report(
                    .refusedButApplied, operation,
                    "\(element.shown) is in \(collection), although adding it was refused.")
            default: break
            }
        }
        for value in (certain[collection] ?? []).prefix(floors[operation.number] ?? 0) where !found.contains(value) {
            report(.lost, operation, "\(value.shown) was acknowledged or seen, but it is missing from \(collection).")
        }
    }

    private mutating func report(_ kind: HistoryViolation.Kind, _ operation: History.Operation, _ text: String) {
        violations.append(HistoryViolation(kind: kind, operation: operation.number, description: text))
    }
}
