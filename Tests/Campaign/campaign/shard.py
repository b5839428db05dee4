"""What a row's code gets for one shard: how much to do, random numbers, a folder, and how to report."""

import contextlib
import os
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Broken(Exception):
    """A promise is broken. The text says which, and with which input it happens again."""


class Skipped(Exception):
    """This machine cannot run a control. The text says why."""


class Shard:
    """One shard of a row.

    `count` is how many units to do, `number` which shard this is, `random` a generator that `seed` determines, and
    `folder` a new folder on a disk, which is removed afterwards. `bus` is `daemon`, `broker` or `none`, and `limits` is
    `stock`, `small` or `none`. `programs` has the release programs, and `debug` those of the debug build, which can be
    given defects on purpose (SWIFT_IPC_TEST_CONTROL), and which are linked dynamically, so that a library can be
    loaded into them.
    """

    programs = ROOT / ".build/release"
    debug = ROOT / ".build/debug"
    root = ROOT

    def __init__(self, part, size, seed):
        self.part, self.size, self.seed = part, size, seed
        self.count, self.number = part.count, part.number
        self.bus, _, self.limits = part.variant.partition("-")
        self.limits = self.limits or "none"
        self.random = random.Random(f"{seed} {part.name} {part.control}")
        self._folder = tempfile.TemporaryDirectory(
            prefix="campaign-", dir=os.environ.get("TMPDIR", "/var/tmp"), ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self._folder.name)
        self.units, self.skipped, self.figures = 0, 0, {}

    def pick(self, small, full):
        """Selects one of two values by the size of the run."""
        return full if self.size == "full" else small

    def done(self, units=1):
        """Counts units that are done and were right."""
        self.units += units

    def skip(self, units, reason):
        """Counts units that this machine cannot run."""
        print(f"{self.part.title}: {units} skipped: {reason}")
        self.skipped += units

    def expect(self, condition, sentence):
        """Ends the shard as broken unless the condition holds. The sentence says what is wrong."""
        if not condition:
            raise Broken(sentence)

    @contextlib.contextmanager
    def finds(self, *words):
        """For a control: the block must end as broken with one of these words. No other failure counts as a find."""
        try:
            yield
        except Broken as error:
            if not any(word in str(error) for word in words):
                raise RuntimeError(f"the control was found for another reason than {words}") from error
            raise

    def add(self, **figures):
        """Adds to figures of the result: counts, which the report adds up."""
        for name, value in figures.items():
            self.figures[name] = self.figures.get(name, 0) + value

    def worst(self, **figures):
        """Keeps the greatest value of a figure, in this shard and in the report. Its name gets the prefix `worst_`."""
        for name, value in figures.items():
            name = f"worst_{name}"
            self.figures[name] = max(self.figures.get(name, value), value)

    def swift_tests(self, filter, size=None, **environment):
        """Runs tests of the debug build whose names match. Returns their output; raises `Broken` if one fails."""
        tests = self.debug / "swift-ipcPackageTests.xctest"
        environment = os.environ | dict(
            IPC_TEST_SIZE=size or self.size, IPC_TEST_SEED=str(self.random.getrandbits(32)),
            IPC_TEST_BUS=f"dbus-{self.bus}", TMPDIR=str(self.folder)) | environment
        ended = subprocess.run(
            [tests, "--testing-library", "swift-testing", "--no-parallel", "--filter", filter],
            env={name: value for name, value in environment.items() if value != "dbus-none"},
            cwd=ROOT, capture_output=True, text=True, errors="replace")
        output = ended.stdout + ended.stderr
        if ended.returncode or " passed after" not in output.splitlines()[-1:][0]:
            raise Broken(f"{filter} failed ({ended.returncode}): " + output[-4_000:])
        return output

    def close(self):
        self._folder.cleanup()
