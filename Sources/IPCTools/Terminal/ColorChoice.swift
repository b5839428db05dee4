internal import ArgumentParser

/// When the tools use colour.
package enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument {
    case auto
    case always
    case never
}
