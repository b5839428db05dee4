/// The environment variables that describe the user's session.
package enum SessionEnvironment {
    /// The complete environment of a test with a private session. In the test's tasks, it replaces the environment of
    /// the process, which parallel tests share. `nil` outside of such a test.
    @TaskLocal package static var ofTest: [String: String]?
}
