/// Keys that are typed into a shell on its own terminal.
enum TypedKeys {
    /// Arguments: what the shell does first, the keys, the expected output (a regular expression of bytes), and the
    /// shell's command line. Prints the output and `seen`, or `not seen` after 30 s.
    static let script = #"""
        import os, pty, re, select, sys, time

        first, keys, wanted, *shell = sys.argv[1:]
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "dumb"
            os.execvp(shell[0], shell)

        def appears(pattern):
            text, end = b"", time.monotonic() + 30
            while time.monotonic() < end:
                if select.select([terminal], [], [], 1)[0]:
                    try:
                        text += os.read(terminal, 65536)
                    except OSError:
                        break
                if re.search(pattern, text, re.S):
                    return text, True
            return text, False

        # The quotes, because the echo of the line is not its answer.
        for line in ["echo be''gun", first, "echo rea''dy"]:
            os.write(terminal, line.encode() + b"\n")
        text, done = appears(b"ready")
        if done:
            os.write(terminal, keys.encode())
            text, done = appears(wanted.encode())
        print(text)
        print("seen" if done else "not seen")
        os.kill(process, 9)
        """#
}
