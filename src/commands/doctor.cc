// A new WHAT is a row here, a function in doctor.h, and a row of commands() in cli/tools.cc.
#include "commands/doctor.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

struct Examination {
  std::string_view what;
  ExitCode (*run)(const CommandInput&);
};
constexpr auto kExaminations = std::to_array<Examination>({
    {"env", doctor_env},
    {"hang", doctor_hang},
    {"log", doctor_log},
    {"prove", doctor_prove},
    {"results", doctor_results},
    {"snapshot", doctor_snapshot},
});

}  // namespace

ExitCode doctor_command(const CommandInput& input) {
  std::vector<std::string_view> known;
  for (const auto& row : kExaminations) known.push_back(row.what);
  if (input.call.words.empty() || input.call.words.front().starts_with('-'))
    return doctor_node(input);
  const auto& what = input.call.words.front();
  const auto row = std::ranges::find(kExaminations, what, &Examination::what);
  if (row == kExaminations.end()) return refuse(unknown_choice("thing to examine", what, known));
  auto call = input.call;
  call.words.erase(call.words.begin());
  return row->run({call, input.environment, input.interrupted, input.answer_interrupts});
}

}  // namespace linerate
