"""A control: the broker pauses for 400 ms, and the honest clients wait."""

import os
import signal
import time

EXPECTED = "waited"


def attack(scene):
    os.kill(scene.broker.pid, signal.SIGSTOP)
    time.sleep(0.4)
    os.kill(scene.broker.pid, signal.SIGCONT)
