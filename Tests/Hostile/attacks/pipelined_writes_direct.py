"""Four callers pipeline 512 MiB of values over direct connections and read no answer before the last is sent."""

from attacks import pipelined_writes


def attack(scene):
    pipelined_writes.attack(scene, is_direct=True)
