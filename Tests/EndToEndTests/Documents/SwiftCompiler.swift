import IPCTesting

/// The Swift compiler, with the modules of this build.
enum SwiftCompiler {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    /// Runs the compiler on a file.
    /// - Parameter action: `-typecheck`, or the arguments that make a program.
    static func run(_ file: String, _ action: [String]) async throws -> ProcessOutput {
        let sources = "\(root)/Sources"
        let maps = ["\(Binaries.directory)/CLinux.build", "\(sources)/CXXHash", "\(sources)/CLibDBus"].map {
            "-fmodule-map-file=\($0)/module.modulemap"
        }
        let libraries = (maps + (try await package("--cflags"))).flatMap { ["-Xcc", $0] }
        return try await RunningProcess.run(
            "swiftc",
            action + [
                "-swift-version", "6", "-I", "\(Binaries.directory)/Modules", "-module-cache-path",
                "\(Binaries.directory)/ModuleCache",
            ] + libraries + [file], deadline: .seconds(120))
    }

    /// Compiles a program that uses the product IPCDBus alone, and returns its path.
    static func program(_ text: String, named name: String, in folder: String) async throws -> String {
        let file = "\(folder)/\(name).swift"
        try FileContents.write(text, to: file)
        let objects = ["IPCDBus", "IPCQueues", "Logging", "CLinux"].flatMap { module in
            let build = "\(Binaries.directory)/\(module).build"
            return (FileContents.names(in: build) ?? []).filter { $0.hasSuffix(".swift.o") || $0.hasSuffix(".c.o") }
                .map { "\(build)/\($0)" }
        }
        let program = "\(folder)/\(name)"
        let libraries = try await package("--libs")
        _ = try await run(file, ["-o", program] + objects + libraries).succeeded()
        return program
    }

    private static func package(_ option: String) async throws -> [String] {
        try await RunningProcess.run("pkg-config", [option, "dbus-1"]).succeeded().output
            .split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
