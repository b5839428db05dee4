/// An argument: its type, and its name for introspection.
public struct Argument<Value: DBusCodable>: Sendable {
    public let name: String
    public init(_ name: String, _ type: Value.Type = Value.self) { self.name = name }
}

/// An argument as introspection describes it.
public struct ArgumentDescription: Sendable, Hashable {
    public let name: String
    public let signature: Signature
}

/// The arguments of a call, an answer or a signal: their names and types, and the functions that read and write them.
public struct Arguments<Values: Sendable>: Sendable {
    public let descriptions: [ArgumentDescription]
    public let signature: String
    @usableFromInline let read: @Sendable (inout MessageReader) throws(MessageError) -> Values
    @usableFromInline let write: @Sendable (Values, inout MessageWriter) throws(MessageError) -> Void

    @usableFromInline init(
        _ descriptions: [ArgumentDescription],
        read: @escaping @Sendable (inout MessageReader) throws(MessageError) -> Values,
        write: @escaping @Sendable (Values, inout MessageWriter) throws(MessageError) -> Void
    ) {
        self.descriptions = descriptions
        signature = descriptions.map(\.signature.text).joined()
        self.read = read
        self.write = write
    }
}

extension Argument {
    @usableFromInline var description: ArgumentDescription { .init(name: name, signature: Value.dbusSignature) }
}

// There is one function for each number of arguments, because Swift 6.3 does not specialize parameter packs: three
// arguments would take about 150 ns longer.
extension Arguments where Values == Void {
    @inlinable public static var none: Self {
        Self([], read: { (_) throws(MessageError) in }, write: { (_, _) throws(MessageError) in })
    }
}

extension Arguments {
    @inlinable public static func of(_ only: Argument<Values>) -> Self where Values: DBusCodable {
        Self(
            [only.description],
            read: { (reader) throws(MessageError) in try Values(from: &reader) },
            write: { (value, writer) throws(MessageError) in try value.write(to: &writer) })
    }

    /// The arguments of two lists, for a method with more than five.
    public static func joined<A, B>(_ first: Arguments<A>, _ second: Arguments<B>) -> Self where Values == (A, B) {
        Self(
            first.descriptions + second.descriptions,
            read: { (reader) throws(MessageError) in (try first.read(&reader), try second.read(&reader)) },
            write: { (values, writer) throws(MessageError) in
                try first.write(values.0, &writer)
                try second.write(values.1, &writer)
            })
    }

    @inlinable public static func of<A, B>(_ first: Argument<A>, _ second: Argument<B>) -> Self where Values == (A, B) {
        Self(
            [first.description, second.description],
            read: { (reader) throws(MessageError) in (try A(from: &reader), try B(from: &reader)) },
            write: { (values, writer) throws(MessageError) in
                try values.0.write(to: &writer)
                try values.1.write(to: &writer)
            })
    }

    @inlinable public static func of<A, B, C>(
        _ first: Argument<A>, _ second: Argument<B>, _ third: Argument<C>
    ) -> Self where Values == (A, B, C) {
        Self(
            [first.description, second.description, third.description],
            read: { (reader) throws(MessageError) in
                (try A(from: &reader), try B(from: &reader), try C(from: &reader))
            },
            write: { (values, writer) throws(MessageError) in
                try values.0.write(to: &writer)
                try values.1.write(to: &writer)
                try values.2.write(to: &writer)
            })
    }

    @inlinable public static func of<A, B, C, D>(
        _ first: Argument<A>, _ second: Argument<B>, _ third: Argument<C>, _ fourth: Argument<D>
    ) -> Self where Values == (A, B, C, D) {
        Self(
            [first.description, second.description, third.description, fourth.description],
            read: { (reader) throws(MessageError) in
                (try A(from: &reader), try B(from: &reader), try C(from: &reader), try D(from: &reader))
            },
            write: { (values, writer) throws(MessageError) in
                try values.0.write(to: &writer)
                try values.1.write(to: &writer)
                try values.2.write(to: &writer)
                try values.3.write(to: &writer)
            })
    }

    @inlinable public static func of<A, B, C, D, E>(
        _ first: Argument<A>, _ second: Argument<B>, _ third: Argument<C>, _ fourth: Argument<D>, _ fifth: Argument<E>
    ) -> Self where Values == (A, B, C, D, E) {
        Self(
            [first.description, second.description, third.description, fourth.description, fifth.description],
            read: { (reader) throws(MessageError) in
                (
                    try A(from: &reader), try B(from: &reader), try C(from: &reader), try D(from: &reader),
                    try E(from: &reader)
                )
            },
            write: { (values, writer) throws(MessageError) in
                try values.0.write(to: &writer)
                try values.1.write(to: &writer)
                try values.2.write(to: &writer)
                try values.3.write(to: &writer)
                try values.4.write(to: &writer)
            })
    }
}
