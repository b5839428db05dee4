/// The request that the current task handles: the parent of every request that it makes (D-Bus has no causality).
enum HandledRequest {
    @TaskLocal static var id: String?
}
