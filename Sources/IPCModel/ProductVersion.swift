/// The version of the broker, the library and the tools, as in Semantic Versioning.
package enum ProductVersion {
    package static let text = "0.1.0"
}
