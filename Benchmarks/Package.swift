// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the measurements use only the public products.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "swift-ipc", path: "..", traits: [])],
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
