internal import Glibc
internal import IPCModel

/// Conditions for failed C functions, by `errno`.
enum FileFailure {
    /// A file of the store cannot be created or written.
    static func condition(_ number: Int32, _ limits: Limits) -> any Error {
        switch number {
        case ENOSPC, EDQUOT: StoreError.noSpace
        case EMFILE, ENFILE: noDescriptors(limits)
        default: IPCError(.inputOutput, "a file of the store cannot be written: \(sentence(number))")
        }
    }

    /// A memory file cannot be created or written.
    static func memoryCondition(_ number: Int32, byteCount: Int, _ limits: Limits) -> any Error {
        switch number {
        case EMFILE, ENFILE: noDescriptors(limits)
        default: IPCError(.noSpace, "there is no memory for a value of \(byteCount) bytes: \(sentence(number))")
        }
    }

    /// A file of the store cannot be opened or read, which says nothing about its content.
    static func unreadable(_ number: Int32, _ limits: Limits) -> any Error {
        switch number {
        case EMFILE, ENFILE: noDescriptors(limits)
        default: IPCError(.inputOutput, "a file of the store cannot be read: \(sentence(number))")
        }
    }

    /// The process has no descriptor left.
    static func noDescriptors(_ limits: Limits) -> LimitExceeded {
        LimitExceeded(limit: "descriptors", use: limits.descriptors, request: 1, allowed: limits.descriptors)
    }

    static func sentence(_ number: Int32) -> String { String(cString: strerror(number)) }
}
