// memcpy_perf's run: test by test, cell by cell.
//
//   copy_tests    the table of tests: one row for a kind of copy, by copy engine and by kernel
//   copy_plan     a test on the GPUs at hand: its cells, and the bytes that fit
//   copy_measure  one cell: rounds of copies on several streams
// What copies is a CopyBench (src/comm/copy_bench.h).
#pragma once

#include "bench/memcpy/copy_measure.h"
#include "record/record.h"

#include <functional>
#include <map>
#include <span>
#include <string>

namespace linerate {

// What is told while it runs.
struct MemcpyEvents {
  std::function<void(CopyStage)> stage{};       // begins, of the measurement under way
  std::function<void(const Record&)> result{};  // of each cell, as soon as it is there
  // GB/s of all cells of a test, when it ended or, with one at least, failed. A cell that is absent
  // was not measured.
  std::function<void(const CopyPlan&, const std::map<CopyCell, double>&)> matrix{};
  std::function<void(const std::string&)> warn{};  // what is odd about a test: sentences
  std::function<bool()> interrupted{};             // asked before each sample
};

struct MemcpyTotals {
  std::uint64_t failed_checks = 0;
  bool interrupted = false;
};

// `common` is what all records share. A record's case is named "memcpy_" and the test; its time is
// that of one round of copies; algbw_gbps counts the bytes copied, over all streams of the cell and
// the whole interval; busbw_gbps, which stands in the matrix, is the same, but within one memory
// twice that, because each byte is read and written. Throws what the bench does: an Error says in
// which test, and between which ends.
MemcpyTotals run_memcpy(CopyBench& bench, std::span<const CopyPlan> plans, const CopyRepeat& repeat,
                        const Record& common, const MemcpyEvents& events);

}  // namespace linerate
