#if DEBUG || FUZZING
    import Glibc
    import IPCModel

    @testable import IPCDesktop

    /// A key file, such as a `.desktop` file: its bytes are kept, and what a registration adds can be removed again.
    enum KeyFileTarget: FuzzTarget {
        static let name = "key-file"

        static func check(_ input: [UInt8]) {
            let file = KeyFile(bytes: input)
            guard file.bytes == input else { broken("the bytes of the file change") }
            for group in file.groups {
                for entry in group.entries {
                    // Bytes that are not UTF-8 are shown as U+FFFD, and not found by that.
                    guard
                        entry.text.unicodeScalars.contains("\u{FFFD}")
                            || entry.group.unicodeScalars.contains("\u{FFFD}")
                            || file.entry(of: entry.key, in: entry.group) != nil
                    else { broken("\(entry) is not found") }
                    guard (1...(1 + input.count)).contains(entry.line) else { broken("\(entry) has no line") }
                    _ = entry.list
                }
            }
            _ = InstalledEntry(id: "a.desktop", path: "/a.desktop", bytes: input)
            for isInFront in [false, true] { checkInsertion(input, isInFront: isInFront) }
            guard let text = String(validating: input, as: UTF8.self) else { return }
            guard KeyFileText.unescaped(KeyFileText.escaped(text)).utf8.elementsEqual(text.utf8) else {
                broken("the escaped text is another one")
            }
            guard let strict = try? KeyFile(text) else { return }
            guard strict.bytes == input, strict.groups == file.groups else {
                broken("strict reading reads something else")
            }
        }

        private static func checkInsertion(_ input: [UInt8], isInFront: Bool) {
            let (group, key, value) = ("Default Applications", "x-scheme-handler/demo", "demo.desktop")
            var file = KeyFile(bytes: input)
            let hadIt = file.list(of: key, in: group)?.contains(value) == true
            var own = OwnEntries(group: group, value: value)
            file.insert(value, key: key, group: group, inFront: isInFront, noting: &own)
            guard file.list(of: key, in: group)?.contains(value) == true else { broken("the value is not inserted") }
            if hadIt, file.bytes != input { broken("a value that was there is inserted again") }
            file.withdraw(own)
            guard file.bytes == input else { broken("removing the inserted value leaves other bytes") }
        }
    }

    /// The command of a service file or of `--exec`: what is read can be written, and has the same words again.
    enum CommandTarget: FuzzTarget {
        static let name = "command"

        static func check(_ input: [UInt8]) {
            guard let text = String(validating: input, as: UTF8.self) else { return }
            _ = ShellScript(text).programs
            if let command = try? CommandWords(text) { checkText(command) }
            let words = text.utf8.split(separator: 1, omittingEmptySubsequences: false).map { String($0) ?? "" }
            if words[0] != "" { checkText(CommandWords(words: words)) }
            checkOpener(text)
        }

        /// The line of an entry runs exactly this program ("The Exec key": quotation, and “%%” for “%”).
        private static func checkOpener(_ program: String) {
            let line = KeyFileText.unescaped(DesktopEntry.commandLine(program))
            let end = " open --notify %u"
            guard line.hasSuffix(end) else { broken("\(line) does not end with the arguments") }
            var rest = line.unicodeScalars.dropLast(end.unicodeScalars.count)
            let isQuoted = rest.first == "\""
            if isQuoted {
                guard rest.removeLast() == "\"" else { broken("\(line) is not quoted to its end") }
                rest.removeFirst()
            }
            var word = String.UnicodeScalarView()
            while var scalar = rest.popFirst() {
                if isQuoted, scalar == "\\" { scalar = rest.popFirst() ?? "\\" }
                if scalar == "%", rest.popFirst() != "%" { broken("\(line) has a field code in its program") }
                word.append(scalar)
            }
            guard String(word).utf8.elementsEqual(program.utf8) else { broken("\(line) runs another program") }
        }

        private static func checkText(_ command: CommandWords) {
            guard let again = try? CommandWords(command.text) else { broken("\(command.text) is not a command") }
            guard again.words.count == command.words.count,
                zip(again.words, command.words).allSatisfy({ $0.utf8.elementsEqual($1.utf8) })
            else { broken("\(command.text) has the words \(again.words) in place of \(command.words)") }
        }
    }

    /// `ipc-broker.conf`: it is read completely or not at all, and an error names its line.
    enum ConfigurationTarget: FuzzTarget {
        static let name = "configuration"

        static func check(_ input: [UInt8]) {
            guard let text = String(validating: input, as: UTF8.self) else { return }
            let lines = 1 + text.utf8.count { $0 == UInt8(ascii: "\n") }
            let (plain, moved) = (read(text), read("# a comment\n" + text))
            switch (plain, moved) {
            case (.success(let plain), .success(let moved)):
                var limits = Limits()
                for (name, value) in plain.limits {
                    do throws(IPCError) { try limits.set(name, value) } catch {
                        broken("\(name) is accepted: \(error)")
                    }
                }
                guard plain.store == moved.store, plain.logLevel == moved.logLevel,
                    plain.opensOnDesktop == moved.opensOnDesktop, plain.store?.hasPrefix("/") != false
                else { broken("a comment changes the configuration") }
            case (.failure(let plain), .failure(let moved)):
                guard plain.reason == moved.reason, plain.line.map({ $0 + 1 }) == moved.line else {
                    // A message may name an earlier line, which has moved too.
                    if plain.reason.contains("first on line") { return }
                    broken("a comment changes the error from \(plain) to \(moved)")
                }
                guard plain.line.map({ (1...lines).contains($0) }) != false else { broken("there is no line \(plain)") }
            default: broken("a comment decides whether the file is accepted")
            }
        }

        private static func read(_ text: String) -> Result<ConfigurationFile, ConfigurationFile.Invalid> {
            Result { () throws(ConfigurationFile.Invalid) in try ConfigurationFile(text, path: "/ipc-broker.conf") }
        }
    }
#endif
