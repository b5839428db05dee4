// The private bus and its processes, which the product IPCTestKit shares.
@_exported public import IPCPrivateBus
