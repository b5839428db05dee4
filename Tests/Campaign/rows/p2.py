"""Every accepted request has one outcome, and first deliveries keep their order, while everything is killed.

Senders on raw connections, over the bus and direct, make waiting and queued requests to handlers that the bus starts.
Broker, handlers, senders and the bus are killed again and again. Senders and handlers record what they saw, and an
independent checker compares the records: every accepted request has exactly one final outcome, which a query by its id
returns, also after one more crash of the broker; the handler really gave that answer; first deliveries of a sender
queue are in the order of acceptance; a duplicate has the same id and a higher attempt, comes before anything newer, and
does not come after the sender knows the outcome; a repeated call gives the same result, and another call with the same
id is rejected. At the beginning, a handler is stopped, and the broker must accept requests for it all the same.

The controls are brokers of the debug build with defects: one drops requests, one delivers requests twice under another
id, one reorders them, and one acknowledges requests before they are on disk.
"""

import os
import random
import signal
import sys
import time

import wire
from campaign import crew, deliveries
from campaign.place import Place
from campaign.shard import Broken

INVARIANTS = (6, 7, 8, 9, 10)
UNIT = "requests"
SIZES = dict(small=200, full=32_000)
SHARD = 8_000
BUSES = True
# Name, window and route of each handler.
HANDLERS = (("Demo.A", 1, "bus"), ("Demo.B", 8, "direct"), ("Demo.C", 4, "bus"))
STOPPED = 10


def run(shard):
    Run(shard, Place(shard)).carry_out()
    shard.done(shard.count)


class Run:
    """One run of senders and handlers on one broker. `kills` says what is killed how often."""

    def __init__(self, shard, place, kills=None, stops=True, queued=0.6):
        self.shard, self.place, self.stops, self.queued = shard, place, stops, queued
        self.kills = kills if kills is not None else shard.pick(
            dict(broker=1, handler=1, sender=1, bus=1), dict(broker=12, handler=16, sender=6, bus=4))
        self.workers, self.per_worker = shard.pick((2, 1), (4, 4))
        self.seed = shard.random.getrandbits(64)
        self.requests, self.sender_logs = {}, []
        self.names = [name for name, _, _ in HANDLERS]

    def log(self, name):
        return self.place.folder / f"{name}.log"

    def carry_out(self):
        program = self.shard.root / "Tests/Campaign/campaign/handler.py"
        for name, window, route in HANDLERS:
            self.place.bus.add_service(
                name, sys.executable, program, self.place.bus.path, name, window, self.log(name), route)
        with self.place as place:
            self.claim()
            if self.stops:
                self.stop_a_handler()
            self.send()
            ends = self.query(self.requests)
            place.kill_broker()
            place.start_broker()
            again = self.query(self.requests)
            self.judge(ends, again)

    def claim(self):
        client = self.place.connect()
        for name, window, _ in HANDLERS:
            reply = client.ask("Schemes1", "Register", "sasa{sv}", name, [name.lower()],
                               {"persistent": ("b", 1), "window": ("u", window)})
            self.shard.expect(reply.kind == wire.RETURN, f"{name} has no claim: {reply.text}")
        client.close()

    def plan(self, source, count, handlers=None):
        crashes = self.shard.pick(0, 0.001)
        made = deliveries.plan(self.seed, source, count, handlers or self.names, crashes, self.queued)
        self.requests |= {each.id: each for each in made}
        return made

    # I9

    def stop_a_handler(self):
        """Queues requests for a handler that SIGSTOP has stopped. All of them must be accepted meanwhile."""
        path = self.log("stopped")
        self.sender_logs.append(path)
        log = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        made = self.plan("demo.Stopped", STOPPED, self.names[:1])
        for each in made:
            each.is_queued, each.answer = True, "handled"
        first = deliveries.Sender(self.place.bus.path, made[:1], False, log, random.Random(0))
        deliveries.drive([first])
        reply = first.line.bus.ask("URLs1", "WaitRequest", "sa{sv}", made[0].id, {})
        self.shard.expect(reply.values and reply.values[0]["outcome"] == "handled", f"no handler: {reply.text}")
        process = self.process_of(self.names[0])[0]
        os.kill(process, signal.SIGSTOP)
        begin = time.monotonic()
        deliveries.drive([deliveries.Sender(self.place.bus.path, made[1:], False, log, random.Random(0))])
        self.shard.worst(acceptance_ms=round((time.monotonic() - begin) * 1_000))
        delivered = self.log(self.names[0]).read_text().count("\nA ")
        self.shard.expect(delivered == 1, "the stopped handler has answered, so it was not stopped")
        os.kill(process, signal.SIGCONT)

    def process_of(self, name):
        """The last process of a handler, and how many requests it has answered."""
        process, answers = None, 0
        path = self.log(name)
        for line in path.read_text().splitlines() if path.exists() else []:
            if line.startswith("P "):
                process, answers = int(line[2:]), 0
            answers += line.startswith("A ")
        return process, answers

    # The load

    def send(self):
        per = self.shard.count // (self.workers * self.per_worker)
        left = self.shard.count - per * self.workers * self.per_worker
        plans = [[(f"demo.S{worker}x{number}", per + (left if worker == number == 0 else 0))
                  for number in range(self.per_worker)] for worker in range(self.workers)]
        plans = [[self.plan(*each) for each in own] for own in plans]
        out, into = os.pipe()
        with crew.Crew() as team:
            self.team, self.into, self.plans, self.numbers = team, into, plans, []
            for worker in range(self.workers):
                self.begin(worker, plans[worker])
            self.follow(out)
            for number in self.numbers:
                team.result(number, 120)
        os.close(out)
        os.close(into)

    def begin(self, worker, plans):
        path = self.log(f"sender{len(self.sender_logs)}")
        path.touch()
        self.sender_logs.append(path)
        number = self.team.start(
            deliveries.send_all, self.place.bus.path, plans, path, f"{self.seed} {len(self.sender_logs)}", self.into)
        if worker < len(self.numbers):
            self.numbers[worker] = number
        else:
            self.numbers.append(number)

    def follow(self, out):
        """Reads the progress of the senders to its end, and kills something at random points of it."""
        draw = self.shard.random
        events = [kind for kind, count in self.kills.items() for _ in range(count)]
        draw.shuffle(events)
        if self.shard.size == "small":
            # So that the sender is still at work.
            events.sort(key=lambda kind: kind == "sender")
        points = sorted(draw.randrange(self.shard.count * 8 // 10) for _ in events)
        answers = ends = 0
        while ends < self.workers:
            data = os.read(out, 64)
            answers, ends = answers + data.count(b"."), ends + data.count(b"e")
            if points and answers >= points[0]:
                points.pop(0)
                # A worker that has ended cannot be killed; its requests have all been answered.
                getattr(self, f"kill_{events.pop()}")(may_kill_sender=not ends)

    def kill_broker(self, **_):
        self.place.kill_broker()
        self.place.start_broker()
        self.shard.add(broker_kills=1)

    def kill_bus(self, **_):
        self.place.bus.kill()
        code = self.place.end_of_broker()
        log = self.place.log_text()[-500:]
        self.shard.expect(code == 0, f"the broker exits with {code} when its bus is gone: {log}")
        self.place.bus.start()
        self.place.start_broker()
        self.shard.add(bus_kills=1)
        # Whoever was killed by the bus may have been in the middle of any waiting request.
        self.bus_was_killed = True

    bus_was_killed = False

    def kill_handler(self, **_):
        """Kills a handler that has answered twice since its start. So no request is interrupted three times."""
        for name in self.shard.random.sample(self.names, len(self.names)):
            process, answers = self.process_of(name)
            if process and answers >= 2:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.shard.add(handler_kills=1)
                return

    def kill_sender(self, may_kill_sender):
        """Kills the process of some senders. What it did not send yet is sent by other sources."""
        if not may_kill_sender:
            return
        worker = self.shard.random.randrange(self.workers)
        self.team.kill(self.numbers[worker])
        self.shard.add(sender_kills=1)
        sent = {line.split(" ")[2] for log in self.sender_logs for line in log.read_text().splitlines()}
        rest = []
        for requests in self.plans[worker]:
            left = [each for each in requests if each.id not in sent]
            for each in requests:
                each.was_cut |= each.id in sent
            for each in left:
                each.source += "n"
            rest.append(left)
        self.plans[worker] = rest
        if self.shard.size == "small":
            # If the broker is killed before it has noticed, these requests wait 30 s for their sender (I24), which a
            # small run has no time for.
            self.query([each for each in self.requests if self.requests[each].was_cut])
        self.begin(worker, rest)

    # The end

    def query(self, identifiers):
        """The outcome of each request by its id, when it has ended."""
        client = self.place.connect()
        ends, waiting = {}, list(identifiers)
        while waiting:
            part, waiting = waiting[:64], waiting[64:]
            calls = [client.broker("URLs1", "WaitRequest", "sa{sv}", each, {"timeout": ("u", 60_000)}) for each in part]
            for each, call in zip(part, calls):
                reply = client.wait(call, 90)
                if reply.kind == wire.RETURN:
                    ends[each] = (reply.values[0]["outcome"], reply.values[0].get("error-code", "-"))
                elif reply.error != "org.swiftipc.Error.NoSuchRequest":
                    raise Broken(f"WaitRequest {each} failed: {reply.text}")
        client.close()
        return ends

    def judge(self, ends, again):
        deliveries.read_senders(self.sender_logs, self.requests)
        logs = {name: deliveries.read_handler(name, self.log(name), self.requests) for name in self.names}
        for each in self.requests.values():
            each.end = ends.get(each.id)
            each.was_cut |= self.bus_was_killed
            if again.get(each.id) != each.end and (each.end or each.is_queued):
                raise Broken(f"{each} had the outcome {each.end}, and after a crash {again.get(each.id)}")
        deliveries.check(self.requests, logs)
        all = self.requests.values()
        self.shard.add(
            queued=sum(each.is_queued for each in all), deliveries=sum(len(each.deliveries) for each in all),
            repeated=sum(len(each.sent) > 1 for each in all), refused=sum(bool(each.errors) for each in all),
            duplicates=sum(max(0, len(each.deliveries) - 1) for each in all),
            parked=sum(bool(each.end) and each.end[1] == "parked" for each in all))


# The controls

def defective(shard, control, words, queued=0.6, **kills):
    # A defect shows at every hundredth request, so a control of full size needs no more than these.
    shard.count = min(shard.count, 2_000)
    place = Place(shard, programs=shard.debug, environment=dict(SWIFT_IPC_TEST_CONTROL=control))
    try:
        Run(shard, place, kills, stops=False, queued=queued).carry_out()
    except Broken as error:
        if not any(word in str(error) for word in words):
            raise RuntimeError(f"{control} was found by another rule: {error}") from None
        raise


def control_drop_one(shard):
    """Every hundredth queued request is recorded as handled, but never sent."""
    defective(shard, "drop-one", ["no handler said so"])


def control_deliver_twice(shard):
    """Every hundredth queued request is sent a second time, under another id."""
    defective(shard, "deliver-twice", ["which nobody chose"])


def control_reorder(shard):
    """Every hundredth request goes to the end of its sender queue."""
    defective(shard, "reorder", ["which was accepted later"])


def control_acknowledge_before_commit(shard):
    """The broker accepts requests before they are on disk, and is killed."""
    words = ["does not know it any more", "after a crash", "after attempt"]
    defective(shard, "acknowledge-before-commit", words, queued=1, broker=2)
