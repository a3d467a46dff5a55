// Results that are faster than is possible.
#include "diagnose/diagnose.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <cstddef>

namespace linerate {

std::vector<Finding> rules::above_bound(const Evidence& evidence) {
  std::size_t above = 0;
  const Record* highest = nullptr;
  for (const auto& record : evidence.results) {
    if (verdict_of(record) != Verdict::above) continue;
    ++above;
    if (highest == nullptr || efficiency(record) > efficiency(*highest)) highest = &record;
  }
  if (above == 0) return {};
  return {{.subject = fmt::format("{} of {} results", above, evidence.results.size()),
           .evidence = reached_text(*highest),
           .advice = "the bound or the measurement is wrong: please report it"}};
}

}  // namespace linerate
