// swift-tools-version: 6.2
import PackageDescription

// Measures the products from outside, so it sees only them.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "swift-ipc", path: "..")],
    targets: [
        .executableTarget(
            name: "Load",
            dependencies: [
                .product(name: "IPC", package: "swift-ipc"), .product(name: "IPCDBus", package: "swift-ipc"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
