# The front door: each target is a command or two over CMake, CTest and the scripts in cmake/.
# `make help` lists them. Variables: JOBS, PYTHON, DESTDIR, PREFIX, NAME_SUFFIX, FUZZ_SECONDS,
# FUZZ_SEED, BENCH_SECONDS, BUNDLE_NCCL, NCCL_TESTS.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all
.PHONY: all tools trainers help deps deps-full deps-bench deps-bundle run test test-full debug asan tsan cpu-only fuzz \
  lint format size docs bench bench-quick bench-algo install uninstall package bundle gpu-bundle clean

JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
NAME_SUFFIX ?=
FUZZ_SECONDS ?= 60
BENCH_SECONDS ?=
RUN := build/run
BENCH_FLAGS = $(if $(BENCH_SECONDS),--seconds $(BENCH_SECONDS))
BENCH_bench = --plan full --page docs/results/host.md
BENCH_bench-quick = --plan quick
export PYTHON NAME_SUFFIX

# ThreadSanitizer needs its memory map where it expects it; containers may forbid setarch.
FIXED_MAP = $$(setarch -R true 2>/dev/null && echo setarch -R)

all: build/build.ninja ## release build in build/, programs in build/bin
	@cmake --build build -j $(JOBS)

tools: build/build.ninja ## the benchmarks and modules alone, without trainers and tests
	@cmake --build build -j $(JOBS) --target tools

trainers: build/build.ninja ## train_ddp, train_fsdp and train_3d
	@cmake --build build -j $(JOBS) --target trainers

help: ## this list
	@sed -n 's/^\([a-z -]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

deps: ## install what is missing (as root through apt), or print the command and stop
	@cmake/deps.sh

deps-full: ## the same, with what lint, fuzz and the Slurm tests need
	@cmake/deps.sh --full

deps-bench: ## the same, with the peers that make bench compares with: MPICH, Gloo, UCX
	@cmake/deps.sh --bench

build/build.ninja: | deps
	@cmake --preset release $(CMAKE_ARGS)

build-%/build.ninja: | deps
	@cmake --preset $* $(CMAKE_ARGS)

# With sanitizers clang takes half of g++'s time to compile, and ThreadSanitizer to run.
build-asan/build.ninja build-tsan/build.ninja: CMAKE_ARGS += -DCMAKE_CXX_COMPILER=$(or $(shell cmake/clang.sh),g++)

run: build/build.ninja ## measure all_reduce on 2 host ranks; table here, report in build/run
	@cmake --build build -j $(JOBS) --target host_tools
	@rm -rf $(RUN) && mkdir -p $(RUN)
	@build/bin/all_reduce_perf --backend host -b 8 -e 64M -f 2 -g 2 --jsonl $(RUN)/run.jsonl
	@build/bin/linerate report $(RUN)/run.jsonl -o $(RUN) --format html,png

test: all ## every test that fits 10 minutes on 2 cores
	@cmake/test.sh release build $(JOBS)

test-full: deps-full all ## every test there is
	@cmake/test.sh full build $(JOBS)

debug cpu-only: %: build-%/build.ninja ## build and test that preset in build-<preset>/
	@cmake --build --preset $@ -j $(JOBS)
	@cmake/test.sh $@ build-$@ $(JOBS)

bench-algo: tools ## every host algorithm by size and ranks, against the table in use (3 minutes)
	@build/bin/linerate tune host --check

asan tsan: %: build-%/build.ninja ## the tests that stay in one process, under sanitizers
	@cmake --build --preset $@ -j $(JOBS)
	@$(FIXED_MAP) cmake/test.sh $@ build-$@ $(JOBS)

docs: tools ## rewrite docs/cli.md and docs/doctor from their tables
	@build/bin/linerate docs cli > build/cli.md && mv build/cli.md docs/cli.md
	@build/bin/linerate docs doctor docs/doctor

fuzz: deps-full ## every reader of outside input, FUZZ_SECONDS each
	@cmake/fuzz.sh $(FUZZ_SECONDS)

lint: deps-full all ## format, clang-tidy, Python and architecture
	@cmake/lint.sh

format: ## rewrite the tracked sources in our format
	@git ls-files -z '*.cc' '*.h' '*.cu' | xargs -0 -r clang-format -i

# Configured anew, because peers may have been installed since.
bench bench-quick: deps-bench build/build.ninja ## the host backend beside its peers, to docs/results/host.md; one minute of it
	@cmake --preset release > build/bench-configure.log
	@cmake --build build -j $(JOBS) --target bench
	@$(PYTHON) benchmarks/bench.py -o build/$@ $(BENCH_FLAGS) $(BENCH_$@)

size: ## lines per folder, the largest files and functions
	@$(PYTHON) tests/architecture/size.py

install: tools trainers ## into $(DESTDIR)$(PREFIX); tools named with NAME_SUFFIX
	@cmake --install build --prefix $(PREFIX)
	@mv build/install_manifest.txt build/install_manifest_tools.txt
	@cmake --install build --prefix $(PREFIX) --component trainers

uninstall: ## what install has installed, of $(DESTDIR)
	@awk 1 build/install_manifest_*.txt | sed 's|^|$(DESTDIR)|' | xargs -r -d '\n' rm -f

package: tools trainers ## .deb, .rpm (where rpmbuild is) and .tgz, in build/packages
	@cd build && cpack -B packages -G "TGZ;DEB$(if $(shell command -v rpmbuild),;RPM)"

deps-bundle: ## the same, with what bundle needs
	@cmake/deps.sh --bundle

bundle: deps-bundle tools ## build/bundle: programs and their libraries, for hosts with nothing installed
	@cmake/bundle.sh build build/bundle

gpu-bundle: ## build/gpu: what tests/gpu/run.sh needs on a GPU machine; NCCL_TESTS: nccl-tests' sources
	@tests/gpu/prepare.sh $(NCCL_TESTS)

clean: ## remove everything that was built
	@rm -rf build build-debug build-asan build-tsan build-cpu-only build-fuzz
