// See selection.h.
#include "backends/host/selection.h"

#include "backends/host/algorithms/rows.h"

#include <algorithm>

namespace linerate::host {
namespace {

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
