import IPCTesting
import Testing

/// `make install` and `make uninstall` with a restrictive umask, systemd's check of the installed units, and the
/// installed programs with their store.
@Suite struct InstallationTests {
    @Test func installedFilesServeAllUsersAndUninstallRemovesThem() async throws {
        let directory = try TemporaryDirectory("install")
        defer { directory.remove() }
        let prefix = directory.appending("prefix")
        func run(_ command: String) async throws -> [String] {
            try await RunningProcess.run(
                "bash",
                [
                    "-c", "set -e; umask 077; export PREFIX=$0; " + command, prefix, Installation.script,
                    Binaries.directory,
                ],
                deadline: .seconds(120)
            ).succeeded().lines
        }
        _ = try await run(#""$1" install "$2""#)
        let modes = try await run(#"find "$PREFIX" -printf '%y %m\n' | sort -u"#)
        #expect(modes == ["d 755", "f 644", "f 755"])
        // The control: the umask does affect a folder that `mkdir` creates.
        #expect(
            try await run(#"mkdir "$PREFIX/own"; find "$PREFIX/own" -printf '%y %m\n'; rmdir "$PREFIX/own""#) == [
                "d 700"
            ])
        let verify =
            #"XDG_RUNTIME_DIR=${PREFIX%/*} systemd-analyze --user --man=no verify "$PREFIX"/lib/systemd/user/*.service 2>&1"#
        #expect(try await run(verify) == [])
        // systemd counts what a user's service cannot do anyway, such as using capabilities, so no unit comes close to 0.
        func exposed(over threshold: Int) async throws -> [String] {
            try await run(
                #"for unit in "$PREFIX"/lib/systemd/user/*.service; do XDG_RUNTIME_DIR=${PREFIX%/*} systemd-analyze "#
                    + "--user security --offline=true --threshold=\(threshold) "
                    + #""$unit" >/dev/null 2>&1 || echo "${unit##*/}"; done"#)
        }
        #expect(try await exposed(over: 65) == [])
        // The control: no unit is below this.
        #expect(try await exposed(over: 10) == ["ipc-bridge.service", "ipc-broker.service"])
        // The control: a setting that systemd does not know is reported.
        let spoiled = try await run(
            #"sed -i s/^Restart=.*/Restart=x/ "$PREFIX"/lib/systemd/user/ipc-broker.service; "# + verify)
        #expect(spoiled.contains { $0.contains("restart specifier") }, "\(spoiled)")
        _ = try await run(#""$1" uninstall"#)
        #expect(!FileContents.exists(prefix))
    }

    @Test(
        .privateBus, .enabled(if: BusImplementation.current == .daemon, "systemd does not see the installed units"))
    func `the store can be deleted, and doctor finds nothing before and afterwards`() async throws {
        let installation = try await Installation.make()
        let client = "\(installation.prefix)/bin/ipc-client"
        func sendInHealth() async throws {
            for command in [["doctor"], ["send", "hello"], ["doctor"]] {
                let output = try await installation.run(client, command)
                #expect(output.output.isEmpty && output.errors.isEmpty, "\(command): \(output)")
            }
        }
        func deleteStore() async throws {
            // The handler is killed first, because it would start the next broker.
            for name in ["demo.IPCServer", BrokerProcess.busName] {
                try await ProcessStatus(pid: try await installation.bus.processID(ofName: name)).kill9()
            }
            try await installation.run("rm", ["-r", installation.store])
        }
        try await sendInHealth()
        try await deleteStore()
        try await sendInHealth()
        try await deleteStore()
        let installed = try FileContents.text(installation.record).split(separator: "\n").map(String.init)
        #expect(installed.contains(installation.record) && installed.allSatisfy(FileContents.exists))
        try await installation.uninstall()
        #expect(installed.filter(FileContents.exists) == [])
    }
}
