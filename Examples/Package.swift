// swift-tools-version: 6.2
import PackageDescription

// Programs to learn from. A package of its own: what they depend on never reaches swift-ipc, and they see nothing of it but its
// products. One folder each; README.md is the catalogue.
let ipc = Target.Dependency.product(name: "IPC", package: "swift-ipc")

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "swift-ipc", path: "..")],
    targets: [
        // ServerClientDemo
        .executableTarget(
            name: "demo-server", dependencies: [ipc], path: "ServerClientDemo/Server", swiftSettings: settings),
        .executableTarget(
            name: "demo-client", dependencies: [ipc], path: "ServerClientDemo/Client", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
