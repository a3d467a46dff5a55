// The help texts; see help.h.
#include "cli/help.h"

#include "cli/exit_codes.h"
#include "cli/option_table.h"

#include <fmt/format.h>

#include <iterator>

namespace linerate {
namespace {

// Where the explanations begin.
constexpr std::size_t kOptionColumn = 34;
constexpr std::size_t kVariableColumn = 36;
constexpr std::size_t kToolColumn = 26;

std::string left_side(const OptionRow& row) {
  const auto shorts =
      row.short_name == 0 ? std::string("   ") : fmt::format("-{},", row.short_name);
  return fmt::format("  {} --{}{}{}", shorts, row.long_name, row.is_flag() ? "" : " ", row.metavar);
}

std::string option_line(const OptionRow& row) {
  const auto suffix =
      row.default_text.empty() ? std::string() : fmt::format(" [{}]", row.default_text);
  return fmt::format("{:<{}}{}{}\n", left_side(row), kOptionColumn, row.help, suffix);
}

std::string group_text(const OptionGroup& group, Audience audience) {
  std::string lines;
  for (const auto& row : group.rows)
    if (has_option(audience, row)) lines += option_line(row);
  return lines.empty() ? lines : fmt::format("\n{}\n{}", group.title, lines);
}

std::string variables_text() {
  std::string text = "\nVariables\n";
  for (const auto& row : variables())
    text += fmt::format("  {:<{}}{}\n", row.name, kVariableColumn - 2, row.help);
  return text;
}

std::string exit_codes_text() {
  std::string text = "\nExit codes\n";
  for (const auto& row : kExitCodes)
    text += fmt::format("  {:<5}{}\n", static_cast<int>(row.code), row.meaning);
  return text;
}

std::string examples(const Invocation& call) {
  if (call.audience() == Audience::p2p)
    return fmt::format(
        "example: {0} -b 8 -e 64M -g 4\n"
        "         mpirun -np 8 {0} --at-once\n",
        call.program);
  return fmt::format(
      "example: {0} -b 8 -e 128M -f 2 -g 2\n"
      "         mpirun -np 2 {0} -b 8 -e 64M -f 2\n",
      call.program);
}

}  // namespace

std::string tool_help(const Invocation& call) {
  const auto summary = call.collective == nullptr ? kPairsSummary : call.collective->summary;
  auto text = fmt::format(
      "usage:   {} [options]\n{}\n{}.\n"
      "Sizes take K, M, G or T (powers of 1024); defaults stand in brackets.\n",
      call.program, examples(call), summary);
  for (const auto& group : option_groups()) text += group_text(group, call.audience());
  if (call.audience() == Audience::collectives) text += variables_text();
  return text + exit_codes_text();
}

std::string suite_help() {
  auto text = fmt::format(
      "usage:   {0} COMMAND [arguments]\n"
      "example: {0} perf all_reduce -b 8 -e 128M -f 2 -g 2\n"
      "         {0} report run.jsonl -o report\n"
      "\nCommands\n",
      kSuite);
  for (const auto& row : commands())
    text += fmt::format("  {:<{}}{}\n", fmt::format("{} {}", row.name, row.arguments),
                        kToolColumn - 2, row.summary);
  text += "\nTools (also programs of their own)\n";
  for (const auto* row : all_collectives())
    text += fmt::format("  {:<{}}{}\n", row->name, kToolColumn - 2, row->summary);
  text += fmt::format("  {:<{}}{}\n", "p2p", kToolColumn - 2, kPairsSummary);
  text += fmt::format("\n{0} perf TOOL -h lists a tool's options; {0} --version, the version.\n",
                      kSuite);
  return text;
}

}  // namespace linerate
