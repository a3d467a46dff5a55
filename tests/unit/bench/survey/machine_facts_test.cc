// Facts about machines: written, read back, refused, and found again.
#include "bench/survey/machine_facts.h"

#include "topo/machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace linerate {
namespace {

using testing::HasSubstr;

MachineFacts example() {
  return {
      .hardware = hardware_text(),
      .measured = "2026-01-02T03:04:05Z",
      .survey = {
          .nthreads = 2,
          .by_size = {{.bytes = 65536, .of = {100, 50, 75, 80}},
                      {.bytes = 1 << 20, .of = {10, 5, 7.5, 8}}},
          .by_cores = {{.nthreads = 1, .nmemory_nodes = 1, .of = {5, 2, 3, 4}}},
          .lines = {{.between = "one L3 cache", .first = 0, .second = 1, .round_trip_ns = 120.5}}}};
}

TEST(FactsOfMachines, AreReadAsTheyWereWritten) {
  const auto facts = parse_facts(facts_text(example()), "f");

  ASSERT_TRUE(facts) << facts.sentence();
  EXPECT_EQ(*facts, example());
}

// What a text is refused for.
std::string refusal(std::string text) {
  const auto facts = parse_facts(text, "FILE");
  return facts ? "taken" : facts.sentence();
}

std::string with(std::string_view from, std::string_view to) {
  auto text = facts_text(example());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(FactsOfMachines, AreRefusedWhereSomethingIsWrong) {
  EXPECT_THAT(refusal(""), HasSubstr("FILE holds no facts about a machine: it is not a JSON"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("has no 'schema'"));
  EXPECT_THAT(refusal(with("\"schema\":1", "\"schema\":2")), HasSubstr("schema is 2 and not 1"));
  EXPECT_THAT(refusal(with("\"survey\"", "\"other\"")), HasSubstr("has no 'survey'"));
  EXPECT_THAT(refusal(with("\"read_gbps\":10.0", "\"read_gbps\":\"fast\"")),
              HasSubstr("'read_gbps' of row 2 of 'by_size'"));
  EXPECT_THAT(refusal(with("\"read_gbps\":10.0", "\"read_gbps\":-1.0")), HasSubstr("read_gbps"));
  EXPECT_THAT(refusal(with("\"read_gbps\":10.0", "\"read_gbps\":1e999")), HasSubstr("JSON"));
  EXPECT_THAT(refusal(with("\"nthreads\":2", "\"nthreads\":99999999999")), HasSubstr("nthreads"));
  EXPECT_THAT(refusal(with("\"bytes\":65536", "\"bytes\":-5")), HasSubstr("'bytes' of row 1"));
  EXPECT_THAT(refusal(with("\"bytes\":65536", "\"bytes\":65536000")), HasSubstr("do not grow"));
  EXPECT_THAT(refusal(with("\"lines\":[{", "\"lines\":[7,{")), HasSubstr("row 1 of 'lines'"));
  EXPECT_THAT(refusal(with("\"between\":\"one L3 cache\"", "\"between\":3")), HasSubstr("no text"));
}

TEST(FactsOfMachines, CutShortAreRefusedEverywhere) {
  const auto text = facts_text(example());

  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_NE(refusal(text.substr(0, length)), "taken") << length;
}

class KeptFacts : public testing::Test {
 protected:
  KeptFacts()
      : folder_(std::filesystem::path(testing::TempDir()) /
                fmt::format("kept_facts_test.{}", getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "linerate");
  }
  ~KeptFacts() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) const {
    std::ofstream(*facts_path(environment(), hardware_text())) << text;
  }
  Environment environment() const { return Environment({{"XDG_CACHE_HOME", folder_.string()}}); }
  std::optional<MachineFacts> find() { return find_facts(environment(), complaint_); }

  std::filesystem::path folder_;
  std::string complaint_;
};

TEST_F(KeptFacts, AreFoundAgain) {
  EXPECT_FALSE(find());

  write(facts_text(example()));

  EXPECT_EQ(find(), example());
  EXPECT_EQ(complaint_, "");
}

TEST_F(KeptFacts, ThatAreBrokenAreToldAndLeftAlone) {
  write("{\"schema\": 1");

  EXPECT_FALSE(find());
  EXPECT_THAT(complaint_, HasSubstr("holds no facts"));
}

TEST_F(KeptFacts, OfAnotherMachineAreNotTaken) {
  auto other = example();
  other.hardware = "an abacus";
  write(facts_text(other));

  EXPECT_FALSE(find());
  EXPECT_THAT(complaint_, HasSubstr("another machine (an abacus)"));
}

TEST_F(KeptFacts, HaveAFileForEachHardware) {
  EXPECT_NE(facts_path(environment(), "one"), facts_path(environment(), "other"));
  EXPECT_FALSE(facts_path(Environment(), "one"));
}

// Ranks of one node are bound to different cores, and must find the same facts.
TEST(HardwareText, DoesNotDependOnWhereAThreadIsBound) {
  const auto text = hardware_text();

  EXPECT_THAT(text, HasSubstr("memory nodes"));
  EXPECT_EQ(hardware_text(), text);
}

}  // namespace
}  // namespace linerate
