import IPC
import OAuthLogin
import Programs

/// One login, from opening the browser to the name of the user.
struct Login: Sendable {
    let client: Client
    /// The server's URL, without a slash at the end.
    let server: String
    let browser: Browser
    /// How long to wait for the browser.
    let timeout: Duration

    /// Claims the scheme at the broker and on the desktop, signs in, and releases both claims, even after a failure.
    func run() async throws -> User {
        // From here on, signals end the login but not the process, because the claims must be released.
        let signals = StopSignals()
        let scheme = client.scheme
        let app = try await Application.connect(id: client.application, schemes: [scheme])
        if let other = await app.conflicts.first(where: \.isHandler) {
            throw LoginFailure.schemeTaken(scheme.text, by: other.application)
        }
        let result: Result<User, any Error>
        do {
            let links = try await app.registerOnDesktop([scheme])
            if let entry = links.elsewhere[scheme] { throw LoginFailure.schemeTaken(scheme.text, by: entry) }
            result = .success(try await signIn(app, signals))
        } catch { result = .failure(error) }
        try await app.unregisterFromDesktop()
        await app.close()
        return try result.get()
    }

    /// Signs in, unless the time-out expires or a signal arrives.
    private func signIn(_ app: Application, _ signals: StopSignals) async throws -> User {
        try await withThrowingTaskGroup(of: User.self) { group in
            group.addTask { try await user(by: app) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw LoginFailure.timedOut(timeout)
            }
            group.addTask {
                for await signal in signals {
                    throw LoginFailure.interrupted(signal)
                }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            guard let user = try await group.next() else { throw CancellationError() }
            return user
        }
    }

    private func user(by app: Application) async throws -> User {
        var login = PendingLogin(of: client)
        try await browser.open(client.authorizationURL(at: server, for: login), by: app)
        for try await request in app.openURLs {
            let answer: PendingLogin.Answer
            do throws(PendingLogin.Refusal) {
                answer = try login.take(request.url)
            } catch {
                Program.tell("rejected a URL from \(request.source): \(error)")
                try await request.finish(OpenURLRequest.Answer(error))
                continue
            }
            return try await user(for: answer, login.verifier, request)
        }
        throw LoginFailure.ended
    }

    /// Gets the token first and answers the browser's URL afterwards, so that the answer says whether the login
    /// succeeded.
    private func user(
        for answer: PendingLogin.Answer, _ verifier: CodeVerifier, _ request: OpenURLRequest
    ) async throws -> User {
        switch answer {
        case .refused(let error, let description):
            try await request.finish(.handled)
            throw LoginFailure.refused(error, description)
        case .code(let code):
            do {
                let user = try await TokenServer(url: server, client: client).user(for: code, verifier)
                try await request.finish(.handled, replying: [.string("signed in; you can close this page")])
                return user
            } catch {
                try await request.finish(.failed(code: "not-signed-in", message: "\(error)"))
                throw error
            }
        }
    }
}
