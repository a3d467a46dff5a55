// The measured table of selection.h: how it is derived, kept in a file and found again.
#pragma once

#include "backends/host/selection.h"
#include "base/environment.h"
#include "base/result.h"
#include "topo/machine.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::host {

// The median time of one algorithm at one size, and its 95 % interval.
struct Timing {
  OpKind kind{};
  int nranks = 0;
  std::size_t bytes = 0;
  std::string algorithm{};
  double us = 0;
  double low_us = 0, high_us = 0;
};

// For each kind and number of ranks the fewest rules that stay within `tolerance` (0.03: 3 %) of
// the fastest algorithm at every size measured, as far as the intervals tell. A rule that held for
// the size below is kept as long as it may; the last one holds for all larger sizes.
std::vector<Rule> rules_from(std::span<const Timing> timings, double tolerance);

// `fresh`, rules from `timings`, for the kinds, numbers of ranks and sizes of these, from the
// smallest to the largest; `before` elsewhere.
std::vector<Rule> merged(std::span<const Rule> before, std::span<const Rule> fresh,
                         std::span<const Timing> timings);

struct TuningTable {
  std::string machine{};   // machine_text() of where it was measured
  std::string measured{};  // ISO 8601, UTC; empty for the built-in one
  std::vector<Rule> rules{};

  // Those that hold where ranks are `oversubscribed`, more than cores, or are not. The built-in
  // ones for more than two ranks were measured on two cores: with cores of their own, ranks are
  // closer to those of two.
  std::vector<Rule> rules_for(bool oversubscribed) const;
};

// Machines with equal texts are alike for the engine: "Intel(R) Xeon(R) Processor, 2 cores, 2
// threads, 480 MiB of L3".
std::string machine_text(const Machine& machine);

// As JSON, one rule a line.
std::string tuning_text(const TuningTable& table);
// Any text may come. Refuses what is not such a table, in one sentence that names `origin`.
Result<TuningTable> parse_tuning(std::string_view text, std::string_view origin);

// Where this machine's table is kept: XDG_CACHE_HOME, or ~/.cache, then linerate/. Nothing where
// neither variable is set.
std::optional<std::filesystem::path> tuning_path(const Environment& environment,
                                                 const Machine& machine);

// The table in that file when it was measured on such a machine, else the built-in one. Where the
// file is there but cannot be used, `complaint` says why.
TuningTable find_tuning(const Environment& environment, const Machine& machine,
                        std::string& complaint);

}  // namespace linerate::host
