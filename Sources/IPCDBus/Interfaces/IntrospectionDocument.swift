/// Introspection XML (D-Bus specification, "Introspection Data Format").
struct IntrospectionDocument {
    let interfaces: [InterfaceDescription]
    let children: [String]

    var text: String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" "#
                + #""http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
            "<node>",
        ]
        for interface in interfaces {
            lines.append(#"  <interface name="\#(interface.name)">"#)
            lines += Self.documentation(interface.summary, indent: "    ")
            lines += interface.members.flatMap(Self.lines)
            lines.append("  </interface>")
        }
        lines += children.map { #"  <node name="\#($0)"/>"# }
        lines.append("</node>\n")
        return lines.joined(separator: "\n")
    }

    private static func lines(_ member: MemberDescription) -> [String] {
        switch member {
        case .method(let name, let input, let output, let isOneWay, let summary):
            [#"    <method name="\#(name)">"#]
                + documentation(summary, indent: "      ")
                + (isOneWay ? [annotation("org.freedesktop.DBus.Method.NoReply", "true", indent: "      ")] : [])
                + input.map { argument($0, direction: #" direction="in""#) }
                + output.map { argument($0, direction: #" direction="out""#) } + ["    </method>"]
        case .signal(let name, let arguments, let summary):
            [#"    <signal name="\#(name)">"#] + documentation(summary, indent: "      ")
                + arguments.map { argument($0, direction: "") } + ["    </signal>"]
        case .property(let name, let signature, let isWritable, let changes, let summary):
            [#"    <property name="\#(name)" type="\#(signature)" access="\#(isWritable ? "readwrite" : "read")">"#]
                + documentation(summary, indent: "      ")
                + [annotation("org.freedesktop.DBus.Property.EmitsChangedSignal", changes.rawValue, indent: "      ")]
                + ["    </property>"]
        }
    }

    private static func argument(_ argument: ArgumentDescription, direction: String) -> String {
        #"      <arg name="\#(argument.name)" type="\#(argument.signature)"\#(direction)/>"#
    }

    private static func documentation(_ text: String, indent: String) -> [String] {
        text.isEmpty ? [] : [annotation("org.gtk.GDBus.DocString", text, indent: indent)]
    }

    private static func annotation(_ name: String, _ value: String, indent: String) -> String {
        #"\#(indent)<annotation name="\#(name)" value="\#(escaped(value))"/>"#
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}
