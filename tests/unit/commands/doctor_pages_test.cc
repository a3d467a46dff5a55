// docs/doctor holds what the tables of rules say, of every rule that there is.
#include "commands/doctor_pages.h"

#include "base/text.h"
#include "diagnose/diagnose.h"
#include "diagnose/node/node.h"
#include "topo/lint/lint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(DoctorPages, AreWhatTheRepositoryHolds) {
  const std::filesystem::path folder = LINERATE_SOURCE_DIR "/docs/doctor";
  const auto pages = doctor_pages();
  for (const auto& [name, page] : pages) {
    std::ifstream file(folder / name);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_TRUE(text == page) << name << " is missing or old: make docs";
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_TRUE(pages.contains(entry.path().filename())) << entry << " is no finding's page";
}

TEST(DoctorPages, SayWhatEachFindingIsAndWhatToDo) {
  for (const auto& [name, page] : doctor_pages()) {
    if (name == "README.md") continue;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_."), std::string::npos);
    EXPECT_THAT(page, Not(HasSubstr("`: \n"))) << name;
    EXPECT_THAT(page, HasSubstr("**what to do:**")) << name;
  }
}

TEST(DoctorPages, SayWhenEachCheckOfANodeSpeaksAndNameAllThresholds) {
  std::string all;
  for (const auto& check : node::all_checks()) {
    EXPECT_FALSE(check.speaks.empty()) << check.id;
    all += explanation(check.id);
  }
  for (const auto& threshold : node::all_thresholds())
    EXPECT_THAT(all, HasSubstr(std::string(threshold.name) + " is ")) << threshold.name;
  EXPECT_THAT(explanation("shm-size"), HasSubstr("shm_bytes is 1 GiB, shm_least_bytes is 512 MiB"));
}

TEST(DoctorPages, ShowAnExampleOfEachFinding) {
  auto pages = doctor_pages();
  pages.erase("README.md");
  for (const auto& [name, page] : pages) EXPECT_THAT(page, HasSubstr("\n```\n")) << name;
}

TEST(DoctorPages, ShowAnExampleOfEachRuleOfTopologiesAndRuns) {
  auto pages = doctor_pages();
  for (const auto& rule : topo::lint_rules())
    EXPECT_THAT(pages[fmt::format("{}.md", rule.name)],
                HasSubstr(fmt::format(": {}: ", rule.name)));
  for (const auto& rule : all_rules())
    EXPECT_THAT(pages[fmt::format("{}.md", rule.name)], HasSubstr("\n# Verdict "));
  EXPECT_THAT(pages["late_rank.md"], HasSubstr("rank 2 comes 160 us after the first"));
  EXPECT_THAT(pages["health.md"], HasSubstr("# health: node node001: mlx5_0 port 1: symbol_error"));
}

TEST(DoctorPages, ShowWhatIsPrinted) {
  EXPECT_THAT(doctor_pages().at("misread-value.md"), HasSubstr("-> set NCCL_BUFFSIZE=4194304\n"));
  EXPECT_THAT(doctor_pages().at("shared-memory-full.md"),
              HasSubstr("/dev/shm is too small or full: 'NCCL WARN posix_fallocate … failed'"));
}

TEST(Explanation, IsOfEachCommandThatHasTheFinding) {
  const auto text = explanation("gpudirect-off");

  EXPECT_THAT(text, StartsWith("gpudirect-off: "));
  EXPECT_THAT(text, HasSubstr("(linerate topo --lint)"));
  EXPECT_THAT(text, HasSubstr("(linerate doctor log)"));
  EXPECT_THAT(text, HasSubstr("leave it out: linerate doctor log --skip gpudirect-off\n"));
  EXPECT_THAT(explanation("nothing"), IsEmpty());
}

TEST(UnknownFinding, NamesTheNearestOfAllCommands) {
  const std::vector<std::string> known{"slow_node", "wrong-data"},
      wrong{"wrong-data", "peer-close"};

  EXPECT_FALSE(unknown_finding(known));
  EXPECT_THAT(
      unknown_finding(wrong).value_or(""),
      HasSubstr("'peer-close': linerate doctor --list names all. Did you mean 'peer-closed'?"));
}

TEST(LeaveOut, TakesAllFindingsOfTheRule) {
  std::vector<Finding> findings{{.rule = "a"}, {.rule = "b"}, {.rule = "a"}};

  leave_out(findings, std::vector<std::string>{"a"});

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "b");
}

}  // namespace
}  // namespace linerate
