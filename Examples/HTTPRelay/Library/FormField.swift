public import IPC

/// A field of a form: a name and a value, both decoded. `URLParameters` encodes them.
public typealias FormField = URLParameters.Parameter

extension FormField {
    /// Creates a field from any two strings.
    public init(_ name: String, _ value: String) { self.init(name: name, value: value) }
}
