// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
// Async functions in the product run where their caller runs, on the I/O thread, so that calls reach the store in order
// and without a thread switch.
let product = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
// A package that uses only the libraries turns the trait off with "traits: []". SwiftPM then does not fetch these packages.
let programs = TargetDependencyCondition.when(traits: ["Programs"])
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess", condition: programs)
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system", condition: programs)

// The five layers, from the lowest up. A target depends only on lower layers or on its own.
let package = Package(
    name: "swift-ipc",
    products: [
        .library(name: "IPC", targets: ["IPC"]),
        .library(name: "IPCFoundation", targets: ["IPCFoundation"]),
        .library(name: "IPCDBus", targets: ["IPCDBus"]),
        .library(name: "IPCTestKit", targets: ["IPCTestKit"]),
        .executable(name: "ipc-broker", targets: ["ipc-broker"]),
        .executable(name: "ipc-server", targets: ["ipc-server"]),
        .executable(name: "ipc-client", targets: ["ipc-client"]),
        .executable(name: "ipc-desktop-open", targets: ["ipc-desktop-open"]),
        .executable(name: "ipc-bridge", targets: ["ipc-bridge"]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(name: "Programs", description: "The programs and the tests, with the packages that only they need."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        // Layer 0: C
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CGIO", pkgConfig: "gobject-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CXCB", pkgConfig: "xcb-xfixes", providers: [.apt(["libxcb-xfixes0-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLibDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .target(name: "CLinux"),
        .target(name: "CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),

        // Layer 1: foundations
        .target(name: "IPCModel", dependencies: ["CXXHash"], swiftSettings: product),
        // Generic, and public although it is not a product: other modules get specialized copies only of public code.
        .target(name: "IPCQueues", swiftSettings: product),
        .target(name: "IPCDBus", dependencies: ["IPCQueues", "CLibDBus", "CLinux", logging], swiftSettings: product),

        // Layer 2: adapters
        .target(name: "IPCDesktop", dependencies: ["IPCModel"], swiftSettings: product),
        .target(name: "IPCInterface", dependencies: ["IPCModel", "IPCDBus"], swiftSettings: product),
        .target(
            name: "IPCStore",
            dependencies: ["IPCModel", "CSQLite", "CXXHash", "CLinux"],
            swiftSettings: strict),

        // Layer 3: programs
        .target(
            name: "IPCBroker",
            dependencies: [
                "IPCStore", "IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "IPCQueues", "CLinux", logging,
            ],
            swiftSettings: product),

        .target(
            name: "IPC", dependencies: ["IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "CLinux"],
            swiftSettings: product),

        // A separate product, so that programs without Foundation do not link it.
        .target(name: "IPCFoundation", dependencies: ["IPC"], swiftSettings: product),

        // For tests, here and in packages that use the library: a message bus for one test, and processes on it.
        .target(name: "IPCPrivateBus", dependencies: ["CLinux", subprocess, system], swiftSettings: strict),
        // A separate product, because it uses Swift Testing, which a static program cannot link.
        .target(
            name: "IPCTestKit", dependencies: ["IPC", "IPCModel", "IPCDBus", "IPCPrivateBus"], swiftSettings: product),

        // Layer 4: executables
        // A request passes through several of the broker's threads, so most memory is freed by a different thread from the one
        // that allocated it. That takes a lock in glibc but not in jemalloc, which gives 20 to 25 % more requests per second.
        .executableTarget(
            name: "ipc-broker", dependencies: ["IPCBroker", "IPCDesktop", "IPCModel", "CJemalloc", arguments, logging],
            swiftSettings: product),
        // Only this program links GLib. The broker runs it for URLs that no application claims.
        .executableTarget(name: "ipc-desktop-open", dependencies: ["CGIO"], swiftSettings: strict),
        .target(
            name: "IPCTools", dependencies: ["IPC", "IPCModel", "IPCDBus", "CLinux", arguments, subprocess, system],
            swiftSettings: strict),
        .executableTarget(
            name: "ipc-server", dependencies: ["IPCTools", "IPC", "IPCModel", arguments], swiftSettings: strict),
        .executableTarget(
            name: "ipc-client", dependencies: ["IPCTools", "IPC", "IPCDesktop", "IPCModel", "IPCDBus", arguments],
            swiftSettings: strict),
        // Serves the desktop's clipboard. Only this program links XCB.
        .executableTarget(
            name: "ipc-bridge", dependencies: ["IPCTools", "IPC", "IPCModel", "IPCDBus", "CXCB", "CLinux", arguments],
            swiftSettings: product),

        // Tests: one folder per module, and the harness that they share
        .target(
            name: "IPCTesting",
            dependencies: ["IPCPrivateBus"], path: "Tests/IPCTesting", swiftSettings: strict),
        .testTarget(name: "IPCTestingTests", dependencies: ["IPCTesting"], swiftSettings: strict),
        .testTarget(name: "IPCModelTests", dependencies: ["IPCModel", "IPCTesting"], swiftSettings: strict),
        .testTarget(
            name: "IPCStoreTests", dependencies: ["IPCStore", "IPCModel", "CSQLite", "CLinux", "IPCTesting"],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "IPCDesktopTests", dependencies: ["IPCDesktop", "IPCModel", "IPCTesting", "CGIO"],
            swiftSettings: strict),
        .testTarget(name: "IPCQueuesTests", dependencies: ["IPCQueues", "IPCTesting"], swiftSettings: strict),
        .testTarget(
            name: "IPCDBusTests", dependencies: ["IPCDBus", "IPCDBusOracle", "IPCTesting"], swiftSettings: strict),
        // Compares the reader and the writer of IPCDBus with libdbus; "wire-oracle" does so for millions of inputs.
        .target(
            name: "IPCDBusOracle", dependencies: ["IPCDBus", "CLibDBus", "CLinux"], path: "Tests/IPCDBusOracle",
            swiftSettings: strict),
        .executableTarget(
            name: "wire-oracle", dependencies: ["IPCDBusOracle", "IPCDBus"], path: "Tests/wire-oracle",
            swiftSettings: strict),
        // Replays inputs of the campaign's fuzzing. "make fuzz" builds it with libFuzzer.
        .executableTarget(
            name: "fuzz-targets",
            dependencies: [
                "IPCTools", "IPC", "IPCStore", "IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "IPCDBusOracle",
                "CLibDBus",
            ], path: "Tests/Campaign/Fuzz", exclude: ["Control"], swiftSettings: strict),
        .testTarget(
            name: "IPCBrokerTests",
            dependencies: [
                "IPCBroker", "IPCStore", "IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "IPCTesting",
                "ipc-broker",
                logging,
            ], swiftSettings: strict),
        .testTarget(
            name: "IPCTests", dependencies: ["IPC", "IPCInterface", "IPCModel", "IPCDBus", "IPCTesting", "CGIO"],
            swiftSettings: strict),
        .testTarget(
            name: "IPCTestKitTests",
            dependencies: ["IPCTestKit", "IPC", "IPCDBus", "IPCPrivateBus", "IPCTesting", "ipc-broker"],
            swiftSettings: strict),
        .testTarget(name: "IPCFoundationTests", dependencies: ["IPCFoundation", "IPC"], swiftSettings: strict),
        .testTarget(
            name: "IPCToolsTests",
            dependencies: [
                "IPCTools", "IPC", "IPCInterface", "IPCModel", "IPCDBus", "IPCTesting", "ipc-server", "ipc-client",
                "ipc-bridge", arguments,
            ], exclude: ["Help"], swiftSettings: strict),
        .testTarget(
            name: "ContractTests", dependencies: ["IPCInterface", "IPCModel", "IPCDBus", "IPCTesting", "ipc-broker"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "IPC", "IPCInterface", "IPCDesktop", "IPCModel", "IPCDBus", "IPCTesting", "ipc-broker", "ipc-server",
                "ipc-client", "ipc-desktop-open", "ipc-bridge",
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
