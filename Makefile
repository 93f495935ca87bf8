# The front door. `make` alone says what there is.
#
#   BUILD=folder   where build trees go (default: build)
#   JOBS=n         parallel compile jobs and tests (default: the number of cores)
#   MPIS="..."     which MPIs (default: openmpi mpich)
#   QUICK=1        for bench-collective: fewer and smaller launches
#   BENCH_FLAGS=   more options for `longshore bench`, such as --resume or "--dir /scratch"
BUILD ?= build
JOBS ?= $(shell nproc)
MPIS ?= openmpi mpich

ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR = Ninja
endif

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-slow bench-collective bench-pipelines bench-overhead \
  bench-pack lint format clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install the Debian packages that are missing (as root or by sudo), else name them
	@scripts/setup.sh

build: setup  ## build/<mpi>/lib/liblongshore.so and build/<mpi>/bin/longshore for both MPIs
	@scripts/build.sh $(BUILD) $(JOBS) $(MPIS)

demo: setup  ## a checkpoint on stock MPI-IO and on Longshore: same bytes? how fast?
	@TARGETS="longshore longshore_command bench_checkpoint" scripts/build.sh $(BUILD) $(JOBS) \
	  openmpi mpich
	@scripts/demo.py --build $(BUILD)

# With sanitizers only the random test runs, and only what it needs is built.
SANITIZED := $(addprefix asan-,$(MPIS))
test: build  ## every suite but the slow set, on both MPIs; the last line counts
	@TARGETS="longshore random_test_program" scripts/build.sh $(BUILD) $(JOBS) $(SANITIZED)
	@scripts/test.py --build $(BUILD) --jobs $(JOBS) --exclude-label slow $(MPIS) \
	  $(SANITIZED:%=%:random)

test-slow: build  ## the slow set: the longer programs of others, HDF5's and PnetCDF's own tests
	@scripts/test.py --build $(BUILD) --jobs $(JOBS) --label slow $(MPIS)

bench-collective: setup  ## collective patterns: stock, Longshore and the limit; QUICK=1 in brief
	@scripts/setup.sh bench
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench --set collective $(if $(QUICK),--quick) \
	  --json $(BUILD)/bench-collective.json --plot $(BUILD)/bench-collective.svg $(BENCH_FLAGS)

bench-pipelines: setup  ## which pipeline and which exchange is the fastest, how often
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench tile_256 flash random_1k -n 2 \
	  --compare longshore --repetitions 3 --scale 0.25 --timeout 20 \
	  --sweep longshore_pipeline=none,comm,write,write_comm,write_comm_2 \
	  --sweep longshore_exchange=shm,two_sided,rma_fence,rma_lock \
	  --hint romio_cb_write=enable --hint romio_cb_read=enable \
	  --json $(BUILD)/bench-pipelines.json $(BENCH_FLAGS)

bench-overhead: build  ## what the library costs where there is nothing to gain; the long form
	@LONGSHORE_OVERHEAD_PAIRS=25 scripts/test.py --build $(BUILD) --jobs 1 --label overhead \
	  --verbose $(MPIS)

bench-pack: setup  ## packing and unpacking beside memcpy, in and out of the cache
	@TARGETS=bench_pack scripts/build.sh $(BUILD) $(JOBS) openmpi
	@for kib in 256 8192; do echo "$$kib KiB"; $(BUILD)/openmpi/bin/pack_bench $$kib; done

lint: build  ## clang-tidy over src/ and tools/
	@scripts/setup.sh lint
	@scripts/lint.sh $(BUILD)

format:  ## clang-format everything in place
	@scripts/check_format.sh --fix

clean:  ## remove the build trees
	rm -rf $(BUILD)
