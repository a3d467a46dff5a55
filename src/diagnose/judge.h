// Follows a run: adds bounds to its results as they come, judges all of them at its end, and says
// what that means for the exit code.
#pragma once

#include "base/error.h"
#include "diagnose/diagnose.h"
#include "model/model.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linerate {

// What a run was found to be.
struct Judgement {
  std::string verdict{};  // see overall_verdict(); empty: no result has a bound
  double slack = 1;       // of all results, beside their own: EndInfo::slack
  std::vector<Finding> findings{};
  // Of the results with a bound, widened(): furthest below it, and so also with its slack.
  std::optional<Record> lowest{}, surely_lowest{};
};

// Used on rank 0, by one thread at a time.
class Judge {
 public:
  // Before the first result. `model` may be null, and so may `traffic`, that of all_to_all_v.
  void begin(const RunInfo& run, std::unique_ptr<const PerformanceModel> model,
             std::shared_ptr<const TrafficMatrix> traffic);

  // Sets Record::expected of one placement's groups, then of the row that holds all placements: a
  // row of several groups is as good as its worst group.
  void add_bounds(std::span<Record> groups);
  void add_bounds_to_row(std::span<Record> row);

  // The bytes of messages that would tell what is slow: of the largest result that is low. 0 where
  // none is, and where the network's probe has named a node already.
  std::size_t pair_bytes() const;

  // What was measured after the last result, as far as it was.
  struct After {
    std::span<const MemoryPoint> memory{};
    std::span<const NetworkPoint> network{};
    std::span<const PairTime> pairs{};
  };
  Judgement judgement(const After& after) const;

 private:
  std::optional<Expectation> bound_of(const Record& record) const;
  MachineChange change(const After& after) const;
  double busy_factor() const;

  RunInfo run_;
  std::unique_ptr<const PerformanceModel> model_;
  std::shared_ptr<const TrafficMatrix> traffic_;
  std::vector<Record> groups_;   // since the last row
  std::vector<Record> results_;  // rows with a bound, without their samples' values
};

// What the command line asks of the verdict.
struct Gate {
  std::optional<double> fail_below{};  // --fail-below
  bool fail_unsure = false;            // --fail-unsure
  bool lists_verdicts = false;         // --verdict
  bool expects = true;                 // false: --expect off
  bool pairs = false;                  // p2p_perf
};

struct GateResult {
  ExitCode code = ExitCode::ok;
  std::string sentence{};  // for stderr; empty: none
};

// `why_no_bound` is in words that follow a colon; empty where no bound was looked for.
GateResult pass_gate(const Gate& gate, const Judgement& judgement, const std::string& why_no_bound);

// Why ranks on host memory have no bound. REQUIRES: their backend knows no fault-free time, and
// they were not probed.
std::string why_no_bound(const RunInfo& run);

}  // namespace linerate
