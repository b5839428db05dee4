package import IPC

extension Handler {
    /// What the claim of another application means to one that has claimed the same scheme.
    /// - Parameter application: the one that has claimed it now.
    package func sentence(for application: String) -> String {
        isHandler
            ? "\(scheme) still goes to \(self.application), whose claim (\(kind)) comes first; "
                + "'ipc-client default \(scheme) \(application)' changes that"
            : "\(self.application) claims \(scheme) too (\(kind)), and is passed over"
    }
}
