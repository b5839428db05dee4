import CGIO

/// A desktop entry as GIO sees it (`GDesktopAppInfo`; Desktop Entry Specification).
struct DesktopApplication {
    private let info: OpaquePointer

    /// Finds the entry with this desktop file ID. The corresponding C function is `g_desktop_app_info_new`.
    init?(id: String) {
        guard let info = g_desktop_app_info_new(id) else { return nil }
        self.info = info
    }

    /// Finds the desktop's handler of a URL: the handler for its scheme, which the desktop spells in lower case. If a
    /// file URL has no such handler, finds the handler for the file's type. The corresponding C functions are
    /// `g_app_info_get_default_for_type` and `g_file_query_default_handler`.
    init?(handlerOf url: String) {
        let scheme = String(decoding: url.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
        if let info = g_app_info_get_default_for_type("x-scheme-handler/" + scheme, 1) {
            self.info = info
        } else if scheme == "file", let file = g_file_new_for_uri(url) {
            defer { g_object_unref(UnsafeMutableRawPointer(file)) }
            guard let info = g_file_query_default_handler(file, nil, nil) else { return nil }
            self.info = info
        } else {
            return nil
        }
    }

    /// The desktop file ID.
    var id: String? { g_app_info_get_id(info).map { String(cString: $0) } }

    /// The bus name that receives the application's URLs (“D-Bus Activation”); `nil` if it has none.
    var service: String? {
        let suffix = ".desktop"
        guard g_desktop_app_info_get_boolean(info, "DBusActivatable") != 0, let id, id.hasSuffix(suffix) else {
            return nil
        }
        let name = String(id.dropLast(suffix.count))
        return g_dbus_is_name(name) != 0 && g_dbus_is_unique_name(name) == 0 ? name : nil
    }

    /// Whether the entry runs `ipc-client`, so that the broker would get the URL back.
    var leadsToBroker: Bool {
        guard let line = g_app_info_get_commandline(info).map({ String(cString: $0) }) else { return false }
        return line.split { " \t\"'\\/=".contains($0) }.contains("ipc-client")
    }

    /// Starts the application with a URL. The corresponding C function is `g_app_info_launch_uris`.
    func launch(_ url: String, token: String) throws(Failure) {
        let context = g_app_launch_context_new()
        defer { g_object_unref(context) }
        // The bus sets these variables for the broker that it starts. They would be wrong in the application.
        for name in ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE"] { g_app_launch_context_unsetenv(context, name) }
        if !token.isEmpty {
            for name in ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"] {
                g_app_launch_context_setenv(context, name, token)
            }
        }
        var error: UnsafeMutablePointer<GError>?
        let isStarted = url.withCString { text in
            let list = g_list_append(nil, UnsafeMutableRawPointer(mutating: text))
            defer { g_list_free(list) }
            return g_app_info_launch_uris(info, list, context, &error) != 0
        }
        guard isStarted else { throw Failure(error) }
    }
}

/// An error from GLib.
struct Failure: Error {
    let message: String

    /// Reads the error's message, and frees the error.
    init(_ error: UnsafeMutablePointer<GError>?) {
        message = error?.pointee.message.map { String(cString: $0) } ?? "it gives no reason"
        if let error { g_error_free(error) }
    }

    init(_ message: String) { self.message = message }
}
