internal import Glibc

// What messages say may be secret (I14): memory that held one is overwritten before it is anybody else's, or stays unused.

/// Overwrites bytes, whether or not somebody reads them afterwards.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
}

/// Gives memory of malloc(3) back without what stood in it.
func freeWiped(_ bytes: UnsafeMutableRawBufferPointer) {
    wipe(bytes)
    free(bytes.baseAddress)
}
