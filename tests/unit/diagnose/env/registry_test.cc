// The tables hold together, and versions are read strictly.
#include "diagnose/env/registry.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <set>

namespace linerate::env {
namespace {

TEST(Registry, HasEachNameOnceAndInAFamily) {
  std::set<std::string, std::less<>> names;
  for (const auto rows : {nccl_variables(), other_variables()})
    for (const auto& row : rows) {
      EXPECT_TRUE(names.emplace(row.name).second) << row.name;
      EXPECT_NE(family_of(row.name), nullptr) << row.name;
    }
  for (const auto& row : undocumented_names())
    for (const auto& name : split(row.names, ' '))
      EXPECT_TRUE(names.emplace("NCCL_" + name).second) << name;
}

TEST(Registry, HasDefaultsWithinTheirRanges) {
  for (const auto& row : nccl_variables()) {
    if (row.kind != Kind::whole && row.kind != Kind::flag) continue;
    EXPECT_LE(row.least, row.most) << row.name;
    if (row.usual.empty()) continue;
    const auto usual = parse_integer("default", row.usual);
    ASSERT_TRUE(usual.ok()) << row.name;
    EXPECT_TRUE(*usual >= row.least && *usual <= row.most) << row.name;
  }
}

TEST(Registry, NamesSuccessorsThatItHas) {
  for (const auto& row : nccl_variables()) {
    if (row.instead.empty()) continue;
    const auto name = row.instead.substr(0, row.instead.find('='));
    EXPECT_TRUE(find_variable(name) != nullptr || find_undocumented(name) != nullptr) << name;
  }
}

TEST(ParseRelease, TakesMinorVersionsAsTheirLast) {
  EXPECT_EQ(parse_release("2.21.5").value(), (Release{21, 5}));
  EXPECT_GT(parse_release("2.21").value(), (Release{21, 5}));
  EXPECT_LT(parse_release("2.21").value(), (Release{22, 0}));
  EXPECT_EQ(text_of(parse_release("2.21").value()), "2.21");
  EXPECT_EQ(text_of(kNewest), "2.30.7");
}

TEST(ParseRelease, TakesWhatNcclPrintsAndItsPackagesAreCalled) {
  for (const auto* text : {"2.21.5+cuda12.4", "2.21.5-1", "2.21.5-1+cuda12.4"})
    EXPECT_EQ(parse_release(text).value(), (Release{21, 5})) << text;
}

TEST(IsNewerThanKnown, TakesMinorVersionsAsKnown) {
  for (const auto* text : {"2.30.8", "2.31", "2.99"})
    EXPECT_TRUE(is_newer_than_known(parse_release(text).value())) << text;
  for (const auto* text : {"2.30", "2.30.7", "2.21.5"})
    EXPECT_FALSE(is_newer_than_known(parse_release(text).value())) << text;
}

TEST(ParseRelease, RefusesInOneSentence) {
  for (const auto* text : {"", "2", "2.", "3.1", "2.x", "2.21.", "2.21.5-2", "2.21.5.1", "2.-1"}) {
    const auto release = parse_release(text);
    ASSERT_FALSE(release.ok()) << text;
    EXPECT_TRUE(release.sentence().ends_with('.')) << release.sentence();
  }
}

}  // namespace
}  // namespace linerate::env
