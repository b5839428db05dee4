import IPCTesting

/// A real dbus-daemon that listens where a test wants, and accepts only the given mechanism.
struct ConfiguredDaemon {
    enum Mechanism: String {
        case external = "EXTERNAL"
        case cookie = "DBUS_COOKIE_SHA1"
        case anonymous = "ANONYMOUS"
    }

    let directory: TemporaryDirectory
    /// The address as the daemon prints it, including the daemon's id.
    let address: String
    private let process: RunningProcess

    /// - Parameter listen: an address; `DIR` stands for a new directory.
    static func start(listen: String, _ mechanism: Mechanism = .external) async throws -> ConfiguredDaemon {
        let directory = try TemporaryDirectory("daemon")
        let configuration = directory.appending("bus.conf")
        try FileContents.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>\(listen.replacing("DIR", with: directory.path))</listen>
              <auth>\(mechanism.rawValue)</auth>
              \(mechanism == .anonymous ? "<allow_anonymous/>" : "")
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>

            """, to: configuration)
        let process = try await RunningProcess.start(
            "dbus-daemon",
            ["--nofork", "--nopidfile", "--nosyslog", "--config-file=\(configuration)", "--print-address=1"])
        let address = try await process.waitForLine { $0.contains("guid=") }
        return ConfiguredDaemon(directory: directory, address: address, process: process)
    }

    /// The address of a local program that stands in for ssh; the program writes its process ID to ``bridgeFile``.
    func bridge(throughPipes: Bool) -> String {
        BridgeAddress.of(
            String(address.split(separator: ",guid=")[0]), throughPipes: throughPipes, noting: bridgeFile)
    }

    var bridgeFile: String { directory.appending("bridge") }

    func stop() async { await process.end() }
}
