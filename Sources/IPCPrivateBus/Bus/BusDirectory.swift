/// The files of a private bus, and the environment of the programs on it. What would otherwise be in the user's home is
/// in directories below `home`.
package struct BusDirectory: Sendable {
    package let directory: TemporaryDirectory

    package var socket: String { directory.appending("run/bus") }
    var address: String { "unix:path=\(socket)" }
    package var configuration: String { directory.appending("bus.conf") }
    var services: String { directory.appending("data/dbus-1/services") }

    /// A socket address (`sun_path`) holds 108 bytes, including the NUL (unix(7)).
    private static let longestSocketPath = 107

    init(_ directory: TemporaryDirectory) throws {
        self.directory = directory
        guard socket.utf8.count <= Self.longestSocketPath else {
            throw HarnessError(
                "\(socket) is too long for a socket. Set TMPDIR (in swift-ipc's own tests: IPC_TEST_DIRECTORY) to a "
                    + "shorter directory.")
        }
        for name in ["run", "home", "config", "system-config", "system-data", "data/dbus-1/services"] {
            try directory.makeDirectory(name)
        }
        try FileContents.write(configurationText, to: configuration)
    }

    /// The complete environment of a program on the bus; it contains nothing from the user's session.
    package var environment: [String: String] {
        var variables = [
            "DBUS_SESSION_BUS_ADDRESS": address,
            "HOME": directory.appending("home"),
            "XDG_CONFIG_DIRS": directory.appending("system-config"),
            "XDG_CONFIG_HOME": directory.appending("config"),
            "XDG_DATA_DIRS": directory.appending("system-data"),
            "XDG_DATA_HOME": directory.appending("data"),
            "XDG_RUNTIME_DIR": directory.appending("run"),
            Self.marker: directory.path,
        ]
        for name in Self.kept {
            if let value = environmentVariable(name) { variables[name] = value }
        }
        return variables
    }

    /// The variable that identifies all processes of a bus, including those that the bus started.
    static let marker = "IPC_TEST_BUS_DIRECTORY"

    private static let kept = [
        "PATH", "LANG", "LC_ALL", "TZ", "TERM", "USER", "LOGNAME", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE",
        "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "SWIFT_BACKTRACE",
        "IPC_BINARIES", "IPC_TEST_SIZE", "IPC_TEST_SEED", "IPC_TEST_DIRECTORY",
        "SWIFT_IPC_ROUTE",
    ]

    /// Policy and limits are those of the stock `session.conf`, so that tests run under the conditions of real
    /// sessions. This includes unsolicited replies, which `eavesdrop` permits.
    private var configurationText: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <keep_umask/>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(directory.appending("run/dbus-1/services"))</servicedir>
          <servicedir>\(services)</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
          <limit name="max_incoming_bytes">1000000000</limit>
          <limit name="max_incoming_unix_fds">250000000</limit>
          <limit name="max_outgoing_bytes">1000000000</limit>
          <limit name="max_outgoing_unix_fds">250000000</limit>
          <limit name="max_message_size">1000000000</limit>
          <limit name="service_start_timeout">120000</limit>
          <limit name="auth_timeout">240000</limit>
          <limit name="pending_fd_timeout">150000</limit>
          <limit name="max_completed_connections">100000</limit>
          <limit name="max_incomplete_connections">10000</limit>
          <limit name="max_connections_per_user">100000</limit>
          <limit name="max_pending_service_starts">10000</limit>
          <limit name="max_names_per_connection">50000</limit>
          <limit name="max_match_rules_per_connection">50000</limit>
          <limit name="max_replies_per_connection">50000</limit>
        </busconfig>

        """
    }
}
