// Results below the band by so little that what disturbed the run may explain it.
#include "diagnose/diagnose.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace linerate {

std::vector<Finding> rules::near_bound(const Evidence& evidence) {
  const Record* lowest = nullptr;
  std::size_t unsure = 0;
  for (const auto& record : evidence.results) {
    if (verdict_of(record) != Verdict::unsure) continue;
    ++unsure;
    if (lowest == nullptr || efficiency(record) < efficiency(*lowest)) lowest = &record;
  }
  if (lowest == nullptr) return {};
  return {{.severity = Severity::info,
           .subject = fmt::format("{} of {} results", unsure, evidence.results.size()),
           .evidence = reached_text(*lowest),
           .advice = "measure again on a quiet machine, with more iterations"}};
}

}  // namespace linerate
