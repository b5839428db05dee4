"""No input of any reader aborts the process or loses bytes: coverage-guided fuzzing with AddressSanitizer.

Each target (`Tests/Campaign/Fuzz/Targets`) reads any bytes as one kind of input, and checks what must hold for whatever
it has read: that it can be written and read again, that the bytes of a URL stay as they are, that libdbus reads the
same. libFuzzer generates the inputs from those in `corpus/f1/TARGET`, and adds an input that breaks something there, so
that every later run begins with it. The small size reads only these files, with the debug build.
"""

import fcntl
import os
import re
import subprocess

from campaign.shard import ROOT, Broken

INVARIANTS = (5, 20, 23)
UNIT = "inputs"
TARGETS = ("message", "stream", "authentication", "address", "signature", "contract", "policy", "url", "percent",
           "content-type", "json", "key-file", "command", "configuration", "export", "row")
EACH = 5_000_000
SIZES = dict(small=400, full=EACH * len(TARGETS))
SHARD = EACH // 5
BUSES = False

SOURCES = ROOT / "Tests/Campaign/Fuzz"
CORPUS = ROOT / "Tests/Campaign/corpus/f1"
# Longer inputs take longer to read, and seldom lead to other code.
LONGEST = dict(signature=300, authentication=120, configuration=250) | {"content-type": 300}
# The unwinder of Swift would read the program's symbols for minutes; AddressSanitizer prints a trace itself.
ENVIRONMENT = os.environ | dict(
    SWIFT_BACKTRACE="enable=no", ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1")
COVERAGE = "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp"


def run(shard):
    if shard.size == "small":
        for target in TARGETS:
            shard.done(replay(shard, target))
        return
    target = TARGETS[shard.number * SHARD // EACH]
    replay(shard, target)
    fuzz(shard, [built(), f"--target={target}"], target, CORPUS / target)


def replay(shard, target, **environment):
    """Reads the known inputs of a target with the debug build; returns how many they are."""
    folder = CORPUS / target
    ended = subprocess.run(
        [shard.debug / "fuzz-targets", f"--target={target}", folder], capture_output=True, text=True, errors="replace",
        timeout=600, env=ENVIRONMENT | dict(TMPDIR=str(shard.folder)) | environment)
    lines = ended.stdout.splitlines()
    if ended.returncode:
        reason = next((line for line in lines if line.startswith("broken:")), ended.stderr[-1_000:])
        path = next((line for line in reversed(lines) if line.startswith(str(folder))), "no input")
        raise Broken(f"{target}: {reason} (exit {ended.returncode}). "
                     f"Again: .build/debug/fuzz-targets --target={target} {path}")
    return int(re.search(r"(\d+) inputs of", lines[-1]).group(1))


def fuzz(shard, command, target, corpus):
    """Runs libFuzzer for the shard's inputs. Inputs that it finds interesting stay in the shard's folder."""
    found = shard.folder / "found"
    found.mkdir()
    options = [f"-runs={shard.count}", f"-seed={shard.random.randrange(1, 1 << 31)}", f"-artifact_prefix={corpus}/",
               f"-max_len={LONGEST.get(target, 800)}", "-timeout=20", "-rss_limit_mb=3000", "-print_final_stats=1"]
    log = shard.folder / "log"
    with open(log, "w") as output:
        ended = subprocess.run([*command, *options, found, corpus], stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.STDOUT, env=ENVIRONMENT | dict(TMPDIR=str(shard.folder)),
                               cwd=shard.folder)
    text = log.read_text(errors="replace")
    if ended.returncode:
        raise Broken(failure(target, text))
    runs = int(re.search(r"Done (\d+) runs", text).group(1))
    shard.done(runs)
    edges, inputs = re.findall(r"cov: (\d+) ft: \d+ corp: (\d+)/", text)[-1]
    shard.add(edges=int(edges), kept=int(inputs))
    shard.worst(mebibytes=int(re.search(r"peak_rss_mb: +(\d+)", text).group(1)))


def failure(target, text):
    """What the fuzzer has found, and how to see it again."""
    lines = text.splitlines()
    marks = ("broken:", "Fatal error", "ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "ERROR: libFuzzer", "SUMMARY")
    reasons = [line.strip() for line in lines if any(mark in line for mark in marks)]
    path = re.search(r"Test unit written to (\S+)", text)
    found = "; ".join(reasons[:4]) or "the fuzzer failed"
    if not path:
        return f"{target}: {found}. {text[-1_000:]}"
    return f"{target}: {found}. Again: make fuzz && .build/fuzz/release/fuzz-targets --target={target} {path.group(1)}"


def built():
    """The fuzz targets with libFuzzer, built by the first shard that needs them."""
    (ROOT / ".build").mkdir(exist_ok=True)
    with open(ROOT / ".build/fuzz.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build/fuzz/release/fuzz-targets"


def control_planted(shard):
    """A target that aborts on one input in 2^48, built with the same fuzzer. The fuzzer must find that input."""
    program = shard.folder / "control"
    library = subprocess.run(
        ["clang", f"-print-file-name=libclang_rt.fuzzer_no_main-{os.uname().machine}.a"], check=True,
        capture_output=True, text=True).stdout.strip()
    subprocess.run(
        ["swiftc", "-O", "-parse-as-library", "-DFUZZING", "-sanitize=address", COVERAGE, SOURCES / "Fuzzer.swift",
         SOURCES / "Control/Control.swift", "-o", program, "-Xlinker", library, "-lstdc++"],
        check=True, capture_output=True)
    shard.count = 5_000_000
    corpus = shard.folder / "corpus"
    corpus.mkdir()
    fuzz(shard, [program], "control", corpus)


def control_normalized(shard):
    """The target of URLs, with a defect that writes a plus sign for %20. The known inputs must reveal it (I20)."""
    replay(shard, "url", FUZZ_CONTROL="normalize")
