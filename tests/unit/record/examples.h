// A run, a result and an end with every member set, for tests of what writes and reads them.
#pragma once

#include "record/record.h"

namespace linerate {

inline RunInfo example_run() {
  return {.run_id = "r1",
          .study = "s1",
          .repeat = 2,
          .start_time = "2024-05-01T10:00:00Z",
          .version = "0.1.0",
          .program = "all_reduce_perf",
          .args = {"all_reduce_perf", "-b", "8"},
          .environment = {"NCCL_DEBUG=INFO"},
          .backend = "host",
          .backend_version = "0.1.0",
          .transport = "shared memory",
          .tuning = "built in",
          .emulated = "racks.yaml, 4 nodes",
          .launcher = "threads",
          .nranks = 2,
          .nnodes = 1,
          .nprocs = 1,
          .nthreads = 1,
          .ngpus = 2,
          .ngroups = 1,
          .settings = {{"min_bytes", "8"}, {"op", "\"sum\""}},
          .ranks = {{.rank = 1,
                     .group = 0,
                     .pid = 42,
                     .hostname = "node07",
                     .node = 0,
                     .device = 1,
                     .bus_id = "0000:00:00",
                     .device_name = "host memory",
                     .affinity = "0-3"}},
          .timing = {.clock_cost_ns = 25,
                     .clock_resolution_ns = 1,
                     .barrier_cost_us = 0.5,
                     .barrier_least_us = 0.4,
                     .clock_error_us = 0.25},
          .init_us = 1500,
          .registered_ranks = 1,
          .build = {.commit = "84c4840f1b2a",
                    .compiler = "GNU 12.2.0",
                    .build_type = "Release",
                    .modules = {"mpi", "gloo"}},
          .host = {.kernel = "6.1.0",
                   .system = "Debian GNU/Linux 12",
                   .governor = "performance",
                   .huge_pages = "madvise",
                   .load = 0.5},
          .cpu_model = "CPU",
          .ncores = 2,
          .memory = {{.bytes = 65536,
                      .read_gbps = 40,
                      .write_gbps = 20,
                      .copy_gbps = 30,
                      .update_gbps = 35,
                      .noise = 1.25}},
          .network = {{.node = 1, .send_gbps = 12, .receive_gbps = 11, .round_trip_us = 25}}};
}

inline CopyInfo example_copy() {
  return {.engine = "ce",
          .row = "host",
          .column = "1",
          .streams = {{.from = "host", .to = "gpu1", .by = "gpu1", .copies = 4, .gbps = 55.5}}};
}

inline Expectation example_expectation() {
  return {.busbw_gbps = 1.5,
          .low_gbps = 0.25,
          .high_gbps = 1.75,
          .slack = 1.5,
          .ncclmodel_busbw_gbps = 2.5,
          .bound_by = "memory"};
}

inline SampleInfo example_samples() {
  return {.us = {.n = 20,
                 .min = 1,
                 .median = 2,
                 .mean = 2.5,
                 .p95 = 4,
                 .p99 = 5,
                 .max = 6,
                 .stdev = 0.5,
                 .cv = 0.2,
                 .ci95_low = 1.5,
                 .ci95_high = 2.25},
          .batch = 4,
          .arrival_skew_us = 0.5,
          .exit_skew_us = 0.75,
          .last_to_last_us = 1.75,
          .late_us = {0, 0.5},
          .wait_us = {0.5, 0},
          .transfer_us = {1.5, 1.25},
          .raw_us = {1, 2, 6},
          .skipped = 3};
}

inline Record example_record() {
  return {.run_id = "r1",
          .what = {.collective = "all_reduce",
                   .type = "float",
                   .redop = "sum",
                   .root = -1,
                   .placement = Placement::in_place,
                   .bytes = 1024,
                   .count = 256},
          .group = 1,
          .nranks = 2,
          .nnodes = 1,
          .backend = "host",
          .backend_version = "0.1.0",
          .transport = "shared memory",
          .call = {.algorithm = "ring", .protocol = "LL128", .channels = 24, .lost = true},
          .window = {.iters = 20,
                     .agg = 1,
                     .time_us = 2.5,
                     .slowest_us = 5,
                     .cpu_us = 1.25,
                     .fault_free_us = 2,
                     .core_wait_us = {0, 0.5}},
          .touched_bytes = 40960,
          .algbw_gbps = 0.5,
          .busbw_gbps = 0.75,
          .expected = example_expectation(),
          .samples = example_samples(),
          .beside = BesideInfo{.load = "gemm:512",
                               .blocks = 15,
                               .call = {10, 15, 1.5, 1.4, 1.625},
                               .unit = {.alone_us = 100, .beside_us = 120, .ratio = 1.25},
                               .products = ProductInfo{"bfloat16", 650, 520}},
          .wrong = 3,
          .where = WrongWhere{.rank = 1,
                              .first = {.index = 7,
                                        .expected = 1.5,
                                        .got = -2,
                                        .expected_bits = 0x3fc00000,
                                        .got_bits = 0xc0000000},
                              .count_per_rank = {{1, 3}}},
          .traffic_bytes = {{1024, 512}, {512, 1024}},
          .pair = std::pair{0, 1},
          .copy = example_copy(),
          .timestamp = "2024-05-01T10:00:01.000Z"};
}

inline EndInfo example_end() {
  return {.run_id = "r1",
          .end_time = "2024-05-01T10:00:09Z",
          .exit_code = 1,
          .failed_checks = 2,
          .average_busbw_gbps = 12.5,
          .error = "rank 1 (node07): lost.",
          .memory_bytes = {{"Initialization", 1024}, {"User-Allocated", 4096}},
          .network = {{.node = 1, .send_gbps = 6, .receive_gbps = 10, .round_trip_us = 30}},
          .verdict = "low",
          .slack = 1.25};
}

inline Finding example_finding() {
  return {.run_id = "r1",
          .rule = "slow_component",
          .severity = Severity::info,
          .subject = "rank 3",
          .evidence = "14 pairs of ranks reach 0.25 of what they should",
          .advice = "see what else runs on its core",
          .confidence = 0.9};
}

}  // namespace linerate
