// Memory and network are probed before and after a run: results lie between two answers.
#include "diagnose/diagnose.h"

#include <fmt/format.h>

namespace linerate {

std::vector<Finding> rules::unstable_machine(const Evidence& evidence) {
  constexpr double kUnstable = 1.2;
  const auto& [factor, what] = evidence.change;
  if (evidence.results.empty() || factor <= kUnstable) return {};
  return {{.severity = Severity::info,
           .subject = std::string(what),
           .evidence = fmt::format("changed by a factor of {:.1f} during the run", factor),
           .advice = "see what else runs here, and measure again"}};
}

}  // namespace linerate
