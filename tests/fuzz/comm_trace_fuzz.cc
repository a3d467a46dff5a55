// Lines of --trace-comm: what is read may be planned, and of what is planned all can be told.
#include "replay/outcome.h"
#include "replay/plan.h"
#include "replay/trace.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::replay;
  auto trace = read_comm_trace({reinterpret_cast<const char*>(data), size});
  if (!trace) return 0;
  const auto nranks = trace->ranks.size();
  auto plan = plan_of(*std::move(trace));
  if (!plan) return 0;
  if (plan->ranks.size() != nranks) std::abort();
  const auto recorded = times_of(*plan, recorded_times(*plan));
  const Outcome outcome{.trace = "t", .recorded = recorded, .replays = {recorded}, .whole_us = {1}};
  if (text_of(*plan, outcome).empty() || json_lines_of(*plan, outcome).empty()) std::abort();
  for (const auto& split : splits_of(plan->groups, static_cast<int>(nranks)))
    if (split.size() != nranks) std::abort();
  return 0;
}
