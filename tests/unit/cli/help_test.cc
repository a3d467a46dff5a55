// The help texts fit a terminal and name everything; docs/cli.md is what the tables say.
#include "cli/help.h"

#include "base/text.h"
#include "cli/option.h"
#include "unit/cli/command_line.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kWidest = 100;

void expect_fits(const std::string& text) {
  for (const auto& line : split(text, '\n')) EXPECT_LE(columns_of(line), kWidest) << line;
}

// Whether the tool has an option of this name, be it this row or another.
bool is_in(Audience tool, const OptionRow& row) {
  return find_option(tool, row.long_name) != nullptr;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> split_at_blank_lines(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const auto& line : split(text, '\n'))
    if (line.empty())
      parts.emplace_back();
    else
      parts.back() += line + '\n';
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

TEST(ToolHelp, BeginsWithUsageAndTwoExamples) {
  EXPECT_THAT(tool_help(tool_call(kTestReduce, {})),
              StartsWith("usage:   all_reduce_perf [options]\n"
                         "example: all_reduce_perf -b 8 -e 128M -f 2 -g 2\n"
                         "         mpirun -np 2 all_reduce_perf -b 8 -e 64M -f 2\n"));
}

TEST(ToolHelp, FitsHundredColumns) {
  expect_fits(tool_help(tool_call(kTestReduce, {})));
  expect_fits(tool_help(p2p_call({})));
  expect_fits(linerate_help());
  for (const auto& row : commands()) expect_fits(command_help(row));
  expect_fits(
      tool_help({.command = Command::memcpy, .program = "memcpy_perf", .args = {}, .words = {}}));
}

TEST(ToolHelp, NamesEveryOptionOfItsToolAndNoOther) {
  const auto collective = tool_help(tool_call(kTestReduce, {}));
  const auto pairs = tool_help(p2p_call({}));

  for (const auto& group : option_groups(Audience::both))
    for (const auto& row : group.rows) {
      const auto line = "--" + std::string(row.long_name) + " " + std::string(row.metavar);
      EXPECT_EQ(collective.find(line) != std::string::npos, is_in(Audience::collectives, row))
          << line;
      EXPECT_EQ(pairs.find(line) != std::string::npos, is_in(Audience::p2p, row)) << line;
    }
  EXPECT_THAT(collective, Not(HasSubstr("--at-once")));
  EXPECT_THAT(pairs, Not(HasSubstr("--stepfactor")));
}

TEST(ToolHelp, NamesEveryVariable) {
  const auto text = tool_help(tool_call(kTestReduce, {}));

  for (const auto& row : variables()) EXPECT_THAT(text, HasSubstr(std::string(row.name)));
}

// The texts of the tables begin behind at least two blanks, whatever the width of a name.
TEST(ToolHelp, LeavesBlanksBetweenANameAndItsText) {
  const auto text = tool_help(tool_call(kTestReduce, {})) + tool_help(p2p_call({})) +
                    linerate_help() + command_help(*find_command(Audience::suite));

  for (const auto& group : option_groups(Audience::both))
    for (const auto& row : group.rows)
      EXPECT_THAT(text, HasSubstr("  " + std::string(row.help.substr(0, row.help.find(' ')))));
  for (const auto& row : variables())
    EXPECT_THAT(text, HasSubstr("  " + std::string(row.name) + "  "));
  for (const auto& row : commands())
    EXPECT_THAT(text, HasSubstr(fmt::format("{} {}  ", row.name, row.arguments)));
}

TEST(ToolHelp, ListsTypesAndOperators) {
  const auto text = tool_help(tool_call(kTestReduce, {}));

  for (const auto& row : kDataTypes) EXPECT_THAT(text, HasSubstr(std::string(row.name)));
  EXPECT_THAT(text, HasSubstr("sum, prod, max, min, avg, mulsum or all"));
}

TEST(CommandHelp, HasUsageForEveryCommand) {
  for (const auto& row : commands())
    EXPECT_THAT(command_help(row), StartsWith("usage:   linerate " + std::string(row.name)));
}

TEST(CommandHelp, NamesEveryOptionOfASubCommand) {
  for (const auto audience : {Audience::topo, Audience::place, Audience::tune, Audience::doctor_env,
                              Audience::doctor_hang, Audience::doctor_log, Audience::doctor_prove,
                              Audience::doctor_results, Audience::doctor_node,
                              Audience::doctor_snapshot, Audience::report}) {
    const auto text = command_help(*find_command(audience));

    for (const auto& group : option_groups(audience))
      for (const auto& row : group.rows)
        EXPECT_THAT(text, HasSubstr(fmt::format("--{}{}{}", row.long_name, row.is_flag() ? "" : " ",
                                                row.metavar)));
  }
}

TEST(CommandHelp, HasASentenceAndEndsWithExitCodes) {
  for (const auto& row : commands()) {
    const auto parts = split_at_blank_lines(command_help(row));

    ASSERT_GE(parts.size(), 4u) << row.name;
    EXPECT_THAT(parts[1], MatchesRegex("[A-Z].*[.]\n?")) << row.name;
    EXPECT_THAT(parts.back(), StartsWith("Exit codes\n")) << row.name;
  }
}

// A name that is too long for its column has its text below it.
TEST(ProgramHelp, LeavesBlanksBehindEveryOption) {
  const auto text = program_help("train_ddp", Audience::train);

  EXPECT_THAT(text, StartsWith("usage:   train_ddp [options]\n"));
  EXPECT_THAT(text, HasSubstr("--gradient-accumulation-steps N|even\n"));
  expect_fits(text);
}

TEST(LinerateHelp, NamesEveryCommandAndTool) {
  const auto text = linerate_help();

  for (const auto& row : commands()) EXPECT_THAT(text, HasSubstr("  " + std::string(row.name)));
  for (const auto* row : all_collectives())
    EXPECT_THAT(text, HasSubstr("  " + std::string(row->name) + " "));
}

TEST(CliMarkdown, IsWhatTheDocsHold) {
  const auto docs = text_of(LINERATE_SOURCE_DIR "/docs/cli.md");

  EXPECT_EQ(docs, cli_markdown()) << "Write it again: linerate docs cli > docs/cli.md";
}

TEST(CliMarkdown, KeepsEveryRowOfATableAsWideAsItsHead) {
  std::size_t columns = 0;
  for (const auto& line : split(cli_markdown(), '\n')) {
    if (!line.starts_with('|')) {
      columns = 0;
      continue;
    }
    auto plain = line;
    for (auto at = plain.find("\\|"); at != std::string::npos; at = plain.find("\\|"))
      plain.erase(at, 2);
    const auto bars = split(plain, '|').size();
    if (columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << line;
  }
}

}  // namespace
}  // namespace linerate
