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
            lines += MemberAnnotation.documentation(interface.summary).map { Self.annotation($0, indent: "    ") }
            lines += interface.members.flatMap(Self.lines)
            lines.append("  </interface>")
        }
        lines += children.map { #"  <node name="\#($0)"/>"# }
        lines.append("</node>\n")
        return lines.joined(separator: "\n")
    }

    private static func lines(_ member: MemberDescription) -> [String] {
        let annotations = member.annotations.map { annotation($0, indent: "      ") }
        return switch member {
        case .method(let name, let input, let output, _, _):
            [#"    <method name="\#(name)">"#] + annotations
                + input.map { argument($0, direction: #" direction="in""#) }
                + output.map { argument($0, direction: #" direction="out""#) } + ["    </method>"]
        case .signal(let name, let arguments, _):
            [#"    <signal name="\#(name)">"#] + annotations + arguments.map { argument($0, direction: "") }
                + ["    </signal>"]
        case .property(let name, let signature, let isWritable, _, _):
            [#"    <property name="\#(name)" type="\#(signature)" access="\#(isWritable ? "readwrite" : "read")">"#]
                + annotations + ["    </property>"]
        }
    }

    private static func argument(_ argument: ArgumentDescription, direction: String) -> String {
        #"      <arg name="\#(argument.name)" type="\#(argument.signature)"\#(direction)/>"#
    }

    private static func annotation(_ annotation: MemberAnnotation, indent: String) -> String {
        #"\#(indent)<annotation name="\#(annotation.name)" value="\#(escaped(annotation.value))"/>"#
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
