// The built-in rules are rows that `linerate tune host` printed, corrected by hand where --check
// then found another algorithm faster.
#include "backends/host/selection.h"

#include "backends/host/algorithms/rows.h"

#include <algorithm>
#include <array>
#include <limits>

namespace linerate::host {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

const std::array kRules{
    Rule{OpKind::all_reduce, 2, 1024, &kEager},      Rule{OpKind::all_reduce, 2, kAny, &kFlat},
    Rule{OpKind::all_reduce, 3, 4096, &kEager},      Rule{OpKind::all_reduce, 3, kAny, &kFlat},
    Rule{OpKind::all_reduce, 4, 4096, &kEager},      Rule{OpKind::all_reduce, 4, kAny, &kFlat},
    Rule{OpKind::all_reduce, 8, 4096, &kEager},      Rule{OpKind::all_reduce, 8, kAny, &kFlat},
    Rule{OpKind::all_gather, 2, 2048, &kEager},      Rule{OpKind::all_gather, 2, kAny, &kFlat},
    Rule{OpKind::all_gather, 3, 16384, &kEager},     Rule{OpKind::all_gather, 3, kAny, &kFlat},
    Rule{OpKind::all_gather, 4, 16384, &kEager},     Rule{OpKind::all_gather, 4, kAny, &kFlat},
    Rule{OpKind::all_gather, 8, 65536, &kEager},     Rule{OpKind::all_gather, 8, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 2, 1024, &kEager},  Rule{OpKind::reduce_scatter, 2, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 3, 8192, &kEager},  Rule{OpKind::reduce_scatter, 3, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 4, 8192, &kEager},  Rule{OpKind::reduce_scatter, 4, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 8, 16384, &kEager}, Rule{OpKind::reduce_scatter, 8, kAny, &kFlat},
    Rule{OpKind::broadcast, 2, 4096, &kEager},       Rule{OpKind::broadcast, 2, 16384, &kPull},
    Rule{OpKind::broadcast, 2, kAny, &kFlat},        Rule{OpKind::broadcast, 3, 16384, &kEager},
    Rule{OpKind::broadcast, 3, 262144, &kPull},      Rule{OpKind::broadcast, 3, kAny, &kFlat},
    Rule{OpKind::broadcast, 4, 16384, &kEager},      Rule{OpKind::broadcast, 4, 262144, &kPull},
    Rule{OpKind::broadcast, 4, kAny, &kFlat},        Rule{OpKind::broadcast, 8, 16384, &kEager},
    Rule{OpKind::broadcast, 8, 2097152, &kPull},     Rule{OpKind::broadcast, 8, kAny, &kFlat},
    Rule{OpKind::reduce, 2, 4096, &kEager},          Rule{OpKind::reduce, 2, 8192, &kPull},
    Rule{OpKind::reduce, 2, kAny, &kFlat},           Rule{OpKind::reduce, 3, 16384, &kEager},
    Rule{OpKind::reduce, 3, 32768, &kPull},          Rule{OpKind::reduce, 3, kAny, &kFlat},
    Rule{OpKind::reduce, 4, 16384, &kEager},         Rule{OpKind::reduce, 4, kAny, &kFlat},
    Rule{OpKind::reduce, 8, 16384, &kEager},         Rule{OpKind::reduce, 8, 131072, &kPull},
    Rule{OpKind::reduce, 8, kAny, &kFlat},           Rule{OpKind::all_to_all, 2, 512, &kEager},
    Rule{OpKind::all_to_all, 2, kAny, &kFlat},       Rule{OpKind::all_to_all, 3, 8192, &kEager},
    Rule{OpKind::all_to_all, 3, kAny, &kFlat},       Rule{OpKind::all_to_all, 4, 8192, &kEager},
    Rule{OpKind::all_to_all, 4, kAny, &kFlat},       Rule{OpKind::all_to_all, 8, 8192, &kEager},
    Rule{OpKind::all_to_all, 8, kAny, &kFlat},       Rule{OpKind::gather, 2, 8192, &kEager},
    Rule{OpKind::gather, 2, kAny, &kFlat},           Rule{OpKind::gather, 3, 32768, &kEager},
    Rule{OpKind::gather, 3, kAny, &kFlat},           Rule{OpKind::gather, 4, 32768, &kEager},
    Rule{OpKind::gather, 4, kAny, &kFlat},           Rule{OpKind::gather, 8, 65536, &kEager},
    Rule{OpKind::gather, 8, kAny, &kFlat},           Rule{OpKind::scatter, 2, 8192, &kEager},
    Rule{OpKind::scatter, 2, kAny, &kFlat},          Rule{OpKind::scatter, 3, 16384, &kEager},
    Rule{OpKind::scatter, 3, kAny, &kFlat},          Rule{OpKind::scatter, 4, 16384, &kEager},
    Rule{OpKind::scatter, 4, kAny, &kFlat},          Rule{OpKind::scatter, 8, 16384, &kEager},
    Rule{OpKind::scatter, 8, kAny, &kFlat},
};

// The number of ranks whose rules are used for `nranks` ranks; 0: there are none of this kind.
int row_for(std::span<const Rule> rules, OpKind kind, int nranks) {
  int least_above = 0, largest = 0;
  for (const Rule& rule : rules) {
    if (rule.kind != kind) continue;
    largest = std::max(largest, rule.nranks);
    if (rule.nranks >= nranks && (least_above == 0 || rule.nranks < least_above))
      least_above = rule.nranks;
  }
  return least_above != 0 ? least_above : largest;
}

}  // namespace

std::span<const Rule> built_in_rules() { return kRules; }

std::string_view built_in_machine() {
  return "2 virtual cores of an Intel Xeon with AMX and an L3 of 480 MiB";
}

Selection::Selection(std::span<const Rule> rules, int nranks) {
  for (const Rule& rule : rules)
    if (rule.nranks == row_for(rules, rule.kind, nranks))
      limits_[static_cast<std::size_t>(rule.kind)].push_back({rule.max_bytes, rule.algorithm});
}

const Algorithm& Selection::choose(const Problem& problem) const {
  if (forced_ != nullptr && forced_->defined(problem)) return *forced_;
  const std::size_t bytes = payload_bytes(problem);
  for (const Limit& limit : limits_[static_cast<std::size_t>(problem.kind)])
    if (bytes <= limit.max_bytes && limit.algorithm->defined(problem)) return *limit.algorithm;
  return kFlat;
}

std::size_t payload_bytes(const Problem& problem) {
  const std::size_t block = problem.count * problem.element_bytes;
  const bool blocks = sends_blocks(problem.kind) || receives_blocks(problem.kind);
  return blocks ? block * static_cast<std::size_t>(problem.nranks) : block;
}

}  // namespace linerate::host
