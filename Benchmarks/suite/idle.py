"""P7: an idle broker, and its startup."""

import signal

from .rows import Row
from .world import World

MIB = 1 << 20


def measure(sizes):
    with World() as world:
        cold = Row("", "broker startup until it owns its bus name, new store : one dbus-send call", "ms")
        wake_ups = Row("P7", f"idle broker after work, wake-ups per second over {sizes.idle_seconds} s", "/s", most=1.0)
        memory = Row("P7", "idle broker, anonymous memory : 6 MiB", "MiB", most=1.0)
        full = Row("P7", f"idle broker after startup, {sizes.boards:,} pasteboards, anonymous memory : 6 MiB", "MiB", most=1.0)
        clean = Row("P7", f"ready after a clean stop, {sizes.boards:,} pasteboards : 15 ms", "ms", most=1.0)
        killed = Row("P7", f"ready after kill -9, {sizes.boards:,} pasteboards : 50 ms", "ms", most=1.0)
        world.start_floor("echo", "server", "floor.Handler")
        call = ["dbus-send", "--print-reply", "--dest=floor.Handler", "/", "floor.Echo.Echo"]
        for number in range(sizes.starts):
            cold.add(world.start_broker(store=f"store{number}").seconds_to_ready * 1e3, world.times(sizes.processes, *call))
            world.stop_broker()
        broker = world.start_broker()
        handler = world.start_load("receive")
        world.load("open", count=sizes.many // 4, window=64, board="bench")
        world.stop(handler)
        # The broker's pool threads exit after 5 s without work.
        broker.settle(6)
        wake_ups.add(broker.wake_ups(sizes.idle_seconds), 0)
        memory.add(broker.anonymous_bytes / MIB, 6)
        world.fill("fill-boards", to=sizes.boards, persistent="yes")
        for _ in range(sizes.starts):
            world.fill("fill-boards", to=10, persistent="yes")
            world.stop_broker()
            clean.add(world.start_broker().seconds_to_ready * 1e3, 15)
            full.add(world.broker.anonymous_bytes / MIB, 6)
            world.fill("fill-boards", to=10, persistent="yes")
            world.stop_broker(signal.SIGKILL)
            killed.add(world.start_broker().seconds_to_ready * 1e3, 50)
            world.broker.settle(1)
        return [wake_ups, memory, full, clean, killed, cold]
