/// The program of a ``HandlerProgram``: a handler that does with each request what its URL says. It logs each request
/// before it acts, so that a crash at any moment does not lose the record.
///
/// Arguments: the application id, the path of the log, and JSON with `scheme`, `window`, `registers` (whether the
/// handler registers when it starts) and `late` (the seconds for which it owns its name before it reads its calls). The
/// log has these lines:
/// `start PID`, `got ID ATTEMPT SOURCE URL PAYLOAD`, `answer ID ATTEMPT OUTCOME`, `cancel ID`, `opened ID WORD`.
enum HandlerScript {
    static let text =
        WirePeerScript.connection + #"""
            import random, signal, zlib

            application, log_path, settings = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
            log = os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

            def note(*words):
                # One write: a line is there whole or not at all.
                os.write(log, (" ".join(str(word) or "-" for word in words) + "\n").encode())

            def options(**entries):
                return [[key.replace("_", "-"), {"type": type, "value": value}]
                        for key, (type, value) in entries.items()]

            def call(destination, path, interface, member, types, *body):
                return connection.call({"destination": destination, "path": path, "interface": interface,
                                        "member": member, "signature": types, "types": types, "body": list(body)})

            def register():
                path = "/org/swiftipc/Broker1"
                entries = options(window=("u", settings.get("window", 1)))
                reply = connection.wait_reply(call(BROKER, path, "org.swiftipc.Schemes1", "Register", "sasa{sv}",
                                                   application, [settings["scheme"]], entries))
                note("registered", reply.get("error", ""))

            def content(items):
                "What was sent: the length of the texts and a sum over them."
                text = "".join(value for item in items for _, value in item if isinstance(value, str))
                return f"{len(text)}-{zlib.crc32(text.encode()):08x}" if items else "-"

            def answer(request, outcome, reply=()):
                note("answer", request["body"][0], request["attempt"], outcome)
                connection.answer(request, {"signature": "sa{sv}", "body": [outcome, list(reply)]})

            def refuse(request, name, text):
                note("answer", request["body"][0], request["attempt"], name)
                connection.answer(request, {"signature": "s", "body": [text], "error": name})

            def end():
                connection.socket.close()
                os._exit(0)

            def open_url(request, url):
                "Opens a URL on behalf of a request, and answers that with what came of it."
                entries = options(parent=("s", request["body"][0]), source_application=("s", application),
                                  timeout=("u", 20000))

                def ended(reply):
                    word = reply.get("error") or reply["body"][0]["outcome"]
                    text = reply["body"][0].get("error-name", "") if "error" not in reply else ""
                    note("opened", request["body"][0], word, text)
                    said = [[[["text/plain", {"type": "s", "value": word}]]]]
                    answer(request, "handled", options(items=("aa(sv)", said[0])))
                replies[call(BROKER, "/org/swiftipc/Broker1", "org.swiftipc.URLs1", "OpenURL", "sa{sv}",
                             url, entries)] = ended

            def act(request):
                if request["member"] == "CancelURL":
                    note("cancel", request["body"][0])
                    held = cancelled.pop(request["body"][0], None)
                    if held:
                        answer(held, "handled")
                    return
                if request["member"] != "OpenURL":
                    connection.answer(request, {"signature": "s", "body": ["unknown"],
                                                "error": "org.freedesktop.DBus.Error.UnknownMethod"})
                    return
                id, url, context = request["body"]
                request["attempt"] = context.get("attempt", 0)
                note("got", id, request["attempt"], context.get("source-application", ""), url,
                     content(context.get("items", [])))
                verb, _, value = (url.rsplit("?", 1)[1] if "?" in url else "").partition("=")
                if verb == "kill" or verb == "kill-first" and request["attempt"] == 1:
                    os.kill(os.getpid(), signal.SIGKILL)
                elif verb == "end-before":
                    end()
                elif verb == "never":
                    pass
                elif verb == "when-cancelled":
                    cancelled[id] = request
                elif verb == "twice":
                    answer(request, "declined")
                    answer(request, "handled")
                elif verb == "end-after":
                    answer(request, "handled")
                    end()
                elif verb in ("declined", "cancelled", "failed"):
                    answer(request, verb, options(error_code=("s", "busy"), error_message=("s", "not now")))
                elif verb == "error":
                    refuse(request, "demo.Error.Broken", "it broke")
                elif verb == "hand-back" and request["attempt"] == 1:
                    refuse(request, "org.swiftipc.Error.HandlerUnavailable", "nobody looked at it")
                    register()
                elif verb == "open":
                    open_url(request, value)
                elif verb == "ping":
                    open_url(request, f"{value}:loop?ping={settings['scheme']}")
                else:
                    answer(request, "handled")

            note("start", os.getpid())
            replies, cancelled = {}, {}
            connection = Connection(os.environ["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:path=").split(",")[0])
            connection.authenticate()
            connection.hello()
            if DIRECT:
                connection.open_direct()
            name = connection.wait_reply(call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                              "RequestName", "su", application, 4))
            note("name", name["body"][0])
            if settings.get("registers"):
                register()
            # The listener comes late: what was called meanwhile waits in the socket.
            time.sleep(random.uniform(0, settings.get("late", 0)))
            try:
                while True:
                    connection.take()
                    while connection.calls:
                        act(connection.calls.pop(0))
                    for serial in [serial for serial in replies if serial in connection.replies]:
                        replies.pop(serial)(connection.replies.pop(serial))
                    connection.replies.clear()
                    connection.read(None)
            except (Gone, BrokenPipeError, ConnectionResetError):
                note("gone")

            """#
}
