import CGIO

/// Opens URLs outside the sandbox that the broker runs in. A sandbox contains no desktop entries, so GIO calls a
/// portal, which may ask the user.
enum Portal {
    /// The name of the portal, used in place of a desktop file ID.
    static let entry = "org.freedesktop.portal.OpenURI"

    /// Whether GIO uses the portal: in Flatpak and Snap, and if an environment variable requests it.
    static var isUsed: Bool {
        g_file_test("/.flatpak-info", G_FILE_TEST_EXISTS) != 0 || g_getenv("SNAP") != nil
            || g_getenv("GTK_USE_PORTAL").map { String(cString: $0) } == "1"
    }

    /// Opens a URL, and waits for the portal's answer. The corresponding C function is
    /// `g_app_info_launch_default_for_uri_async`.
    static func open(_ url: String) throws(Failure) {
        let answer = Answer()
        let context = Unmanaged.passUnretained(answer).toOpaque()
        g_app_info_launch_default_for_uri_async(
            url, nil, nil,
            { _, result, context in
                guard let context else { return }
                let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
                var error: UnsafeMutablePointer<GError>?
                if g_app_info_launch_default_for_uri_finish(result, &error) == 0 { answer.failure = Failure(error) }
                g_main_loop_quit(answer.loop)
            }, context)
        g_main_loop_run(answer.loop)
        if let failure = answer.failure { throw failure }
    }

    private final class Answer {
        let loop = g_main_loop_new(nil, 0)
        var failure: Failure?

        deinit { g_main_loop_unref(loop) }
    }
}
