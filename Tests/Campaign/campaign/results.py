"""The results of the campaign: one line of JSON for each shard and each control.

Those of full size are part of the repository, because they take hours; those of small size are not.
"""

import datetime
import json
import subprocess

from campaign.shard import ROOT

FILES = dict(full=ROOT / "Tests/Campaign/results.jsonl", small=ROOT / ".build/campaign/results.jsonl")


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def tested():
    """What is tested: the commit, and the tree of its sources. Without a commit of the sources, a result is not kept."""
    changed = git("status", "--porcelain", "--", "Sources", "Package.swift")
    return dict(commit=git("rev-parse", "--short=10", "HEAD") + ("+changes" if changed else ""),
                sources=None if changed else git("rev-parse", "--short=10", "HEAD:Sources"))


def all():
    """All results that were kept, the oldest first."""
    return [json.loads(line) for file in FILES.values() if file.exists() for line in file.read_text().splitlines()]


def key(result):
    return tuple(result[name] for name in ("row", "variant", "number", "control", "size", "seed", "sources", "digest"))


def keep(result):
    file = FILES[result["size"]]
    file.parent.mkdir(parents=True, exist_ok=True)
    result["time"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
    with open(file, "a") as lines:
        # A result is the same wherever the project lies, also if it quotes a stack trace.
        lines.write(json.dumps(result).replace(f"{ROOT}/", "") + "\n")
