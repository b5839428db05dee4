# swift-ipc. GNU make 4.3 or newer. "make help" lists what there is.

PREFIX ?= /usr/local
DESTDIR ?=
# What "make run" sends.
TEXT ?= hello

# A target may only import what it names as a dependency: this holds the arrows of the architecture.
SWIFT_FLAGS = --explicit-target-dependency-import-check error
# The programs as they are shipped: no Swift installation is needed where they run.
RELEASE_FLAGS = $(SWIFT_FLAGS) --configuration release --static-swift-stdlib

PRODUCTS = ipc-broker ipc-server ipc-client
RELEASE = .build/release
BINARIES = $(PRODUCTS:%=$(RELEASE)/%)
# What there is of these; hidden folders such as .build are passed over.
LINTED = $(wildcard Package.swift Sources Tests Examples Benchmarks Fuzzing)

.DEFAULT_GOAL := help
# One thing after the other: a Swift build takes all cores by itself.
.NOTPARALLEL:
.PHONY: help packages run test test-full check debug build lint install uninstall clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

packages: ## install the Debian packages that are missing, for all targets
	@scripts/requirements test

run: ## the main job, end to end, on a private bus; ends by itself (first time: builds, some minutes)
	@scripts/requirements run
	swift build $(SWIFT_FLAGS)
	@scripts/run .build/debug "$$TEXT"
run: export TEXT := $(TEXT)

test: export IPC_TEST_SIZE = small
# So many at a time: all at once, hundreds of brokers and buses would keep each other waiting beyond every deadline.
test: PARALLEL = --parallel --experimental-maximum-parallelization-width 8
test: packages lint check ## lint, build with warnings as errors, all tests at small size (about 5 minutes on 2 cores)

test-full: export IPC_TEST_SIZE = full
# One after the other: at full size the broker's start is held to half a second, which needs the machine.
test-full: PARALLEL = --no-parallel
test-full: packages lint check ## the same tests at full size

# The tests start the programs of this same build. Warnings are errors by the settings in Package.swift.
check: debug
	swift test $(SWIFT_FLAGS) --skip-build $(PARALLEL) --disable-xctest

debug:
	swift build $(SWIFT_FLAGS) --build-tests
	swift build --package-path Examples/ServerClientDemo

build: ## the release programs, in .build/release (clean: some minutes)
	@scripts/requirements build
	for product in $(PRODUCTS); do swift build $(RELEASE_FLAGS) --product $$product || exit; done

# Only where one is missing: "make install" as root uses what "make build" has built as a user.
$(BINARIES) &:
	$(MAKE) build

lint: ## swift format, strict
	swift format lint --strict --recursive --parallel $(LINTED)

install: $(BINARIES) ## install below PREFIX (default /usr/local), staged below DESTDIR
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install install $(RELEASE)

uninstall: ## remove exactly what "make install" wrote, with the same PREFIX and DESTDIR
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install uninstall

clean: ## remove all build results
	rm -rf .build $(wildcard Examples/.build Examples/*/.build Benchmarks/.build Fuzzing/.build)
