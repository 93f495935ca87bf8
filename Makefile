# The front door. `make` alone says what there is.
#
#   BUILD=folder   where build trees go (default: build)
#   JOBS=n         parallel compile jobs and tests (default: the number of cores)
#   MPIS="..."     which MPIs (default: openmpi mpich)
#   QUICK=1        for bench-collective and bench-independent: fewer and smaller launches
#   CLUSTER_FLAGS= for `make cluster`: options of cluster/up, such as "--hosts 2 --rate none"
#   BENCH_FLAGS=   more options for `longshore bench`, such as --resume or "--dir /scratch"
BUILD ?= build
JOBS ?= $(shell nproc)
MPIS ?= openmpi mpich

ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR = Ninja
endif

.DEFAULT_GOAL := help
.PHONY: help setup setup-test build demo test test-slow cluster cluster-down cluster-test \
  bench-cluster bench-collective bench-independent bench-pipelines \
  bench-write-behind bench-prefetch bench-overhead bench-pack lint format clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install the Debian packages that are missing (as root or by sudo), else name them
	@scripts/setup.sh

# What tests run, besides what they are built with. After setup: two apt-gets lock each other out.
setup-test: setup
	@scripts/setup.sh test

build: setup  ## build/<mpi>/lib/liblongshore.so and build/<mpi>/bin/longshore for both MPIs
	@scripts/build.sh $(BUILD) $(JOBS) $(MPIS)

demo: setup  ## a checkpoint on stock MPI-IO and on Longshore: same bytes? how fast?
	@TARGETS="longshore longshore_command bench_checkpoint" scripts/build.sh $(BUILD) $(JOBS) \
	  openmpi mpich
	@scripts/demo.py --build $(BUILD)

# With sanitizers only the random test runs, and only what it needs is built; with that for threads
# also the small independent pieces, the parts where threads meet, and races that it must tell.
SANITIZED := $(addprefix asan-,$(MPIS))
THREADED := $(addprefix tsan-,$(MPIS))
test: setup-test build  ## every suite but the slow set, on both MPIs; the last line counts
	@TARGETS="longshore random_test_program" scripts/build.sh $(BUILD) $(JOBS) $(SANITIZED)
	@TARGETS="longshore random_test_program independent_mixed_program planted_race_program \
	  unit_threads" scripts/build.sh $(BUILD) $(JOBS) $(THREADED)
	@scripts/test.py --build $(BUILD) --jobs $(JOBS) --exclude-label slow $(MPIS) \
	  $(SANITIZED:%=%:random) $(THREADED:%=%:threads)

test-slow: setup-test build  ## the slow set: the longer programs of others, HDF5's and PnetCDF's own tests
	@scripts/test.py --build $(BUILD) --jobs $(JOBS) --label slow $(MPIS)

cluster: setup  ## the testbed: hosts in namespaces, a real Ceph, CephFS on each (docs/cluster.md)
	@scripts/setup.sh cluster
	@cluster/up $(CLUSTER_FLAGS)

cluster-down:  ## ends the testbed; nothing is left behind
	@cluster/down

CLUSTER_TEST_TARGETS := longshore mpi_gtest random_test_program combinations_program \
  independent_mixed_program hdf5_client_program cluster_test_programs cephfs_coherence_program \
  longshore_command
cluster-test: setup-test  ## the suites over 2 and 4 hosts on CephFS, in a testbed of their own
	@scripts/setup.sh cluster
	@TARGETS="$(CLUSTER_TEST_TARGETS)" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@if [ -n "$(filter openmpi,$(MPIS))" ]; then \
	  TARGETS=pnetcdf_client_program scripts/build.sh $(BUILD) $(JOBS) openmpi; fi
	@tests/cluster/run.py --build $(BUILD) $(MPIS:%=--mpi %) $(CLUSTER_TEST_FLAGS)

bench-collective: setup  ## collective patterns: stock, Longshore and the limit; QUICK=1 in brief
	@scripts/setup.sh bench
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench --set collective $(if $(QUICK),--quick) \
	  --json $(BUILD)/bench-collective.json --plot $(BUILD)/bench-collective.svg $(BENCH_FLAGS)

bench-independent: setup  ## independent patterns: stock, Longshore and the limit; QUICK=1 in brief
	@scripts/setup.sh bench
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench --set independent $(if $(QUICK),--quick) \
	  --json $(BUILD)/bench-independent.json --plot $(BUILD)/bench-independent.svg $(BENCH_FLAGS)

# BENCH_FLAGS="--only ylib" makes one of the sweeps alone.
bench-cluster: setup  ## over the testbed: the papers' experiments in small; QUICK=1 in brief
	@scripts/setup.sh cluster
	@scripts/setup.sh bench
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@cluster/up $(CLUSTER_FLAGS)
	@trap cluster/down EXIT; trap 'exit 1' INT TERM; \
	  scripts/bench_cluster.py --build $(BUILD) $(MPIS:%=--mpi %) $(if $(QUICK),--quick) $(BENCH_FLAGS)

bench-pipelines: setup  ## which pipeline and which exchange is the fastest, how often
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench tile_256 flash random_1k -n 2 \
	  --compare longshore --repetitions 3 --scale 0.25 --timeout 20 \
	  --sweep longshore_pipeline=none,comm,write,write_comm,write_comm_2 \
	  --sweep longshore_exchange=shm,two_sided,rma_fence,rma_lock \
	  --hint romio_cb_write=enable --hint romio_cb_read=enable \
	  --json $(BUILD)/bench-pipelines.json $(BENCH_FLAGS)

bench-write-behind: setup  ## which write-behind is the fastest, how often
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench btio_w_rows btio_a_rows btio_b_rows \
	  round_robin_4k_rows random_1k_rows records_64 strided_view shipping_4k -n 4 \
	  --compare longshore --repetitions 3 --scale 0.25 --timeout 20 \
	  --sweep longshore_write_behind=two_stage,one_stage,off \
	  --json $(BUILD)/bench-write-behind.json $(BENCH_FLAGS)

# On a disk: a file in memory is never cold.
bench-prefetch: setup  ## scattered reads of cold files: how many ranges to announce ahead
	@TARGETS="longshore longshore_command bench_workloads" scripts/build.sh $(BUILD) $(JOBS) $(MPIS)
	@$(BUILD)/$(firstword $(MPIS))/bin/longshore bench access_ranges_once -n 1,4 \
	  --cold --dir $(BUILD) --compare longshore --repetitions 7 \
	  --sweep longshore_prefetch=0,1,2,4,8 \
	  --json $(BUILD)/bench-prefetch.json $(BENCH_FLAGS)

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
