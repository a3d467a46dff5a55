// Every text is usage, what it is for, lines of two columns (names, and words that are wrapped
// behind them), and exit codes.
#include "cli/help.h"

#include "base/error.h"
#include "base/text.h"
#include "cli/command_lines.h"
#include "cli/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace linerate {
namespace {

// Where the explanations begin: at least two blanks behind the widest name.
constexpr std::size_t kOptionColumn = 35;
constexpr std::size_t kVariableColumn = 38;
constexpr std::size_t kToolColumn = 34;
constexpr std::size_t kCodeColumn = 7;
constexpr std::size_t kWidest = 100;

// `left`, and behind it, or below it where it is too long, the words of `text` from `column` on, in
// as many lines as they need.
std::string in_column(std::string_view left, std::size_t column, std::string_view text) {
  const bool fits = left.empty() || columns_of(left) + 2 <= column;
  auto lines =
      fits ? fmt::format("{:<{}}", left, column) : fmt::format("{}\n{:{}}", left, "", column);
  std::size_t used = column;
  for (const auto& word : split(text, ' ')) {
    if (used > column && used + 1 + word.size() > kWidest) {
      lines += fmt::format("\n{:{}}", "", column);
      used = column;
    }
    const std::string_view blank = used == column ? "" : " ";
    lines.append(blank).append(word);
    used += blank.size() + word.size();
  }
  return lines + "\n";
}

std::string left_side(const OptionRow& row) {
  const auto shorts =
      row.short_name == 0 ? std::string("   ") : fmt::format("-{},", row.short_name);
  return fmt::format("  {} --{}{}{}", shorts, row.long_name, row.is_flag() ? "" : " ", row.metavar);
}

std::string option_line(const OptionRow& row) {
  auto suffix = row.default_text.empty() ? std::string() : fmt::format(" [{}]", row.default_text);
  if (row.required) suffix += " (required)";
  return in_column(left_side(row), kOptionColumn, std::string(row.help) + suffix);
}

std::string options_text(Audience program) {
  std::string text;
  for (const auto& group : option_groups(program)) {
    std::string lines;
    for (const auto& row : group.rows)
      if (has_option(program, row)) lines += option_line(row);
    if (!lines.empty()) text += fmt::format("\n{}\n{}", group.title, lines);
  }
  return text;
}

// Of what has no options of its own.
std::string help_option_text() {
  return "\nHelp\n" + in_column("  -h, --help", kOptionColumn, "print this text");
}

std::string variables_text() {
  std::string text = "\nVariables\n";
  for (const auto& row : variables())
    text += in_column(fmt::format("  {}", row.name), kVariableColumn, row.help);
  return text;
}

std::string tools_text() {
  std::string text = "\nTools (also programs of their own)\n";
  for (const auto& tool : tools())
    text += in_column(fmt::format("  {}", tool.name), kToolColumn, tool.summary);
  return text;
}

// The commands of two words that begin with this one.
std::string parts_text(const CommandRow& command) {
  std::string text;
  for (const auto& row : commands())
    if (row.name.starts_with(std::string(command.name) + ' '))
      text += in_column(fmt::format("  {}", row.name.substr(command.name.size() + 1)), kToolColumn,
                        row.summary);
  const auto* title = command.arguments.starts_with("[WHAT]") ? "WHAT" : "Commands";
  return text.empty() ? text : fmt::format("\n{}\n{}", title, text);
}

std::string examples(const Invocation& call) {
  if (call.audience() == Audience::memcpy)
    return fmt::format(
        "example: {0} -t h2d,d2h\n"
        "         {0} --jsonl copies.jsonl\n",
        call.program);
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

std::string exit_codes_text() {
  std::string text = "\nExit codes\n";
  for (const auto& row : kExitCodes)
    text += in_column(fmt::format("  {}", static_cast<int>(row.code)), kCodeColumn, row.meaning);
  return text;
}

std::string sentence(std::string_view phrase) {
  std::string text(phrase);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

std::string tool_help(const Invocation& call) {
  if (call.audience() == Audience::suite) return command_help(*find_command(Audience::suite));
  const auto tool = std::ranges::find_if(tools(), [&](const ToolRow& row) {
    return row.collective == nullptr && row.command == call.command;
  });
  const auto summary = call.collective == nullptr ? tool->summary : call.collective->summary;
  auto text = fmt::format(
      "usage:   {} [options]\n{}\n{}\n"
      "Sizes take K, M, G or T (powers of 1024); defaults stand in brackets.\n",
      call.program, examples(call), sentence(summary));
  text += options_text(call.audience());
  if (call.audience() == Audience::collectives) text += variables_text();
  return text + exit_codes_text();
}

std::string linerate_help() {
  auto text = fmt::format(
      "usage:   {0} COMMAND [arguments]\n"
      "example: {0} perf all_reduce -b 8 -e 128M -f 2 -g 2\n"
      "         {0} report run.jsonl -o report\n"
      "\nCommands\n",
      kLinerate);
  for (const auto& row : commands())
    text += in_column(fmt::format("  {} {}", row.name, row.arguments), kToolColumn, row.summary);
  text += tools_text();
  text += fmt::format("\n{0} help COMMAND|TOOL explains one of them.\n", kLinerate);
  return text;
}

std::string command_help(const CommandRow& row) {
  const auto blank = row.arguments.empty() ? "" : " ";
  auto text = fmt::format("usage:   {} {}{}{}\n\n", kLinerate, row.name, blank, row.arguments);
  text += in_column("", 0, row.about.empty() ? sentence(row.summary) : std::string(row.about));
  if (row.command == Command::perf) text += tools_text();
  text += parts_text(row) + (row.options ? options_text(*row.options) : help_option_text());
  if (row.options == Audience::suite) text += variables_text();
  return text + exit_codes_text();
}

std::string program_help(std::string_view program, Audience options) {
  auto text = fmt::format(
      "usage:   {0} [options]\n"
      "example: {0} --model micro -t 2 --steps 20\n"
      "         mpirun -np 2 {0} --model d12\n\n",
      program);
  for (const auto& line : command_lines())
    if (line.spellings.front() == program) text += in_column("", 0, sentence(line.summary));
  return text + options_text(options) + exit_codes_text();
}

std::string help_text(const Invocation& call) {
  const auto* row = call.words.empty() ? nullptr : find_command(call.words.front());
  return row == nullptr ? linerate_help() : command_help(*row);
}

}  // namespace linerate
