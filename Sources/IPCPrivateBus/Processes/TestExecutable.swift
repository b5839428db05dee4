internal import Glibc

/// The program that runs the tests.
package enum TestExecutable {
    /// The absolute path of its directory, which is the build directory of the package.
    package static let directory: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let path = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : CommandLine.arguments[0]
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()
}
