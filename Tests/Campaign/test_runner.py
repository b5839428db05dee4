#!/usr/bin/python3
"""Tests the runner of the campaign, in a project of its own with rows that hold, break, hang and crash.

    Tests/Campaign/test_runner.py
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HEAD = '"""{name} is a row."""\nINVARIANTS = (1,)\nUNIT = "runs"\nSIZES = dict(small=3, full=6)\nSHARD = 2\nBUSES = False\n'
HOLDS = "def run(shard):\n    shard.add(rolled=shard.random.randrange(1000))\n    shard.done(shard.count)\n"
CAUGHT = "from campaign.shard import Broken\ndef control_defect(shard):\n    raise Broken('the defect')\n"


class RunnerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.campaign = self.root / "Tests/Campaign"
        shutil.copytree(HERE, self.campaign, ignore=shutil.ignore_patterns("rows", "corpus", "__pycache__", "results.jsonl"))
        shutil.copytree(HERE.parent / "Hostile", self.root / "Tests/Hostile")
        (self.campaign / "rows").mkdir()
        (self.root / ".gitignore").write_text(".build/\n__pycache__/\nTests/\n")
        self.change_sources("first")
        self.git("init", "-q")
        self.commit()

    def change_sources(self, text):
        (self.root / "Sources").mkdir(exist_ok=True)
        (self.root / "Sources/file").write_text(text)

    def git(self, *arguments):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", self.root, *arguments], check=True,
            capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def row(self, name, text):
        (self.campaign / f"rows/{name}.py").write_text(HEAD.format(name=name) + text)

    def campaign_run(self, *arguments):
        ended = subprocess.run(
            [sys.executable, self.campaign / "run.py", "--size", "small", *arguments], capture_output=True, text=True,
            env=os.environ | dict(PYTHONDONTWRITEBYTECODE="1"))
        self.assertEqual(ended.stderr, "")
        return ended.returncode, ended.stdout

    def results(self):
        return [json.loads(line) for line in (self.root / ".build/campaign/results.jsonl").read_text().splitlines()]

    def test_the_units_of_a_row_are_divided_into_shards(self):
        self.row("x1", HOLDS + CAUGHT)
        code, out = self.campaign_run()
        self.assertEqual(code, 0, out)
        shards = [result for result in self.results() if not result["control"]]
        self.assertEqual(sorted(result["units"] for result in shards), [1, 2])
        self.assertEqual(len({result["figures"]["rolled"] for result in shards}), 2)
        self.assertEqual([result["figures"]["caught"] for result in self.results() if result["control"]], ["the defect"])

    def test_a_second_run_continues_where_the_first_was_stopped(self):
        self.row("x1", HOLDS + CAUGHT)
        # No time: only the shards that began before are run, which are none.
        code, out = self.campaign_run("--minutes", "0.000001")
        self.assertIn("3 shards are left", out)
        self.campaign_run("--controls")
        code, out = self.campaign_run()
        self.assertEqual(out.count("(known)"), 1, out)
        code, out = self.campaign_run()
        self.assertEqual((code, out.count("(known)"), len(self.results())), (0, 3, 3), out)

    def test_results_of_other_sources_another_seed_or_an_older_row_do_not_count(self):
        self.row("x1", HOLDS)
        self.campaign_run()
        self.assertEqual(self.campaign_run("--seed", "2")[1].count("(known)"), 0)
        self.change_sources("second")
        # Sources that are not committed cannot be named, so their results never count.
        for _ in range(2):
            self.assertEqual(self.campaign_run()[1].count("(known)"), 0)
        self.commit()
        self.assertEqual(self.campaign_run()[1].count("(known)"), 0)
        self.assertEqual(self.campaign_run()[1].count("(known)"), 2)
        self.row("x1", HOLDS + "# changed\n")
        self.assertEqual(self.campaign_run()[1].count("(known)"), 0)

    def test_a_result_counts_until_a_file_of_its_shard_changes(self):
        file = self.campaign / "program1.py"
        file.write_text("first")
        self.row("x1", f"import pathlib\nfiles = lambda number: [pathlib.Path({str(file)!r})] if number == 1 else []\n" + HOLDS)
        self.campaign_run()
        self.assertEqual(self.campaign_run()[1].count("(known)"), 2)
        file.write_text("second")
        self.assertEqual(self.campaign_run()[1].count("(known)"), 1)

    def test_a_seed_determines_a_shard(self):
        self.row("x1", HOLDS)
        self.campaign_run("--seed", "7")
        first = self.results()
        code, out = self.campaign_run("--seed", "7", "--shard", "X1/none/1")
        again = json.loads(out)
        self.assertEqual([again["figures"]], [kept["figures"] for kept in first if kept["number"] == 1])

    def test_a_shard_that_breaks_crashes_or_does_too_little_is_broken(self):
        self.row("x1", "def run(shard):\n    print('more output')\n    shard.expect(shard.number == 1, 'lost')\n    shard.done(2)\n")
        self.row("x2", "import os\ndef run(shard):\n    os.abort()\n")
        self.row("x3", "def run(shard):\n    shard.done(shard.count - 1)\n")
        self.row("x4", "def run(shard):\n    1 / 0\n")
        code, out = self.campaign_run()
        self.assertEqual(code, 1)
        broken = re.findall(r"^broken: (\w+)", out, re.MULTILINE)
        self.assertEqual(sorted(broken), ["X1", "X2", "X2", "X3", "X3", "X4", "X4"])
        for text in ["lost", "ended with -6", "only 1 of 2 runs were done", "ZeroDivisionError"]:
            self.assertIn(text, out)
        # A broken result stays: running again does not hide it.
        self.assertEqual(self.campaign_run()[0], 1)

    def test_a_control_that_is_not_caught_is_broken(self):
        self.row("x1", HOLDS + "def control_nothing(shard):\n    pass\ndef control_crash(shard):\n    1 / 0\n")
        code, out = self.campaign_run("--controls")
        self.assertEqual((code, out.count("\nbroken: X1")), (1, 2), out)

    def test_what_this_machine_cannot_run_is_not_counted_as_done(self):
        self.row("x1", "from campaign.shard import Skipped\ndef run(shard):\n    shard.skip(1, 'no disk')\n    shard.done(shard.count - 1)\n"
                 "def control_disk(shard):\n    raise Skipped('no disk')\n")
        self.campaign_run("--size", "full")
        code, out = self.campaign_run()
        self.assertEqual((code, out.count("skipped"), out.count("caught")), (0, 3, 0), out)
        self.campaign_run("--report")
        text = (self.campaign / "RESULTS.md").read_text()
        self.assertRegex(text, r"\| 3 of 6 runs, 3 skipped \| yes \| 0 of 1 \|")

    def test_a_shard_that_hangs_ends_with_its_processes(self):
        self.row("x1", "import subprocess\ndef run(shard):\n    subprocess.run(['sleep', '1000.25'])\n")
        runner = self.campaign / "campaign/runner.py"
        runner.write_text(runner.read_text().replace("MOST_SECONDS = 30 * 60", "MOST_SECONDS = 1"))
        code, out = self.campaign_run()
        self.assertIn("took more than 0 minutes", out)
        self.assertEqual(code, 1)
        self.assertEqual(subprocess.run(["pgrep", "-f", "sleep 1000[.]25"], capture_output=True).stdout, b"")

    def test_the_report_has_a_line_for_each_row_and_names_what_is_broken(self):
        self.row("x1", HOLDS + CAUGHT)
        self.row("x2", "def run(shard):\n    shard.worst(ms=shard.number)\n    shard.expect(shard.number < 2, 'lost')\n    shard.done(2)\n")
        self.campaign_run("--size", "full")
        self.campaign_run("--report")
        text = (self.campaign / "RESULTS.md").read_text()
        self.assertRegex(text, r"\| X1 \| x1 is a row \| 6 of 6 runs \| yes \| 1 of 1 \| rolled [\d,]+ \| 1 \|")
        self.assertRegex(text, r"\| X2 \| x2 is a row \| 4 of 6 runs \| \*\*no\*\* \(1 shard\) \| 0 of 0 \| worst ms 2 \|")
        self.assertIn("- X2/none/2: lost", text)

    def test_a_name_without_a_row_is_an_error(self):
        ended = subprocess.run(
            [sys.executable, self.campaign / "run.py", "q7"], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("There is no row Q7", ended.stderr)


if __name__ == "__main__":
    unittest.main()
