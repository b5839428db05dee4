"""Processes that run a function of a row beside the shard, and hand over what it returns."""

import ctypes
import multiprocessing
import signal
import traceback

from campaign.shard import Broken

FORK = multiprocessing.get_context("fork")
DIE_WITH_PARENT = 1


class Crew:
    """A group of processes. Use it as `with Crew() as crew:`; what still runs at the end is killed."""

    def __init__(self):
        self.members = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process, ear in self.members:
            if process.is_alive():
                process.kill()
            process.join()
            ear.close()

    def start(self, function, *arguments):
        """Runs a function in a new process; returns the number of the process in this group."""
        ear, mouth = FORK.Pipe(duplex=False)
        process = FORK.Process(target=carry_out, args=(mouth, function, arguments), daemon=True)
        process.start()
        mouth.close()
        self.members.append((process, ear))
        return len(self.members) - 1

    def kill(self, number):
        """Kills a process without any warning, and waits until it is gone."""
        process, _ = self.members[number]
        process.kill()
        process.join()

    def result(self, number, seconds=1_500):
        """What the function returned. Raises its error."""
        process, ear = self.members[number]
        if not ear.poll(seconds):
            raise Broken(f"a client did not finish within {seconds} s")
        kind, value = ear.recv()
        process.join()
        if kind == "broken":
            raise Broken(value)
        if kind == "error":
            raise RuntimeError(value)
        return value

    def results(self, seconds=1_500):
        return [self.result(number, seconds) for number in range(len(self.members))]


def carry_out(mouth, function, arguments):
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    try:
        mouth.send(("result", function(*arguments)))
    except Broken as error:
        mouth.send(("broken", str(error)))
    except BaseException:
        mouth.send(("error", traceback.format_exc()))
