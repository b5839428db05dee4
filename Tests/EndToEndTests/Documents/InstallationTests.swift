import IPCTesting
import Testing

/// `make install` and `make uninstall`, run by a user with a narrow umask, and systemd's verdict on the units.
@Suite struct InstallationTests {
    private static let script =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/") + "/scripts/install"

    @Test func whatIsInstalledIsForEverybodyAndNothingOfItStays() async throws {
        let directory = try TemporaryDirectory("install")
        defer { directory.remove() }
        let prefix = directory.appending("prefix")
        func run(_ command: String) async throws -> [String] {
            try await RunningProcess.run(
                "bash",
                ["-c", "set -e; umask 077; export PREFIX=$0; " + command, prefix, Self.script, Binaries.directory],
                deadline: .seconds(120)
            ).succeeded().lines
        }
        _ = try await run(#""$1" install "$2""#)
        let modes = try await run(#"find "$PREFIX" -printf '%y %m\n' | sort -u"#)
        #expect(modes == ["d 755", "f 644", "f 755"])
        // The control: the effect of such a umask is noticed.
        #expect(
            try await run(#"mkdir "$PREFIX/own"; find "$PREFIX/own" -printf '%y %m\n'; rmdir "$PREFIX/own""#) == [
                "d 700"
            ])
        let verify =
            #"XDG_RUNTIME_DIR=${PREFIX%/*} systemd-analyze --user --man=no verify "$PREFIX"/lib/systemd/user/*.service 2>&1"#
        #expect(try await run(verify) == [])
        // The control: a word that systemd does not know.
        let spoiled = try await run(
            #"sed -i s/^Restart=.*/Restart=x/ "$PREFIX"/lib/systemd/user/ipc-broker.service; "# + verify)
        #expect(spoiled.contains { $0.contains("restart specifier") }, "\(spoiled)")
        _ = try await run(#""$1" uninstall"#)
        #expect(!FileContents.exists(prefix))
    }
}
