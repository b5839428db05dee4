"""Processes of an attack, which can be stopped, and floods of messages whose answers are not read."""

import contextlib
import os
import select
import signal
import struct
import time
import traceback

import wire


class Child:
    """A process that runs `work(tell)` and then exits; `tell` sends a line, and `line` receives it."""

    def __init__(self, work):
        reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reader)
            signal.alarm(600)
            tell = lambda text: os.write(writer, f"{text}\n".encode())
            try:
                work(tell)
            except BaseException:
                # If nobody reads the line, the process still must not go on as its parent.
                with contextlib.suppress(OSError):
                    tell("failed: " + repr(traceback.format_exc()[-500:]))
            finally:
                os._exit(0)
        os.close(writer)
        self.lines = os.fdopen(reader)

    def line(self):
        """The next line; empty if the process has exited."""
        return self.lines.readline().rstrip("\n")

    def stop(self):
        """Stops the process, and returns when it stands still."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def resume(self):
        os.kill(self.pid, signal.SIGCONT)

    def end(self):
        """Kills the process. Its connections close."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.lines.close()


def together(*works):
    """Runs functions at the same time, each in a process; returns the only line that each of them tells."""
    children = [Child(work) for work in works]
    lines = [child.line() for child in children]
    for child in children:
        child.end()
    if failed := [line for line in lines if line.startswith("failed: ")]:
        raise AssertionError(failed[0])
    return lines


# The messages or bytes that a paced flood sends before it waits.
PACE, PACE_BYTES = 256, 1 << 20


def pour(connection, message, seconds, paced=None, most=float("inf"), service=wire.BROKER):
    """Sends a message again and again, and reads nothing, until the time is over, `most` are sent, or the connection is
    closed. Returns how often. If the other side stops reading, the connection ends with a part of a message.

    A flood over a bus is paced: `paced` is the path of the bus. A second connection waits for the service after each
    few messages. Otherwise the queue of the bus grows without end, and delays the callers of any service, also of one
    that does nothing (`bus_floor.py`)."""
    data = b"".join([bytes(message)] * max(1, min(64, (1 << 16) // len(message))))
    starts = range(0, len(data), len(message))
    count, rest, end = 0, memoryview(b""), time.monotonic() + seconds
    meter, due = wire.Connection(paced) if paced else None, 0
    each = max(1, min(PACE, PACE_BYTES // len(message)))
    connection.socket.setblocking(False)
    while time.monotonic() < end and count < most:
        if not rest:
            if meter and count >= due:
                meter.request(service, "/", "org.freedesktop.DBus.Peer", "Ping")
                due = count + each
            data = bytearray(data)
            for start in starts:
                struct.pack_into("<I", data, start + 8, connection.next_serial())
            count, rest = count + len(starts), memoryview(data)
        try:
            rest = rest[connection.socket.send(rest):]
        except BlockingIOError:
            select.select([], [connection.socket], [], max(0, min(0.1, end - time.monotonic())))
        except (BrokenPipeError, ConnectionResetError):
            break
    return count
