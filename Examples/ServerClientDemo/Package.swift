// swift-tools-version: 6.2
import PackageDescription

let ipc = Target.Dependency.product(name: "IPC", package: "swift-ipc")

let package = Package(
    name: "ServerClientDemo",
    dependencies: [.package(name: "swift-ipc", path: "../..")],
    targets: [
        .executableTarget(name: "demo-server", dependencies: [ipc]),
        .executableTarget(name: "demo-client", dependencies: [ipc]),
    ]
)
