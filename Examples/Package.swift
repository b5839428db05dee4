// swift-tools-version: 6.2
import PackageDescription

// Programs to learn from, one per folder; README.md lists them. They are a separate package, so that swift-ipc does not
// get their dependencies, and so that they see only its products.
let ipc = Target.Dependency.product(name: "IPC", package: "swift-ipc")
let dbus = Target.Dependency.product(name: "IPCDBus", package: "swift-ipc")

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpServer: [Target.Dependency] = [
    "LocalServer", .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOCore", package: "swift-nio"),
]
let testKit: [Target.Dependency] = [
    .product(name: "IPCTestKit", package: "swift-ipc"), .product(name: "ipc-broker", package: "swift-ipc"),
]

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "swift-ipc", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Confirm
        .target(
            name: "Confirmations", dependencies: ["SceneManager", "Terminal", ipc], path: "Confirm/Library",
            swiftSettings: settings),
        .executableTarget(
            name: "confirm", dependencies: ["Confirmations", "Programs", "Prompts", "Terminal", ipc, arguments],
            path: "Confirm/Program", swiftSettings: settings),
        .testTarget(
            name: "ConfirmationsTests", dependencies: ["Confirmations", "SceneManager", "Terminal", ipc],
            path: "Confirm/Tests", swiftSettings: settings),

        // Digests
        .systemLibrary(
            name: "CGLib", path: "Digests/CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .target(name: "Digests", dependencies: ["CGLib"], path: "Digests/Library", swiftSettings: settings),

        // HTTPClient
        .systemLibrary(
            name: "CCurl", path: "HTTPClient/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "HTTPClient", dependencies: ["CCurl"], path: "HTTPClient/Library", swiftSettings: settings),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["HTTPClient"], path: "HTTPClient/Tests", swiftSettings: settings),

        // HTTPRelay
        .target(
            name: "HTTPRelay", dependencies: ["Programs", ipc], path: "HTTPRelay/Library", swiftSettings: settings),
        .executableTarget(
            name: "http-relay",
            dependencies: ["HTTPRelay", "HTTPClient", "Programs", ipc, arguments], path: "HTTPRelay/Relay",
            swiftSettings: settings),
        .executableTarget(
            name: "relay-client", dependencies: ["HTTPRelay", "Programs", ipc, arguments], path: "HTTPRelay/Client",
            swiftSettings: settings),
        .executableTarget(
            name: "relay-test-server",
            dependencies: httpServer + [
                arguments, .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "HTTPRelay/TestServer", swiftSettings: settings),
        .testTarget(
            name: "HTTPRelayTests", dependencies: ["HTTPRelay", ipc] + testKit, path: "HTTPRelay/Tests",
            swiftSettings: settings),

        // InstallID
        .target(
            name: "InstallID", dependencies: ["Programs", dbus, ipc], path: "InstallID/Library",
            swiftSettings: settings),
        .executableTarget(
            name: "install-id", dependencies: ["InstallID", "Programs", ipc, arguments], path: "InstallID/Program",
            swiftSettings: settings),
        .testTarget(
            name: "InstallIDTests", dependencies: ["InstallID"], path: "InstallID/Tests", swiftSettings: settings),

        // LocalServer
        .target(
            name: "LocalServer",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
                arguments, .product(name: "Logging", package: "swift-log"),
            ], path: "LocalServer/Library", swiftSettings: settings),

        // Notes: exactly the handler in the README of the repository
        .executableTarget(name: "notes", dependencies: [ipc], path: "Notes", swiftSettings: settings),

        // OAuthLogin
        .target(
            name: "OAuthLogin", dependencies: ["Digests", ipc], path: "OAuthLogin/Library", swiftSettings: settings),
        .executableTarget(
            name: "oauth-login",
            dependencies: ["OAuthLogin", "HTTPClient", "Programs", ipc, arguments], path: "OAuthLogin/Login",
            swiftSettings: settings),
        .executableTarget(
            name: "oauth-mock-server", dependencies: httpServer + ["OAuthLogin", ipc, arguments],
            path: "OAuthLogin/MockServer", swiftSettings: settings),
        .testTarget(
            name: "OAuthLoginTests", dependencies: ["OAuthLogin", ipc], path: "OAuthLogin/Tests",
            swiftSettings: settings),

        // Playlist
        .target(
            name: "Playlists", dependencies: ["Digests", "Programs", ipc], path: "Playlist/Library",
            swiftSettings: settings),
        .executableTarget(
            name: "playlist", dependencies: ["Playlists", "Programs", ipc, arguments], path: "Playlist/Program",
            swiftSettings: settings),
        .testTarget(
            name: "PlaylistsTests", dependencies: ["Playlists", ipc], path: "Playlist/Tests", swiftSettings: settings),

        // Polyglot
        .executableTarget(
            name: "polyglot-handler", dependencies: ["Programs", ipc], path: "Polyglot/Handler", swiftSettings: settings
        ),
        .executableTarget(
            name: "polyglot-client", dependencies: ["Programs", ipc], path: "Polyglot/Client", swiftSettings: settings),

        // Programs
        .target(name: "Programs", dependencies: [ipc], path: "Programs/Library", swiftSettings: settings),
        .testTarget(
            name: "ProgramsTests", dependencies: ["Programs", ipc], path: "Programs/Tests", swiftSettings: settings),

        // Prompts
        .target(
            name: "Prompts", dependencies: ["Terminal", ipc], path: "Prompts/Library", swiftSettings: settings),
        .testTarget(name: "PromptsTests", dependencies: ["Prompts"], path: "Prompts/Tests", swiftSettings: settings),

        // QABrowser
        .target(name: "Questions", path: "QABrowser/Questions", swiftSettings: settings),
        .target(
            name: "QuestionArchive", dependencies: ["Questions"], path: "QABrowser/Archive",
            resources: [.copy("Data")], swiftSettings: settings),
        .executableTarget(
            name: "question-server",
            dependencies: httpServer + [
                "QuestionArchive", "Questions", arguments,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "QABrowser/Server", swiftSettings: settings),
        .executableTarget(
            name: "qa-browser",
            dependencies: ["HTTPRelay", "Questions", "Programs", "SceneManager", "Terminal", ipc, arguments],
            path: "QABrowser/Program", swiftSettings: settings),
        .testTarget(
            name: "QuestionsTests", dependencies: ["Questions", "QuestionArchive"], path: "QABrowser/Tests",
            swiftSettings: settings),

        // SceneManager
        .target(
            name: "SceneManager", dependencies: [ipc, "Programs", "Terminal"], path: "SceneManager/Library",
            swiftSettings: settings),
        .executableTarget(
            name: "scene-demo", dependencies: ["SceneManager", "Terminal"], path: "SceneManager/Demo",
            swiftSettings: settings),
        .testTarget(
            name: "SceneManagerTests", dependencies: ["SceneManager", "Terminal"], path: "SceneManager/Tests",
            swiftSettings: settings),

        // ServerClientDemo
        .executableTarget(
            name: "demo-server", dependencies: [ipc], path: "ServerClientDemo/Server", swiftSettings: settings),
        .executableTarget(
            name: "demo-client", dependencies: [ipc], path: "ServerClientDemo/Client", swiftSettings: settings),

        // Terminal
        .systemLibrary(name: "CNcurses", path: "Terminal/CNcurses", providers: [.apt(["libncurses-dev"])]),
        .target(
            name: "Terminal", dependencies: ["CNcurses", "Programs", ipc], path: "Terminal/Sources",
            swiftSettings: settings),
        .testTarget(
            name: "TerminalTests", dependencies: ["Terminal", "CNcurses"], path: "Terminal/Tests",
            swiftSettings: settings),

        // TestKitSample: exactly the tests in docs/testing.md
        .target(name: "Counter", dependencies: [ipc], path: "TestKitSample/Library", swiftSettings: settings),
        .testTarget(
            name: "CounterTests",
            dependencies: ["Counter", ipc] + testKit, path: "TestKitSample/Tests", swiftSettings: settings),

        // ValidatedEntry
        .target(
            name: "EntryRules", dependencies: ["Terminal", ipc], path: "ValidatedEntry/Rules",
            swiftSettings: settings),
        .executableTarget(
            name: "validated-entry", dependencies: ["EntryRules", "Programs", "Prompts", "Terminal", ipc, arguments],
            path: "ValidatedEntry/Program", swiftSettings: settings),
        .testTarget(
            name: "EntryRulesTests", dependencies: ["EntryRules", "Terminal", ipc], path: "ValidatedEntry/Tests",
            swiftSettings: settings),

        // WindowFrames
        .target(name: "WindowFrames", dependencies: [ipc], path: "WindowFrames/Library", swiftSettings: settings),
        .executableTarget(
            name: "frames", dependencies: ["WindowFrames", "Programs", ipc, arguments], path: "WindowFrames/Program",
            swiftSettings: settings),
        .testTarget(
            name: "WindowFramesTests", dependencies: ["WindowFrames", ipc], path: "WindowFrames/Tests",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
