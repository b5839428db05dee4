import IPCTesting
import Testing

/// A minimal broker of queued requests, in Python with SQLite, that owns the broker's bus name. It tests the harness:
/// one mode is correct, and the others have the faults that a ``DeliveryRun`` must find.
enum ToyDeliveries: String, CaseIterable, CustomTestStringConvertible {
    case right
    case dropOne = "drop-one"
    case deliverTwice = "deliver-twice"
    case reorder
    case answerBeforeCommit = "answer-before-commit"

    var testDescription: String { rawValue }

    /// The settings that start this toy broker instead of the real one.
    func settings(in bus: PrivateBus) throws -> BrokerProcess.Settings {
        let file = bus.directory.appending("toy-deliveries")
        try FileContents.write("#!/usr/bin/python3\n" + Self.script, to: file, isProgram: true)
        var settings = BrokerProcess.Settings()
        settings.executable = file
        settings.arguments = [rawValue]
        return settings
    }

    private static let script =
        WirePeerScript.connection + #"""
            import sqlite3, uuid

            directory, mode = sys.argv[2], sys.argv[3]
            os.makedirs(directory, exist_ok=True)
            store = sqlite3.connect(directory + "/toy.sqlite", isolation_level=None)
            store.execute("PRAGMA journal_mode = WAL")
            store.execute("CREATE TABLE IF NOT EXISTS claims (scheme TEXT PRIMARY KEY, application TEXT)")
            store.execute("CREATE TABLE IF NOT EXISTS requests (number INTEGER PRIMARY KEY, id TEXT UNIQUE, data TEXT)")
            BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
            # The toy makes its mistake once in so many occasions.
            RARE = 20
            requests, owners, starting, flying, waiters, changes = {}, {}, set(), {}, [], []
            number, occasions = 0, 0

            def commit(force=False):
                "What has changed; the wrong one holds it back."
                if mode == "answer-before-commit" and len(changes) < 8 and not force:
                    return
                store.execute("BEGIN")
                for request in changes:
                    store.execute("INSERT OR REPLACE INTO requests VALUES (?, ?, ?)",
                                  (request["number"], request["id"], json.dumps(request)))
                store.execute("COMMIT")
                changes.clear()

            def occasion(name):
                global occasions
                if mode != name:
                    return False
                occasions += 1
                return occasions % RARE == 0

            def text(value):
                return {"type": "s", "value": value}

            def say(call, destination, path, interface, member, types, *body):
                serial = connection.call({"destination": destination, "path": path, "interface": interface,
                                          "member": member, "signature": types, "types": types, "body": list(body)})
                if call:
                    expected[serial] = call

            def result(request):
                return [["id", text(request["id"])], ["outcome", text(request["outcome"] or "queued")],
                        ["error-code", text(request["code"])], ["state", text(request["state"])]]

            def reply(call, signature, *body):
                connection.answer(call, {"signature": signature, "body": list(body)})

            def open_url(call):
                global number
                url, options = call["body"]
                request = requests.get(options["id"])
                if not request:
                    number += 1
                    scheme = url.split(":")[0]
                    request = {"number": number, "id": options["id"], "url": url, "items": options["items"],
                               "application": claims[scheme], "source": options["source-application"],
                               "state": "waiting", "attempts": 0, "crashes": 0, "outcome": "", "code": ""}
                    requests[request["id"]] = request
                    changes.append(request)
                    if occasion("drop-one"):
                        request["state"] = "dropped"
                commit()
                reply(call, "a{sv}", result(request))
                deliver(request["application"])

            def deliver(application):
                waiting = [request for request in requests.values()
                           if request["state"] == "waiting" and request["application"] == application]
                if application in flying or not waiting:
                    return
                if not owners.get(application):
                    if application not in starting:
                        starting.add(application)
                        say(lambda answer: started(application, answer), *BUS, "StartServiceByName", "su", application, 0)
                    return
                waiting.sort(key=lambda request: request["number"])
                chosen = waiting[0]
                same = [request for request in waiting if request["source"] == chosen["source"]]
                if len(same) > 1 and not chosen["attempts"] and occasion("reorder"):
                    chosen = same[1]
                send(chosen, application)

            def started(application, answer):
                starting.discard(application)
                say(lambda answer: owned(application, answer), *BUS, "GetNameOwner", "s", application)

            def owned(application, answer):
                owners[application] = answer["body"][0] if "error" not in answer else None
                deliver(application)

            def send(request, application, id=None):
                request["attempts"] += 1
                changes.append(request)
                commit()
                items = [[[type, text(value)] for type, value in item] for item in request["items"]]
                context = [["source-application", text(request["source"])],
                           ["attempt", {"type": "u", "value": request["attempts"]}],
                           ["items", {"type": "aa(sv)", "value": items}]]
                flying[application] = request
                say(lambda answer: answered(application, request, id, answer), owners[application],
                    "/" + application.replace(".", "/"), "org.swiftipc.URLHandler1", "OpenURL", "ssa{sv}",
                    id or request["id"], request["url"], context)

            def answered(application, request, id, answer):
                if flying.get(application) is request:
                    del flying[application]
                error = answer.get("error")
                if error:
                    owners[application] = None
                    request["crashes"] += error.endswith("NoReply")
                    if request["crashes"] >= 3:
                        end(request, "failed", "parked")
                elif not id:
                    end(request, answer["body"][0], "")
                    if occasion("deliver-twice"):
                        request["attempts"] = 0
                        return send(request, application, str(uuid.uuid4()))
                deliver(application)

            def end(request, outcome, code):
                request.update(state="ended", outcome=outcome, code=code)
                changes.append(request)
                commit()
                for waiter in [waiter for waiter in waiters if waiter["body"][0] == request["id"]]:
                    waiters.remove(waiter)
                    reply(waiter, "a{sv}", result(request))

            def act(call):
                member = call["member"]
                if member == "Register":
                    claims[call["body"][1][0]] = call["body"][0]
                    store.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (call["body"][1][0], call["body"][0]))
                    reply(call, "a{sv}", [])
                elif member == "OpenURL":
                    open_url(call)
                elif member == "Connect":
                    connection.answer(call, {"signature": "s", "body": ["there is none"],
                                             "error": "org.freedesktop.DBus.Error.UnknownMethod"})
                else:
                    request = requests.get(call["body"][0])
                    if not request:
                        connection.answer(call, {"signature": "s", "body": ["there is none"],
                                                 "error": "org.swiftipc.Error.NoSuchRequest"})
                    elif member == "GetRequest" or request["state"] in ("ended", "dropped"):
                        if request["state"] == "dropped":
                            request = dict(request, outcome="expired", code="dropped")
                        reply(call, "a{sv}", result(request))
                    else:
                        waiters.append(call)

            claims = dict(store.execute("SELECT scheme, application FROM claims"))
            for _, _, data in store.execute("SELECT * FROM requests"):
                requests[json.loads(data)["id"]] = json.loads(data)
            number = max([request["number"] for request in requests.values()], default=0)
            expected = {}
            connection = Connection(os.environ["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:path=").split(",")[0])
            connection.authenticate()
            connection.hello()
            connection.wait_reply(connection.call({
                "destination": BUS[0], "path": BUS[1], "interface": BUS[2], "member": "RequestName", "signature": "su",
                "types": "su", "body": ["org.swiftipc.Broker1", 4]}))
            print("ready", file=sys.stderr, flush=True)
            for application in set(claims.values()):
                owned(application, {"error": "unknown yet"})
            while True:
                connection.take()
                while connection.calls:
                    act(connection.calls.pop(0))
                for serial in [serial for serial in connection.replies if serial in expected]:
                    expected.pop(serial)(connection.replies.pop(serial))
                connection.replies.clear()
                connection.read(None)

            """#
}
