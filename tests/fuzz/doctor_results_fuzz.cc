// Text of any program: runs or a sentence, and what is wrong with them.
#include "compare/import.h"
#include "diagnose/results/results.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)failure_line(text);
  auto file = read_runs("text", text);
  if (!file) return 0;
  const auto runs = results::runs_of("text", *std::move(file));
  std::vector<Finding> findings;
  for (const auto& run : runs)
    for (auto& finding : results::examine(run)) findings.push_back(std::move(finding));
  (void)results::report_text(runs, findings);
  (void)results::report_json(runs, findings);
  return 0;
}
