"""Requests at 80 % of the greatest rate for minutes: what changes while they go on."""

import statistics

from . import chart
from .world import World

MIB = 1 << 20
# Records of a source are kept up to this number; until then the store grows.
KEPT = 10_000


def measure(seconds, share=0.8):
    """Gives the rate, and a sample for each period: what the sender saw, and what the broker used then."""
    with World() as world:
        broker = world.start_broker()
        world.start_load("receive", window=256)
        # The first records of a source cost less than those that others have to make room for.
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
        ("answered requests a second", "/s", series("rate")),
        ("time of a request: p50", "ms", milliseconds(["p50"])),
        ("time of a request: p99, p99.9", "ms", milliseconds(["p99", "p999"])),
        ("anonymous memory of the broker", "MiB", series("memory")),
        ("descriptors of the broker", "", series("descriptors")),
        ("store", "MiB", series("store")),
    ]
    return chart.svg(
        f"{rate:,} durable, answered requests of 1 KiB a second, 80 % of the greatest rate", description, panels,
        samples[-1]["seconds"])


def summary(rate, samples):
    """One line: what was held, and how much the second half of what comes after the first records differs."""
    steady = [sample for sample in samples if sample["seconds"] * rate > KEPT * 2] or samples
    half = len(steady) // 2

    def growth(name):
        first, last = (statistics.median(sample[name] for sample in part) for part in (steady[:half] or steady, steady[half:]))
        return f"{first:.1f} → {last:.1f}"

    middle = {name: statistics.median(sample[name] for sample in steady) for name in ["rate", "p50", "p99", "p999"]}
    return (
        f"asked for {rate:,}/s, answered {middle['rate']:,.0f}/s, p50 {middle['p50'] / 1e3:.2f} ms, "
        f"p99 {middle['p99'] / 1e3:.2f} ms, p99.9 {middle['p999'] / 1e3:.2f} ms, "
        f"failures {sum(sample['failures'] for sample in samples):.0f}; first and second half: "
        f"memory {growth('memory')} MiB, descriptors {growth('descriptors')}, store {growth('store')} MiB")
