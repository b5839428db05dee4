"""Runs shards, some at a time, and prints one line for each."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time

from campaign import results
from campaign.shard import ROOT

# A shard takes at most 30 minutes. After this time, it is broken.
MOST_SECONDS = 30 * 60


class Campaign:
    def __init__(self, options):
        self.options = options
        self.tested = results.tested()
        self.known = {results.key(result): result for result in results.all()}
        self.end = time.monotonic() + options.minutes * 60 if options.minutes else None
        self.broken = []
        self.left = 0
        self.printing = threading.Lock()

    def run(self, rows):
        print(f"size {self.options.size}, seed {self.options.seed}, commit {self.tested['commit']}", flush=True)
        size = self.options.size
        parts = [part for row in rows for part in row.controls(size)]
        if not self.options.controls:
            parts += [part for row in rows for part in row.shards(size)]
        beside = [part for part in parts if not part.row.is_alone]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(self.one, beside))
        for part in parts:
            if part.row.is_alone:
                self.one(part)
        if self.left:
            print(f"{self.left} shards are left. The same command continues.")
        for title in self.broken:
            print(f"broken: {title}")
        return 1 if self.broken else 0

    def one(self, part):
        """Runs a shard unless its result is known."""
        wanted = dict(
            row=part.row.name, variant=part.variant, number=part.number, control=part.control, size=self.options.size,
            seed=self.options.seed, digest=part.row.digest(part.number), **self.tested)
        known = self.tested["sources"] and self.known.get(results.key(wanted))
        if not known and self.end and time.monotonic() > self.end:
            self.left += 1
            return
        result = known or wanted | self.carried_out(part)
        with self.printing:
            if not known:
                results.keep(result)
            if result["broken"]:
                self.broken.append(part.title)
            print(line(part, result, known), flush=True)

    def carried_out(self, part):
        """Runs a shard in a process group of its own, which ends with it."""
        command = [
            sys.executable, str(ROOT / "Tests/Campaign/run.py"), "--shard", part.name, "--size", self.options.size,
            "--seed", str(self.options.seed)] + (["--control", part.control] if part.control else [])
        begin = time.monotonic()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        try:
            out, errors = process.communicate(timeout=MOST_SECONDS)
            return json.loads(out.splitlines()[-1])
        except subprocess.TimeoutExpired:
            broken = f"the shard took more than {MOST_SECONDS // 60} minutes"
        except (IndexError, ValueError):
            broken = f"the shard ended with {process.returncode} and printed no result: {errors[-2_000:]}"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return dict(units=0, skipped=0, seconds=round(time.monotonic() - begin, 1), figures={}, broken=broken)


def line(part, result, known):
    state = "broken" if result["broken"] else "skipped" if result["skipped"] else "caught" if part.control else "held"
    text = f"{part.title:36} {state:7} {result['units']:>8,} {part.row.module.UNIT:12} {result['seconds']:>7.1f} s"
    text += " (known)" if known else ""
    if not part.control:
        text += "  " + " ".join(f"{name}={value}" for name, value in result["figures"].items())
    if result["broken"]:
        text += f"\n    {result['broken']}"
    return text
