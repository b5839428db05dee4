"""Sends requests at 80 % of the maximum rate for minutes, and records what changes."""

import statistics

from . import chart
from .world import World

MIB = 1 << 20
# The store keeps up to this number of records per source, and grows until then.
KEPT = 10_000


def measure(seconds, share=0.8):
    """Returns the rate and a sample for each period: the sender's measurements and the broker's resource use."""
    with World() as world:
        broker = world.start_broker()
        world.start_load("receive", window=256)
        # The first records of a source cost less than later ones, which replace older records.
        world.load("open", count=2 * KEPT, window=64, bytes=1024, board="bench")
        greatest = statistics.median(
            world.load("open", count=100_000, window=64, bytes=1024, board="bench")["rate"] for _ in range(3))
        rate = int(greatest * share)
        every = max(1, seconds // 120)
        sender = world.start(
            *world.load_command("soak", rate=rate, seconds=seconds, every=every, bytes=1024, board="bench"), word=None)
        samples = []
        for sample in sender.objects():
            samples.append(sample | {
                "memory": broker.anonymous_bytes / MIB, "descriptors": broker.descriptors,
                "store": world.store_bytes / MIB})
        return rate, samples


def drawn(rate, samples, description):
    def series(*names):
        return [(name, [(sample["seconds"], sample[name]) for sample in samples]) for name in names]

    def milliseconds(names):
        return [(name, [(time, value / 1e3) for time, value in points]) for name, points in series(*names)]

    panels = [
        ("answered requests per second", "/s", series("rate")),
        ("request time: p50", "ms", milliseconds(["p50"])),
        ("request time: p99, p99.9", "ms", milliseconds(["p99", "p999"])),
        ("the broker's anonymous memory", "MiB", series("memory")),
        ("the broker's descriptors", "", series("descriptors")),
        ("store", "MiB", series("store")),
    ]
    return chart.svg(
        f"{rate:,} durable, answered requests of 1 KiB per second, 80 % of the maximum rate", description, panels,
        samples[-1]["seconds"])


def summary(rate, samples):
    """One line: the medians, and how the second half of the steady phase differs from the first."""
    steady = [sample for sample in samples if sample["seconds"] * rate > KEPT * 2] or samples
    half = len(steady) // 2

    def growth(name):
        first, last = (statistics.median(sample[name] for sample in part) for part in (steady[:half] or steady, steady[half:]))
        return f"{first:.1f} → {last:.1f}"

    middle = {name: statistics.median(sample[name] for sample in steady) for name in ["rate", "p50", "p99", "p999"]}
    return (
        f"sent {rate:,}/s, answered {middle['rate']:,.0f}/s, p50 {middle['p50'] / 1e3:.2f} ms, "
        f"p99 {middle['p99'] / 1e3:.2f} ms, p99.9 {middle['p999'] / 1e3:.2f} ms, "
        f"failures {sum(sample['failures'] for sample in samples):.0f}; first and second half: "
        f"memory {growth('memory')} MiB, descriptors {growth('descriptors')}, store {growth('store')} MiB")
