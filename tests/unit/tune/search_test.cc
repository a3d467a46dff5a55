// Searches on machines on paper: what is found, and that nothing is found where there is nothing.
#include "tune/search.h"

#include "unit/tune/made_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace linerate::tuning {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Collectives kOne{&all_reduce()}, kTwo{&all_reduce(), &all_gather()};

std::vector<Arm> arms(int count) {
  std::vector<Arm> all;
  for (int i = 0; i < count; ++i)
    all.push_back(call_arm(std::string(1, static_cast<char>('a' + i))));
  return all;
}

std::set<std::pair<std::string, std::size_t>> kept(const std::vector<Arm>& all,
                                                   const Searched& found) {
  std::vector<Dropped> dropped;
  std::set<std::pair<std::string, std::size_t>> names;
  for (const auto& [arm, judged] : kept_calls(all, found, dropped))
    names.insert({arm.words, judged.cell.bytes});
  return names;
}

TEST(Search, FindsForEachSizeTheSettingThatIsFasterThere) {
  MadeUp machine([](const std::string& setting, const Cell& cell) {
    if (setting == "b") return cell.bytes >= 65536 ? 0.8 : 1.5;
    if (setting == "e") return cell.bytes == 1024 ? 0.9 : 1.2;
    return setting == "c" ? 0.985 : 1.1;
  });
  const auto all = arms(6);

  const auto found = search(all, kOne, {}, machine.launch());

  EXPECT_EQ(kept(all, found), (std::set<std::pair<std::string, std::size_t>>{
                                  {"b", 65536}, {"b", 1048576}, {"e", 1024}}));
  for (const auto& one : found.judged)
    if (one.cell.bytes == 65536) {
      EXPECT_NEAR(one.effect.ratio, 0.8, 0.03);
    }
  EXPECT_EQ(found.launches, machine.launches);
  EXPECT_THAT(found.cells, SizeIs(3));
  EXPECT_LE(machine.launches, static_cast<int>(most_launches(all.size(), kOne, {})));
}

TEST(Search, KeepsNothingWhereAllSettingsAreTheDefault) {
  std::size_t false_rules = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    MadeUp machine([](const std::string&, const Cell&) { return 1.0; }, seed * 7919);
    machine.drift = seed % 2 == 0 ? 0 : 0.003;  // half as slow again at the end
    const auto all = arms(5);
    false_rules += kept(all, search(all, kOne, {.seed = seed}, machine.launch())).size();
  }
  EXPECT_LE(false_rules, 2u);  // 1 % of 200
}

TEST(Search, HasTwiceAsManyRunsOfHalfAsManySettingsInEachRound) {
  MadeUp machine([](const std::string& s, const Cell&) { return 0.8 + 0.02 * (s[0] - 'a'); });
  machine.sizes = {65536};
  machine.noise = machine.outliers = 0;

  const auto found = search(arms(4), kOne, {.confirmations = 7}, machine.launch());

  EXPECT_EQ(found.rounds, 2);
  EXPECT_EQ(machine.launches, 5 * 2 + 3 * 4 + 2 * 7);  // with the default in each
}

TEST(Search, KeepsNoGainBelowThreePercent) {
  MadeUp machine([](const std::string&, const Cell&) { return 0.98; });
  machine.noise = 0.001;
  const auto all = arms(3);

  const auto found = search(all, kOne, {}, machine.launch());

  EXPECT_THAT(found.judged, SizeIs(3));  // the best of each size
  EXPECT_THAT(kept(all, found), IsEmpty());
}

TEST(Search, FindsAGainWhileTheMachineSlowsDown) {
  MadeUp machine([](const std::string& s, const Cell&) { return s == "d" ? 0.88 : 1.0; });
  machine.drift = 0.005;
  const auto all = arms(4);

  EXPECT_THAT(kept(all, search(all, kOne, {}, machine.launch())), SizeIs(3));
}

TEST(Search, JudgesByNewRunsAlone) {
  // Lucky while it is chosen, and as fast as the default from then on.
  MadeUp machine([&](const std::string& s, const Cell&) {
    return s == "a" && machine.launches <= 6 ? 0.5 : 1.0;
  });
  const std::vector<Arm> all{call_arm("a")};

  const auto found = search(all, kOne, {.first_repeats = 3}, machine.launch());

  EXPECT_THAT(found.judged, SizeIs(3));
  EXPECT_THAT(kept(all, found), IsEmpty());
}

TEST(Search, DropsWhatFailsAndSaysWhy) {
  MadeUp machine([](const std::string& s, const Cell&) { return s == "a" ? 0.8 : 1.3; });
  machine.failure = [](const std::string& s) { return s == "c" ? "wrong data" : ""; };
  const auto all = arms(3);

  const auto found = search(all, kOne, {.first_repeats = 4}, machine.launch());

  EXPECT_THAT(kept(all, found), SizeIs(3));
  ASSERT_THAT(found.dropped, SizeIs(2));
  EXPECT_THAT(found.dropped[0].why, HasSubstr("slower at "));
  EXPECT_THAT(found.dropped[0].why, HasSubstr("of the default's time"));
  EXPECT_EQ(found.dropped[1].why, "wrong data");
}

TEST(Search, EndsWhereTheDefaultFails) {
  MadeUp machine([](const std::string&, const Cell&) { return 1.0; });
  machine.failure = [](const std::string& s) { return s.empty() ? "no mpirun" : ""; };

  const auto found = search(arms(3), kOne, {}, machine.launch());

  EXPECT_EQ(found.failure, "no mpirun");
  EXPECT_THAT(found.judged, IsEmpty());
}

TEST(Search, HasOneWinnerForTheWholeProcess) {
  MadeUp machine([](const std::string& s, const Cell& cell) {
    if (s == "mixed") return cell.collective == &all_reduce() ? 0.6 : 1.2;
    return s == "good" ? 0.85 : 1.0;
  });
  const std::vector<Arm> all{process_arm("equal"), process_arm("mixed"), process_arm("good")};
  std::vector<Dropped> dropped;

  const auto found = search(all, kTwo, {}, machine.launch());

  const auto* winner = kept_of_process(all, found, dropped);
  ASSERT_NE(winner, nullptr);
  EXPECT_EQ(winner->words, "good");
  ASSERT_THAT(found.dropped, SizeIs(2));
  EXPECT_THAT(found.dropped[1].why, HasSubstr("slower for all_gather"));
  EXPECT_THAT(found.judged, SizeIs(6));  // both collectives, all sizes
}

TEST(Search, KeepsNothingOfTheProcessThatIsSlowerSomewhere) {
  using stats::Difference;
  const std::vector<Arm> all{process_arm("mixed")};
  const auto judged = [](std::size_t bytes, Difference verdict) {
    return Judged{.cell = {&all_reduce(), bytes}, .verdict = verdict};
  };
  Searched found;
  found.judged = {judged(8, Difference::faster), judged(16, Difference::unsure)};
  std::vector<Dropped> dropped;
  EXPECT_EQ(kept_of_process(all, found, dropped), &all[0]);
  EXPECT_THAT(dropped, IsEmpty());

  found.judged.push_back(judged(32, Difference::slower));
  EXPECT_EQ(kept_of_process(all, found, dropped), nullptr);

  ASSERT_THAT(dropped, SizeIs(1));
  EXPECT_THAT(dropped[0].why, HasSubstr("slower at others"));
}

TEST(Confirm, ComparesOneSettingWithTheDefault) {
  MadeUp machine([](const std::string&, const Cell&) { return 0.85; });
  machine.outliers = 0;

  const auto found = confirm({{"SETTING", "x"}}, kTwo, {.confirmations = 8}, machine.launch());

  ASSERT_THAT(found.judged, SizeIs(6));
  for (const auto& one : found.judged) EXPECT_EQ(one.verdict, stats::Difference::faster);
  EXPECT_EQ(machine.launches, 2 * 2 * 8);
}

}  // namespace
}  // namespace linerate::tuning
