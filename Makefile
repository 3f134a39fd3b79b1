# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
#
# make [build]   the library, the tool build/release/bin/conccl, the tests
# make c3        the overlap study (ARGS="..." go to the tool)
# make bench     sizes and bandwidths of one collective, in the manner of nccl-tests (ARGS="...")
# make test      every test that needs no GPU
# make test-gpu  the tests that need one
# make check     format, clang-tidy, layers, sizes, licence headers, exported symbols
# make package   Debian packages in build/packages
# make fuzz      the fuzz targets, a minute each (ARGS="SECONDS [TARGET...]")
# make format    rewrite the sources with clang-format
# make clean     remove build/
#
# Missing Debian packages are named, then installed if root runs this (tools/dependencies).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.PHONY: build c3 bench test test-gpu check fuzz package format clean dependencies configure

PRESET := release
PACKAGES := build
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
TOOL := tools/run-env $(BUILD)/bin/conccl
BENCH_ARGS := all_gather -b 1K -e 64M -f 2
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

dependencies:
	@tools/dependencies $(PACKAGES)

configure: dependencies
	@launcher=$$(command -v ccache || true); \
	cmake --preset $(PRESET) $${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$$launcher}

build: configure
	@cmake --build $(BUILD) --parallel $(JOBS)

# Without a GPU the emulation's figures say nothing about GPUs, so a machine's model follows.
c3: build
	@$(TOOL) c3 $(ARGS)
	@[[ -n "$(ARGS)" ]] || $(TOOL) machine --backend cuda >/dev/null 2>&1 || \
	  $(TOOL) machine --backend hsa >/dev/null 2>&1 || { echo; $(TOOL) c3 --machine mi300x; }

bench: build
	@$(TOOL) bench $(or $(ARGS),$(BENCH_ARGS))

test: PACKAGES := test
test: build
	@tools/run-env ctest --preset $(PRESET) $(ARGS)

test-gpu: build
	@count=$$(ctest --test-dir $(BUILD) -N -L '^gpu$$' | sed -n 's/^Total Tests: //p'); \
	if [[ "$$count" == 0 ]]; then \
	  echo "test-gpu: this build has no GPU backend, so there is nothing to test" >&2; exit 3; \
	fi; \
	CONCCL_NEED_GPU=1 tools/run-env ctest --test-dir $(BUILD) --output-on-failure --no-tests=error \
	  -L '^gpu$$' $(ARGS)

# Every check runs, so that one run names everything; tidy needs the compile commands.
check:
	@tools/dependencies check
	@$(MAKE) --no-print-directory configure
	@failed=; \
	for step in "tools/format check" tools/layers.py tools/sizes.py tools/spdx.py \
	    "python3 -m unittest discover --quiet --start-directory tests/tools" \
	    tools/headers "tools/abi $(BUILD)" "tools/tidy $(BUILD)"; do \
	  $$step || failed+=" [$$step]"; \
	done; \
	[[ -z "$$failed" ]] || { echo "check: failed:$$failed" >&2; exit 1; }; \
	echo "check: all passed"

package: build
	@cpack --config $(BUILD)/CPackConfig.cmake -B build/packages
	@ls -l build/packages/*.deb

fuzz:
	@tools/dependencies sanitize
	@tools/fuzz $(ARGS)

format:
	@tools/dependencies check
	@tools/format fix

clean:
	@rm -rf build
