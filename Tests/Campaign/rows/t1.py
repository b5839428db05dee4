"""The tests find no data race, no invalid access and no leak, with programs that are built with the sanitizers.

At full size, every test runs once with ThreadSanitizer and once with AddressSanitizer, whose leak detection is on. The
programs that the tests start are from the same build. Each part is a module, or a folder of `EndToEndTests`. One more
part, which is also the small size, exercises every allocation and every descriptor of the C shims, on success and on
failure (`Sanitizers/shims.c`), and runs a program with locks but without a race.
"""

import fcntl
import os
import re
import subprocess

from campaign.shard import ROOT, Broken

INVARIANTS = (5, 17, 23)
UNIT = "parts"
HERE = ROOT / "Tests/Campaign/Sanitizers"
MODULES = sorted(path.name for path in (ROOT / "Tests").glob("*Tests") if path.name != "EndToEndTests")
FOLDERS = sorted(path.name for path in (ROOT / "Tests/EndToEndTests").iterdir() if path.is_dir())
PARTS = ["shims"] + [(sanitizer, kind, name) for sanitizer in ("thread", "address")
                     for kind, names in (("module", MODULES), ("folder", FOLDERS)) for name in names]
SIZES = dict(small=1, full=len(PARTS))
SHARD = 1
BUSES = False

# Patterns of tests that cannot pass in a program with a sanitizer, each with the reason.
SKIPPED = {
    "IPCQueuesTests.*equal deadlines cost no more": "measures time, which a sanitizer multiplies",
    "IPCStoreTests.*memoryIsLocked": "checks mlock(2), which does nothing in a program with a sanitizer",
    "IPCDBusTests.*uses memory only for what has arrived": "counts the pages of memory, which a sanitizer shadows",
    "QuietMemoryTests": "waits until the allocator returns memory, but a sanitizer replaces the allocator",
    "DBusPageTests": "builds programs without a sanitizer, and links them with modules that need it",
    "WaitingMemoryTests": "bounds the memory of small objects, which a sanitizer enlarges",
}
SKIPPED_WITH = dict(thread={
    "LargeValueTests.*16 values by descriptor": "bounds memory, which ThreadSanitizer shadows several times over",
    "DirectBoundsTests.*only connections with incomplete messages": "the same",
    "IdleTests.*anIdleBrokerDoesNotWakeUp": "ThreadSanitizer has a thread that wakes up ten times a second",
    "MovingToolTests.*aFailedWriteKeepsTheExistingFile": "ThreadSanitizer cannot start where files may have only 1 KiB",
}, address={
    "CrashTests.*randomKillsLoseNothingAcknowledged": "bounds the time of a start, which AddressSanitizer prolongs",
    "RemoteBusTests.*a setuid program": "LeakSanitizer needs ptrace(2), which a setuid program must not use",
})
ENVIRONMENT = os.environ | {"SWIFT_BACKTRACE": "enable=no"}
WRAPPED = ("pthread_create", "malloc", "memfd_create")
# Every call in the C shims that allocates memory or a descriptor, and how often it occurs. `shims.c` exercises each.
CALLS = dict(SYS_pidfd_open=1, malloc=1, memfd_create=2, open=2, recvmsg=1, accept4=1)
CALL = re.compile(
    r"\b((?:[mc]|re)alloc|aligned_alloc|posix_memalign|strn?dup|v?asprintf|f?open(?:at)?|opendir|accept4?|memfd_create|"
    r"socket(?:pair)?|pipe2?|dup[23]?|eventfd|epoll_create1?|signalfd|timerfd_create|inotify_init1?|recvmsg|mmap)\(|"
    r"\b(SYS_\w+)")


def run(shard):
    part = PARTS[shard.number]
    if part == "shims":
        count_calls()
        shims(shard, (ROOT / "Sources/CLinux/CLinux.c").read_text())
        race_free(shard)
    else:
        tests(shard, *part)
    shard.done()


def count_calls():
    """Checks that no shim has an allocation or a descriptor that `shims.c` does not know."""
    found = {}
    for path in sorted((ROOT / "Sources").glob("C*/**/*.[ch]")):
        code = re.sub(r"//.*", "", path.read_text())
        for match in CALL.finditer(code):
            name = match[1] or match[2]
            found[name] = found.get(name, 0) + 1
    if found != CALLS:
        raise Broken(f"the C shims allocate in {found} and not in {CALLS}: exercise the change in Sanitizers/shims.c")


def shims(shard, source, *words):
    """Compiles CLinux with AddressSanitizer, and exercises it."""
    copy, program = shard.folder / "CLinux.c", shard.folder / "shims"
    copy.write_text(source)
    compiled(["clang", "-g", "-fsanitize=address", "-Wl," + ",".join(f"--wrap={name}" for name in WRAPPED),
              f"-I{ROOT / 'Sources/CLinux/include'}", copy, HERE / "shims.c", "-o", program])
    ended = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                           env=ENVIRONMENT | {"ASAN_OPTIONS": "detect_leaks=1"})
    if ended.returncode:
        raise Broken(f"the C shims, with {program.name} {' '.join(words)}: {ended.stderr[:2_000]}")


def race_free(shard, *flags):
    """Runs a program of Swift with ThreadSanitizer, which must find no race."""
    program = shard.folder / "race"
    compiled(["swiftc", "-parse-as-library", "-swift-version", "6", "-sanitize=thread", *flags, HERE / "race.swift",
              "-o", program, "-Xlinker", order_object(shard.folder)])
    ended = subprocess.run([program], capture_output=True, text=True, timeout=120,
                           env=ENVIRONMENT | {"TSAN_OPTIONS": "exitcode=66"})
    if ended.returncode:
        raise Broken(f"race.swift {' '.join(flags)} ended with {ended.returncode}: {summary(ended.stderr)}")


def order_object(folder):
    path = folder / "order.o"
    compiled(["clang", "-O1", "-c", HERE / "order.c", "-o", path])
    return path


def compiled(command):
    ended = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if ended.returncode:
        raise RuntimeError(f"{command[0]} failed: {ended.stderr[-2_000:]}")


# The tests


def tests(shard, sanitizer, kind, name):
    """Runs the tests of a module or a folder. Any report of a program or of the tests breaks the row."""
    programs = built(sanitizer)
    pattern = f"^{name}\\." if kind == "module" else f"^EndToEndTests\\.({'|'.join(suites(name))})/"
    reports = shard.folder / "reports"
    reports.mkdir()
    common = f"log_path={reports}/report:exitcode=66"
    skipped = "|".join(SKIPPED | SKIPPED_WITH[sanitizer])
    options = dict(
        TSAN_OPTIONS=f"{common}:suppressions={HERE / 'thread.txt'}",
        # Freed memory is kept for a while, but so little of it that the tests can bound the memory of the broker.
        ASAN_OPTIONS=f"{common}:detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=0"
                     ":quarantine_size_mb=2:thread_local_quarantine_size_kb=64",
        LSAN_OPTIONS=f"suppressions={HERE / 'leak.txt'}:print_suppressions=0")
    ended = subprocess.run(
        [programs / "swift-ipcPackageTests.xctest", "--testing-library", "swift-testing", "--parallel",
         "--experimental-maximum-parallelization-width", "2", "--filter", pattern, "--skip", skipped],
        env=ENVIRONMENT | options | dict(
            IPC_TEST_SIZE="small", IPC_TEST_SEED=str(shard.random.getrandbits(32)), TMPDIR=str(shard.folder)),
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    output = re.sub(r"\x1b\[[0-9;]*m", "", ended.stdout + ended.stderr)
    count = re.search(r"Test run with (\d+) tests? .* passed", output)
    if any(reports.iterdir()) or ended.returncode or not count:
        raise Broken(f"{sanitizer} {name} ended with {ended.returncode}: {found(reports)}; {failures(output)}")
    shard.add(tests=int(count[1]))


def suites(folder):
    """The suites in a folder of EndToEndTests."""
    names = set()
    for path in (ROOT / "Tests/EndToEndTests" / folder).rglob("*.swift"):
        names |= set(re.findall(r"\bstruct (\w+Tests)\b", path.read_text()))
    return sorted(names)


def found(reports):
    """The reports, each different one once, and one of them in full."""
    texts = [path.read_text(errors="replace") for path in reports.iterdir()]
    if not texts:
        return "no report"
    return "; ".join(sorted({summary(text) for text in texts})[:20]) + f". For example: {texts[0][:4_000]}"


def summary(report):
    lines = [line for line in report.splitlines() if line.startswith(("SUMMARY:", "broken:"))]
    return " ".join(lines[:3]) or report[:300]


def failures(output):
    return " ".join(line for line in output.splitlines() if line.startswith("✘"))[:2_000] or output[-500:]


def built(sanitizer):
    """The folder of the debug build with a sanitizer, built by the first shard that needs it."""
    name = dict(thread="tsan", address="asan")[sanitizer]
    (ROOT / ".build").mkdir(exist_ok=True)
    with open(ROOT / f".build/{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", name], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / f".build/{name}/debug"


def control_race(shard):
    """A program without its lock: ThreadSanitizer must find the race."""
    race_free(shard, "-DRACE")


def control_leak(shard):
    """A shim that does not free its memory if a thread cannot start."""
    shims(shard, changed("if (error) free(start);", "if (error) error = error;"))


def control_descriptor(shard):
    """A shim that drops arriving descriptors without closing them."""
    shims(shard, changed("for (int i = 0; i < *count; i++) close(descriptors[i]);", ""))


def control_access(shard):
    """A shim that allocates too little."""
    shims(shard, changed("malloc(sizeof *start)", "malloc(sizeof *start - 1)"))


def changed(before, after):
    source = (ROOT / "Sources/CLinux/CLinux.c").read_text()
    if before not in source:
        raise RuntimeError(f"CLinux.c has no “{before}” to plant a defect in")
    return source.replace(before, after)
