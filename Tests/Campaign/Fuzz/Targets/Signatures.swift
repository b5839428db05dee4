#if DEBUG || FUZZING
    import CLibDBus

    @testable import IPCDBus

    /// A signature: libdbus accepts the same strings, except with more than 32 arrays around a type.
    enum SignatureTarget: FuzzTarget {
        static let name = "signature"

        static func check(_ input: [UInt8]) {
            guard let text = String(validating: input, as: UTF8.self), !text.utf8.contains(0) else { return }
            let signature = try? Signature(text)
            let theirs = text.withCString { dbus_signature_validate($0, nil) } != 0
            guard (signature != nil) == (theirs && mostNestedArrays(text) <= 32) else {
                broken("libdbus \(theirs ? "accepts" : "rejects") \(text), IPCDBus does not")
            }
            guard let signature else { return }
            let isSingle = text.withCString { dbus_signature_validate_single($0, nil) } != 0
            guard signature.isSingleType == isSingle else { broken("\(text) is one type only for one of the two") }
            checkParts(text)
        }

        /// A signature is the sequence of its complete types.
        private static func checkParts(_ text: String) {
            var rest = text
            var parts: [String] = []
            while !rest.isEmpty {
                let length = rest.withUTF8 {
                    SignatureGrammar.lengthOfRightType(ReceivedBytes(UnsafeRawBufferPointer($0)))
                }
                guard length > 0, (try? Signature(String(rest.prefix(length))))?.isSingleType == true else {
                    broken("\(rest) does not begin with a type of \(length) bytes")
                }
                parts.append(String(rest.prefix(length)))
                rest.removeFirst(length)
            }
            guard parts.joined() == text else { broken("\(text) has the parts \(parts)") }
        }

        private static func mostNestedArrays(_ signature: String) -> Int {
            var (most, arrays) = (0, 0)
            var outside: [Int] = []
            for code in signature.utf8 {
                if code == UInt8(ascii: "a") {
                    arrays += 1
                    most = max(most, arrays)
                    continue
                }
                if code == UInt8(ascii: "(") || code == UInt8(ascii: "{") {
                    outside.append(arrays)
                    continue
                }
                if code == UInt8(ascii: ")") || code == UInt8(ascii: "}") { _ = outside.popLast() }
                arrays = outside.last ?? 0
            }
            return most
        }
    }
#endif
