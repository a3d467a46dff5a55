// Rules of the tuner plugin: any file may be named to a job's processes.
#include "backends/nccl/tuner_rules/rules.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::nccl::tuner;
  const auto read = read_rules({reinterpret_cast<const char*>(data), size});
  if (!read.problem.empty()) return read.rules.empty() ? 0 : (std::abort(), 0);
  std::string again(kHeading);
  for (const auto& rule : read.rules) again += '\n' + rule_text(rule);
  const auto same = read_rules(again);
  if (!same.problem.empty() || same.rules.size() != read.rules.size()) std::abort();
  (void)find_rule(read.rules, {.collective = 4, .bytes = size, .nodes = 1, .ranks = 8});
  return 0;
}
