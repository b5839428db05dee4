internal import Glibc
internal import IPCModel

/// Errors for failed C functions, by `errno`.
enum FileFailure {
    /// The error for a failed operation on a file of the store. It never reports that the file is damaged, because the
    /// failure may be temporary.
    static func condition(_ number: Int32, _ limits: Limits, cannotBe verb: String = "written") -> any Error {
        switch number {
        case ENOSPC, EDQUOT: StoreError.noSpace
        case EMFILE, ENFILE: noDescriptors(limits)
        default: IPCError(.inputOutput, "a file of the store cannot be \(verb): \(sentence(number))")
        }
    }

    static func memoryCondition(_ number: Int32, byteCount: Int, _ limits: Limits) -> any Error {
        switch number {
        case EMFILE, ENFILE: noDescriptors(limits)
        default: IPCError(.noSpace, "there is no memory for a value of \(byteCount) bytes: \(sentence(number))")
        }
    }

    static func noDescriptors(_ limits: Limits) -> LimitExceeded {
        LimitExceeded(limit: "descriptors", use: limits.descriptors, request: 1, allowed: limits.descriptors)
    }

    static func sentence(_ number: Int32) -> String { String(cString: strerror(number)) }
}
