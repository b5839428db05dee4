# Builds, tests and installs swift-ipc. Needs GNU make 4.3 or newer. "make help" lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
# The text that "make run" sends.
TEXT ?= hello
# For "make bench": a file for the results as JSON; 1 for a short run of two minutes; options such as --readme, --only NAME.
JSON ?=
QUICK ?=
BENCH ?=
# Where "make test-deb" keeps the root directory of an empty Debian system for the next run.
DEB_ROOT ?= .build/deb-root
# How long "make bench-soak" sends requests.
SOAK_SECONDS ?= 600

# A target can import only the modules that it lists as dependencies in Package.swift. This enforces the architecture.
SWIFT_FLAGS = --explicit-target-dependency-import-check error
# scripts/example uses the same flags, so it need not build again what the tests have built. Debug symbols would take minutes.
EXAMPLE_FLAGS = -debug-info-format none
# How "make build" links. "static": the programs run on machines without Swift and without these libraries. "dynamic": for a
# distribution, which updates the libraries apart from the programs.
LINK ?= static
ifeq ($(filter static dynamic,$(LINK)),)
$(error LINK must be static or dynamic, not "$(LINK)")
endif
# The two kinds are built in separate folders.
static_SCRATCH = .build
dynamic_SCRATCH = .build/dynamic
SCRATCH = $($(LINK)_SCRATCH)
# Metadata of a generic type is built from its arguments. To find it by its mangled name, the runtime would have to search all
# conformances of the program at each start. No symbols are exported, because no loaded library could look one up.
# The debug programs, which the tests use, check at run time that no two accesses to a variable overlap; the release programs do
# not (docs/decisions.md).
# icf: functions with the same code become one, except where a program could compare their addresses.
RELEASE_FLAGS = $(SWIFT_FLAGS) --configuration release --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors -Xswiftc -enforce-exclusivity=unchecked \
	-Xlinker --no-export-dynamic -Xlinker --strip-all -Xlinker --icf=safe $($(LINK)_LINK)
# The C++ library, which Swift's runtime needs, is linked statically too: loading it and binding its symbols would take longer
# than most commands run. In Package.swift, these flags (unsafeFlags) would prevent other packages from depending on this one.
static_LINK = --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -L$(STATIC)
# A program at a random address, whose tables of addresses are bound and made read-only before it starts.
dynamic_LINK = --scratch-path $(SCRATCH) -Xcc -fstack-protector-strong -Xcc -D_FORTIFY_SOURCE=2 \
	-Xlinker --as-needed -Xlinker -pie -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
# A folder with libstdc++.a but without libstdc++.so, so that the option "-lstdc++", which swiftc adds, links the static library.
STATIC = $(CURDIR)/.build/static
# A copy of libc.a without its sections ".gnu.warning.NAME", which make the linker warn about getaddrinfo and similar functions in
# a static program. Foundation refers to these functions, but nothing calls them. The copy comes before the original, and the
# linker still prints all its other warnings.
QUIET = $(STATIC)/libc-quiet.a
# Programs that need only the C library are linked statically for a fixed address. So 50,000 words need no relocation at each
# start, all processes share the pages of these words, and no call goes through a table. The compiler still links startup
# code that relocates the program; defsym makes that code call a function that does nothing.
FIXED = -Xlinker $(QUIET) -Xlinker -no-pie -Xlinker -static -Xlinker --defsym=_dl_relocate_static_pie=clinux_nothing
# No index of the tables for unwinding the stack is written, because scripts/shrink removes the tables. Only for programs that do
# not call dispatch_main, as "main() async" does: its pthread_exit needs them.
SHRUNK = $(FIXED) -Xlinker --no-eh-frame-hdr
# For its servers, libdbus-1.a asks libsystemd for sockets. These programs have no such server, and there is no libsystemd.a, so
# the calls go to a function that returns 0.
DBUS = -Xlinker --defsym=sd_listen_fds=clinux_no_sockets -Xlinker --defsym=sd_is_socket=clinux_no_sockets
static_ipc-client_FLAGS = $(SHRUNK) $(DBUS)
static_ipc-server_FLAGS = $(SHRUNK) $(DBUS)
# With fork(2), the linker also takes malloc from libc.a. muldefs permits this second definition; the first, jemalloc's, is used.
static_ipc-broker_FLAGS = $(SHRUNK) $(DBUS) -Xlinker -z -Xlinker muldefs

# The programs without tables for unwinding.
SHRUNK_PRODUCTS = ipc-broker ipc-server ipc-client
PRODUCTS = ipc-broker ipc-server ipc-client ipc-desktop-open ipc-bridge
RELEASE = $(SCRATCH)/release
# What the linker has put into each program, in a file PROGRAM.map.
MAPS = $(SCRATCH)/maps
# A file whose time is that of the last build of the release programs, and the files that they are built from.
BUILT = $(SCRATCH)/built
SOURCES = Package.swift $(shell find Sources -type f)
# What "make lint" checks, as far as it exists. Hidden folders such as .build are skipped.
LINTED = $(wildcard Package.swift Sources Tests Examples Benchmarks)

.DEFAULT_GOAL := help
# Make runs one recipe at a time, because a Swift build uses all cores by itself.
.NOTPARALLEL:
.PHONY: help packages run test test-full test-direct check-direct check-unprivileged check-dbus-broker check-oracle check-hostile \
	check-generators check-campaign check oracle campaign fuzz tsan asan debug dynamic static build bench bench-growth bench-soak bench-programs lint install uninstall clean api manuals deb test-deb docs recording

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
# Always the same seed, so that a new failure comes from a change.
test: CAMPAIGN_SEED = 1
# At most 8 tests run at a time. All at once, hundreds of brokers and buses would delay each other beyond every deadline.
test: PARALLEL = --parallel --experimental-maximum-parallelization-width 8
test: packages lint check check-direct check-unprivileged check-oracle check-hostile check-campaign ## lint, build with warnings as errors, all tests at small size (10 minutes on 2 cores, half an hour the first time)

test-direct: export IPC_TEST_SIZE = small
test-direct: export SWIFT_IPC_ROUTE = direct
test-direct: PARALLEL = --parallel --experimental-maximum-parallelization-width 8
test-direct: packages check ## all tests over direct connections, where there can be one

test-full: export IPC_TEST_SIZE = full
# At most 2 tests run at a time. Suites that measure time or memory run alone (scripts/tests).
test-full: PARALLEL = --parallel --experimental-maximum-parallelization-width 2
test-full: packages lint check check-direct check-unprivileged check-dbus-broker check-oracle check-hostile check-generators ## the same tests at full size, on dbus-daemon and on dbus-broker, and code generators

# The tests start the programs of the debug build. The settings in Package.swift make warnings errors.
check: debug
	swift test --package-path Examples --skip-build --disable-xctest
	scripts/tests $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest

# Suites for what must hold on both routes to the broker. "make check" uses the bus, and "make check-direct" direct connections.
BOTH_WAYS = CrashTests|DeliveryRunTests|MixedOperationsTests|RestartTests|WaitingRequestTests|QueuedRequestTests|RepeatedRequestTests|LibraryTests|MainJobTests|RouteTests
check-direct:
	SWIFT_IPC_ROUTE=direct scripts/tests $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest --filter 'EndToEndTests\.($(BOTH_WAYS))'

# Runs hostile programs against the release programs. A debug build would exceed the limits of time and memory in these tests.
check-hostile: build
	Tests/Hostile/run.py --size $(or $(IPC_TEST_SIZE),full)

# Runs the campaign (Tests/Campaign) at small size: a few units of each row, and all controls. The seed is new each time.
CAMPAIGN_SEED ?= $(shell shuf -i 1-1000000000 -n 1)
check-campaign: debug build
	Tests/Campaign/test_runner.py
	Tests/Campaign/run.py --size small --seed $(CAMPAIGN_SEED)

# Runs the shards of the campaign that have no result for these sources, and writes the table. CAMPAIGN has options and rows.
CAMPAIGN ?=
campaign: packages debug build ## try to break every promise at full size; hours, but it can be interrupted (CAMPAIGN="--minutes 60 D1")
	@scripts/requirements campaign
	Tests/Campaign/run.py --size full $(CAMPAIGN); result=$$?; Tests/Campaign/run.py --report && exit $$result

# Runs code generators for C, Qt and C++ on the interface documents, and compiles their output.
check-generators:
	@scripts/requirements generators
	Tests/Generators/check

# Suites with tests that only an ordinary user can run, because the kernel exempts root from permissions and limits.
UNPRIVILEGED = EndToEndTests\.(BadDescriptorTests|DirectBoundsTests|LargeValueTests|QuotaTests|SecretTests|StatedDigestTests)|IPCDBusTests\.LinkTests|IPCStoreTests\.OpeningTests
check-unprivileged: debug
	scripts/unprivileged '$(UNPRIVILEGED)'

# Runs the tests that need a message bus again, with dbus-broker in place of dbus-daemon.
check-dbus-broker: debug
	IPC_TEST_BUS=dbus-broker scripts/tests $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest --filter '^(EndToEndTests|IPCTestingTests)\.'

# Compares how our code and libdbus read generated messages. Our code is built as for a release: a debug build would compare a
# hundredth as many messages in the same time. A seed and a number determine one message.
SEED ?= 1
COUNT ?= 1000000
ORACLE ?=
ASAN = $(SWIFT_FLAGS) -c release --scratch-path .build/oracle-asan $(ORACLE)
oracle: static ## compare COUNT generated messages with libdbus, from SEED (ORACLE=--sanitize=address)
	swift build $(if $(ORACLE),$(ASAN),$(RELEASE_FLAGS)) --product wire-oracle
	$(if $(ORACLE),.build/oracle-asan/release,$(RELEASE))/wire-oracle $(SEED) 0 $(COUNT) all

# Runs "make oracle" as a test, with a new seed each time. At full size, it also runs with AddressSanitizer.
check-oracle: SEED = $(shell shuf -i 1-1000000000 -n 1)
check-oracle:
	$(MAKE) oracle SEED=$(SEED) COUNT=$(if $(filter small,$(IPC_TEST_SIZE)),300000,5000000)
	$(if $(filter small,$(IPC_TEST_SIZE)),,$(MAKE) oracle SEED=$(SEED) COUNT=500000 ORACLE=--sanitize=address)

# The fuzz targets with libFuzzer, AddressSanitizer, and the internals of the modules (Tests/Campaign/Fuzz).
FUZZ = .build/fuzz
FUZZ_FLAGS = $(SWIFT_FLAGS) -c release --scratch-path $(FUZZ) --sanitize=address --disable-dead-strip \
	-Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp -Xswiftc -enable-testing -Xswiftc -DFUZZING \
	-Xlinker $(shell clang -print-file-name=libclang_rt.fuzzer_no_main-$(shell uname -m).a) -Xlinker -lstdc++
FUZZ_SOURCES = $(shell find Tests/Campaign/Fuzz Tests/IPCDBusOracle -type f)
fuzz: $(FUZZ)/built

$(FUZZ)/built: $(SOURCES) $(FUZZ_SOURCES)
	swift build $(FUZZ_FLAGS) --product fuzz-targets
	@touch $@

# The tests and the debug programs with a sanitizer. Its functions in place of C++'s "new" and "delete" are linked whole:
# otherwise, libjemalloc's would be used, whose memory the sanitizer's free(3) does not know. ThreadSanitizer also needs to
# know what Swift's libraries do to order accesses (order.c).
SANITIZED = swift build $(SWIFT_FLAGS) --build-tests --scratch-path .build/$@ -Xlinker --whole-archive -Xlinker \
	$(shell clang -print-file-name=libclang_rt.$@_cxx-$(shell uname -m).a) -Xlinker --no-whole-archive
tsan:
	@mkdir -p .build/tsan && clang -O1 -c Tests/Campaign/Sanitizers/order.c -o .build/tsan/order.o
	$(SANITIZED) --sanitize=thread -Xlinker $(CURDIR)/.build/tsan/order.o

asan:
	$(SANITIZED) --sanitize=address

debug:
	swift build $(SWIFT_FLAGS) --build-tests
	swift build --package-path Examples $(EXAMPLE_FLAGS) --build-tests

# Prepares the libraries that the release programs are linked with.
dynamic:
	@scripts/requirements build

static: dynamic
	@mkdir -p $(STATIC) && ln -sf "$$(clang -print-file-name=libstdc++.a)" $(STATIC)/
	@objcopy --remove-section='.gnu.warning.*' "$$(clang -print-file-name=libc.a)" $(QUIET)

build: $(LINK) ## the release programs, in .build/release (clean: some minutes; LINK=dynamic: in .build/dynamic/release)
	@mkdir -p $(MAPS)
	$(foreach product,$(PRODUCTS),swift build $(RELEASE_FLAGS) $($(LINK)_$(product)_FLAGS) \
		-Xlinker -Map=$(MAPS)/$(product).map --product $(product) &&) true
	@$(if $(filter static,$(LINK)),scripts/shrink $(addprefix $(RELEASE)/,$(SHRUNK_PRODUCTS)))
	@! grep -q SWIFT_IPC_TEST_CONTROL $(RELEASE)/ipc-broker || { echo "ipc-broker has defects for tests" >&2; false; }
	@scripts/sizes $(RELEASE)
	@$(if $(filter static,$(LINK)),scripts/notices check $(MAPS))
	@touch $(BUILT)

bench: bench-programs ## P1 to P9 and peers as a table and as .build/benchmarks.svg, about 10 minutes (QUICK=1: two; JSON=FILE: as JSON too)
	Benchmarks/run table $(if $(QUICK),--quick) $(if $(JSON),--json "$(JSON)") $(BENCH)

bench-growth: bench-programs ## measure memory and time with 100,000 schemes, 1,000,000 items …; takes some minutes
	Benchmarks/run growth $(BENCH)

bench-soak: bench-programs ## 80 % of the maximum rate for 10 minutes (SOAK_SECONDS=), drawn as Benchmarks/soak.svg
	Benchmarks/run soak --seconds $(SOAK_SECONDS) $(BENCH)

bench-programs: build
	@scripts/requirements bench
	$(MAKE) -s -C Benchmarks/Floor OUT=../.build/floor
	swift build --package-path Benchmarks $(RELEASE_FLAGS) $(FIXED) $(DBUS) --product Load

# Builds only if a source is newer. So "make install" as root, who often has no Swift, uses what a user built with "make build".
$(BUILT): $(SOURCES)
	$(MAKE) build

docs: ## the library's reference and articles as a web site, in .build/docs (DocC)
	swift build $(SWIFT_FLAGS) --target IPCFoundation
	scripts/docs .build/debug .build/docs

api: debug ## write the public API down again, in docs/api, after a change that its users can see
	@scripts/api .build/debug docs/api

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

deb: $(BUILT) ## the Debian packages, in .build/deb
	@scripts/requirements deb
	scripts/deb $(RELEASE) $(MAPS) .build/deb

test-deb: deb ## install the packages in an empty root, run docs/getting-started.md, click a link in Chromium, remove them (root; some minutes)
	scripts/test-deb .build/deb $(DEB_ROOT)

clean: ## remove all build results
	rm -rf .build $(wildcard Examples/.build Examples/*/.build Benchmarks/.build)
