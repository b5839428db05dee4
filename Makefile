# swift-ipc. GNU make 4.3 or newer. "make help" lists what there is.

PREFIX ?= /usr/local
DESTDIR ?=
# What "make run" sends.
TEXT ?= hello
# "make bench": a file for the rows as JSON; 1 for two minutes in the place of many; options such as --readme, --only NAME.
JSON ?=
QUICK ?=
BENCH ?=
# "make test-deb": keeps the empty root here, for the next time.
DEB_ROOT ?= .build/deb-root
# "make bench-soak": how long.
SOAK_SECONDS ?= 600

# A target may only import what it names as a dependency: this holds the arrows of the architecture.
SWIFT_FLAGS = --explicit-target-dependency-import-check error
# scripts/example uses the same flags, so it finds built what the tests have built. Symbols for a debugger would cost minutes.
EXAMPLE_FLAGS = -debug-info-format none
# The programs as they are shipped: no Swift installation is needed where they run. The C++ library that Swift's runtime
# needs is linked in as well: to load it and bind its symbols takes longer than to run most commands. These flags are not in
# Package.swift, where they would keep others from depending on the package (unsafeFlags).
# Metadata of a generic type comes from its arguments rather than from its mangled name, which the runtime would have to look
# up in all conformances of the program, at each start. No symbol is exported, for nothing is loaded that could ask for one.
# The debug programs, on which the tests run, check at run time that no two accesses to a variable overlap; these do not
# (docs/decisions.md).
RELEASE_FLAGS = $(SWIFT_FLAGS) --configuration release --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors -Xswiftc -enforce-exclusivity=unchecked \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -L$(STATIC) -Xlinker --no-export-dynamic \
	-Xlinker --strip-all
# A folder with libstdc++.a and without libstdc++.so, because swiftc itself says "-lstdc++".
STATIC = $(CURDIR)/.build/static
# A copy of libc.a without its sections ".gnu.warning.NAME", which stands before the other one: each makes the linker warn whoever
# names getaddrinfo and the like in a static program. Foundation names them, and nothing calls them. All else that the linker has to
# say is still heard.
QUIET = $(STATIC)/libc-quiet.a
# Programs that need nothing but the C library stand at a fixed address and without the dynamic linker: 50,000 words need no
# relocation at each start, their pages are shared by all processes, and no call goes through a table. The compiler takes the
# start of a program that relocates itself; these have nothing to relocate.
FIXED = -Xlinker $(QUIET) -Xlinker -no-pie -Xlinker -static -Xlinker --defsym=_dl_relocate_static_pie=clinux_nothing
# libdbus-1.a asks libsystemd for sockets on which a server listens. There is no such server here, and no libsystemd.a either.
DBUS = -Xlinker --defsym=sd_listen_fds=clinux_no_sockets -Xlinker --defsym=sd_is_socket=clinux_no_sockets
ipc-client_FLAGS = $(FIXED) $(DBUS)
ipc-server_FLAGS = $(FIXED) $(DBUS)
# libc.a's fork(2) brings its malloc along, and jemalloc's was there first.
ipc-broker_FLAGS = $(FIXED) $(DBUS) -Xlinker -z -Xlinker muldefs

PRODUCTS = ipc-broker ipc-server ipc-client ipc-desktop-open ipc-bridge
RELEASE = .build/release
# When the release programs were built last, and of what.
BUILT = .build/built
SOURCES = Package.swift $(shell find Sources -type f)
# What there is of these; hidden folders such as .build are passed over.
LINTED = $(wildcard Package.swift Sources Tests Examples Benchmarks)

.DEFAULT_GOAL := help
# One thing after the other: a Swift build takes all cores by itself.
.NOTPARALLEL:
.PHONY: help packages run test test-full test-direct check-direct check-unprivileged check-dbus-broker check-oracle check-hostile \
	check oracle debug static build bench bench-growth bench-soak bench-programs lint install uninstall clean manuals deb test-deb docs recording

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

packages: ## install the Debian packages that are missing, for all targets
	@scripts/requirements test

run: ## demonstrate one request on a private bus; ends by itself (first time: builds, some minutes)
	@scripts/requirements run
	@echo "Building; the first time takes some minutes ..."
	@swift build $(SWIFT_FLAGS) --quiet
	@scripts/run .build/debug "$$TEXT"
run: export TEXT := $(TEXT)

test: export IPC_TEST_SIZE = small
# So many at a time: all at once, hundreds of brokers and buses would keep each other waiting beyond every deadline.
test: PARALLEL = --parallel --experimental-maximum-parallelization-width 8
test: packages lint check check-direct check-unprivileged check-oracle check-hostile ## lint, build with warnings as errors, all tests at small size (10 minutes on 2 cores, half an hour the first time)

test-direct: export IPC_TEST_SIZE = small
test-direct: export SWIFT_IPC_ROUTE = direct
test-direct: PARALLEL = --parallel --experimental-maximum-parallelization-width 8
test-direct: packages check ## all tests over direct connections, where there can be one

test-full: export IPC_TEST_SIZE = full
# Most tests wait more than they compute. Suites that measure time or memory run alone (scripts/tests).
test-full: PARALLEL = --parallel --experimental-maximum-parallelization-width 2
test-full: packages lint check check-direct check-unprivileged check-dbus-broker check-oracle check-hostile ## the same tests at full size, on dbus-daemon and on dbus-broker

# The tests start the programs of this same build. Warnings are errors by the settings in Package.swift.
check: debug
	swift test --package-path Examples --skip-build --disable-xctest
	scripts/tests $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest

# The promises that hold by either way to the broker, by the other one.
BOTH_WAYS = CrashTests|DeliveryRunTests|MixedOperationsTests|RestartTests|WaitingRequestTests|QueuedRequestTests|RepeatedRequestTests|LibraryTests|MainJobTests|RouteTests
check-direct:
	SWIFT_IPC_ROUTE=direct scripts/tests $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest --filter 'EndToEndTests\.($(BOTH_WAYS))'

# Hostile programs against the release programs: their bounds are times and memory, which a debug build does not keep.
check-hostile: build
	Tests/Hostile/run.py --size $(or $(IPC_TEST_SIZE),full)

# What root cannot see: permissions, and the limits of the kernel for a user.
UNPRIVILEGED = EndToEndTests\.(BadDescriptorTests|DirectBoundsTests|LargeValueTests|QuotaTests|SecretTests|StatedDigestTests)|IPCDBusTests\.LinkTests|IPCStoreTests\.OpeningTests
check-unprivileged: debug
	scripts/unprivileged '$(UNPRIVILEGED)'

# The tests with a message bus, on the other implementation of it.
check-dbus-broker: debug
	IPC_TEST_BUS=dbus-broker scripts/tests $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest --filter '^(EndToEndTests|IPCTestingTests)\.'

# Compares what the wire says with libdbus, with the code of the release programs: a debug build does a hundredth as many. A seed
# and a number give one input.
SEED ?= 1
COUNT ?= 1000000
ORACLE ?=
ASAN = $(SWIFT_FLAGS) -c release --scratch-path .build/oracle-asan $(ORACLE)
oracle: static ## compare COUNT generated messages with libdbus, from SEED (ORACLE=--sanitize=address)
	swift build $(if $(ORACLE),$(ASAN),$(RELEASE_FLAGS)) --product wire-oracle
	$(if $(ORACLE),.build/oracle-asan/release,$(RELEASE))/wire-oracle $(SEED) 0 $(COUNT) all

# The same in the tests, from another seed each time. At full size also with a look at each access to memory.
check-oracle: SEED = $(shell shuf -i 1-1000000000 -n 1)
check-oracle:
	$(MAKE) oracle SEED=$(SEED) COUNT=$(if $(filter small,$(IPC_TEST_SIZE)),300000,5000000)
	$(if $(filter small,$(IPC_TEST_SIZE)),,$(MAKE) oracle SEED=$(SEED) COUNT=500000 ORACLE=--sanitize=address)

debug:
	swift build $(SWIFT_FLAGS) --build-tests
	swift build --package-path Examples $(EXAMPLE_FLAGS) --build-tests

# The libraries that the release programs are linked with.
static:
	@scripts/requirements build
	@mkdir -p $(STATIC) && ln -sf "$$(clang -print-file-name=libstdc++.a)" $(STATIC)/
	@objcopy --remove-section='.gnu.warning.*' "$$(clang -print-file-name=libc.a)" $(QUIET)

build: static ## the release programs, in .build/release (clean: some minutes)
	$(foreach product,$(PRODUCTS),swift build $(RELEASE_FLAGS) $($(product)_FLAGS) --product $(product) &&) true
	@! grep -q SWIFT_IPC_TEST_CONTROL $(RELEASE)/ipc-broker || { echo "ipc-broker has defects for tests" >&2; false; }
	@touch $(BUILT)

bench: bench-programs ## P1 to P9 and peers as a table and as .build/benchmarks.svg, about 10 minutes (QUICK=1: two; JSON=FILE: as JSON too)
	Benchmarks/run table $(if $(QUICK),--quick) $(if $(JSON),--json "$(JSON)") $(BENCH)

bench-growth: bench-programs ## memory and time with 100,000 schemes, 1,000,000 items …, some minutes
	Benchmarks/run growth $(BENCH)

bench-soak: bench-programs ## 80 % of the greatest rate for 10 minutes (SOAK_SECONDS=), drawn as Benchmarks/soak.svg
	Benchmarks/run soak --seconds $(SOAK_SECONDS) $(BENCH)

bench-programs: build
	@scripts/requirements bench
	$(MAKE) -s -C Benchmarks/Floor OUT=../.build/floor
	swift build --package-path Benchmarks $(RELEASE_FLAGS) $(FIXED) $(DBUS) --product Load

# Only where something is newer: "make install" as root, where there is often no Swift, uses what "make build" has built as a user.
$(BUILT): $(SOURCES)
	$(MAKE) build

docs: ## the library's reference and articles as a web site, in .build/docs (DocC)
	swift build $(SWIFT_FLAGS) --target IPCFoundation
	scripts/docs .build/debug .build/docs

manuals: debug ## regenerate the manual pages in docs/man from the programs' own help
	@scripts/manuals .build/debug

recording: $(BUILT) ## record docs/first-minute.svg again, from the output of the release programs
	@scripts/requirements run
	@scripts/recording $(RELEASE) docs/first-minute.svg

lint: ## swift format, strict
	swift format lint --strict --recursive --parallel $(LINTED)

install: $(BUILT) ## install below PREFIX (default /usr/local), staged below DESTDIR
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install install $(RELEASE)

uninstall: ## remove exactly what "make install" wrote, with the same PREFIX and DESTDIR
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install uninstall

deb: $(BUILT) ## the Debian package, in .build/deb
	@scripts/requirements deb
	scripts/deb $(RELEASE) .build/deb

test-deb: deb ## install the package in an empty root, run the commands of docs/getting-started.md, remove it (root; some minutes)
	scripts/test-deb .build/deb/swift-ipc_*.deb $(DEB_ROOT)

clean: ## remove all build results
	rm -rf .build $(wildcard Examples/.build Examples/*/.build Benchmarks/.build)
