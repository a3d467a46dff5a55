// What tests of one suspect say, on rates given by hand.
#include "pairs/judge.h"

#include "layouts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace linerate::pairs {
namespace {

constexpr double kGbps = 10;  // of a healthy pair

Rate rate(int a, int b, double share) {
  return {.ranks = std::minmax(a, b), .forward_gbps = share * kGbps, .backward_gbps = kGbps};
}

// Of rank 0, `each` times with each of the ranks from 1 on.
std::vector<Rate> with_partners(const std::vector<double>& shares, int each = 3) {
  std::vector<Rate> rates;
  for (int i = 0; i < each; ++i)
    for (std::size_t partner = 0; partner < shares.size(); ++partner)
      rates.push_back(rate(0, static_cast<int>(partner) + 1, shares[partner]));
  return rates;
}

Suspect rank_with(std::vector<Rate> beside, std::vector<Rate> alone = {}) {
  return {.ranks = {0, 0}, .beside = std::move(beside), .alone = std::move(alone)};
}

// Thirty controls with a spread of 1 %.
Reference reference() {
  return {.log = std::log(kGbps),
          .noise = 0.01,
          .n = 30,
          .least_low = -kLimit.log(),
          .low_share = 1.0 / 32,
          .below_share = 1.0 / 32,
          .rail_offset = {0}};
}

State state_of(const Suspect& suspect) { return judge(suspect, reference(), kLimit).state; }

TEST(Judge, ClearsWhatReachesTheReference) {
  const auto judged = judge(rank_with(with_partners({1, 1, 1})), reference(), kLimit);

  EXPECT_EQ(judged.state, State::fine);
  EXPECT_DOUBLE_EQ(judged.share, 1);
  EXPECT_DOUBLE_EQ(judged.confidence, 0);
  EXPECT_FALSE(judged.bad());
}

TEST(Judge, SaysNothingOfWhatWasNotTested) { EXPECT_EQ(state_of(rank_with({})), State::fine); }

TEST(Judge, AccusesARankThatIsSlowWithAllPartners) {
  const auto judged = judge(rank_with(with_partners({0.8, 0.8, 0.8})), reference(), kLimit);

  EXPECT_EQ(judged.state, State::slow);
  EXPECT_NEAR(judged.share, 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(judged.confidence, 0.99);
  EXPECT_EQ(judged.low, 9u);
}

// One that is fine with a partner is not at fault: its link with the others, or they are.
TEST(Judge, DoesNotAccuseARankThatIsFineWithOnePartner) {
  EXPECT_EQ(state_of(rank_with(with_partners({0.8, 0.8, 1}))), State::unclear);
}

TEST(Judge, WantsMoreTestsThanChanceExplains) {
  EXPECT_EQ(state_of(rank_with(with_partners({0.8, 0.8}, 1))), State::unclear);
  EXPECT_EQ(state_of(rank_with(with_partners({0.8, 0.8, 0.8}, 1))), State::slow);
}

TEST(Judge, AccusesNobodyWhereControlsAreAsLow) {
  auto noisy = reference();
  noisy.low_share = noisy.below_share = 0.5;

  EXPECT_FALSE(judge(rank_with(with_partners({0.9, 0.9, 0.9})), noisy, kLimit).bad());
}

// Within the limit, or beyond it by less than the error of its median.
TEST(Judge, AccusesNobodyWithinTheNoise) {
  auto noisy = reference();
  noisy.noise = 0.1;

  EXPECT_FALSE(judge(rank_with(with_partners({0.96, 0.96, 0.96})), reference(), kLimit).bad());
  EXPECT_FALSE(judge(rank_with(with_partners({0.85, 0.85, 0.85})), noisy, kLimit).bad());
}

TEST(Judge, CallsALowTestNowAndThenIntermittent) {
  auto tests = with_partners({1, 1, 1});
  for (const int i : {0, 1, 2, 3, 4}) tests[static_cast<std::size_t>(i)].forward_gbps = 6;

  EXPECT_EQ(state_of(rank_with(tests)), State::intermittent);
}

// The link with that partner may be what is low.
TEST(Judge, DoesNotCallARankIntermittentForOnePartner) {
  auto tests = with_partners({1, 1, 1}, 8);
  for (const int i : {0, 3, 6, 9, 12, 15, 18}) tests[static_cast<std::size_t>(i)].forward_gbps = 6;

  EXPECT_EQ(state_of(rank_with(tests)), State::unclear);
}

TEST(Judge, WantsALinkLowInAllTests) {
  const std::vector<Rate> low(6, rate(0, 1, 0.7));
  EXPECT_EQ(state_of({.ranks = {0, 1}, .beside = low}), State::slow);
}

TEST(Judge, HoldsARankAgainstItsRail) {
  auto of_rails = reference();
  of_rails.rail_offset = {0, std::log(0.8)};
  auto suspect = rank_with(with_partners({0.8, 0.8, 0.8}));
  suspect.rail = 1;

  EXPECT_EQ(judge(suspect, of_rails, kLimit).state, State::fine);
}

TEST(Judge, ClearsWhatIsFineByItself) {
  const auto beside = with_partners({0.8, 0.8, 0.8});
  const auto fine = with_partners({1, 1, 1, 1}, 1), slow = with_partners({0.8, 0.8, 0.8, 0.8}, 1);

  EXPECT_EQ(state_of(rank_with(beside, fine)), State::fine);
  EXPECT_EQ(state_of(rank_with(beside, slow)), State::slow);
}

// All but one of the other partners must see it, and with one of them it must come and go: what is
// always fine with one and always low with the others is a path that those share.
TEST(Judge, CallsSlowBesideOthersAndAtTimesByItselfIntermittent) {
  const auto beside = with_partners({0.8, 0.8, 0.8});
  auto comes_and_goes = with_partners({0.8, 0.8, 0.8, 1});
  comes_and_goes[0].forward_gbps = 10;

  EXPECT_EQ(state_of(rank_with(beside, comes_and_goes)), State::intermittent);
  EXPECT_EQ(state_of(rank_with(beside, with_partners({0.8, 0.8, 0.8, 1}))), State::fine);
  EXPECT_EQ(state_of(rank_with(beside, with_partners({0.8, 0.8, 1, 1}, 1))), State::fine);
}

// With one partner; each is as many slots after the last as the second number says.
bool is_spread_out(const std::vector<double>& shares, std::size_t every,
                   State state = State::intermittent) {
  Suspect suspect{.ranks = {0, 0}};
  for (const double share : shares) {
    suspect.beside.push_back(rate(0, 1, share));
    suspect.beside.back().slot = every * suspect.beside.size();
  }
  return is_spread(suspect, state, reference(), kLimit);
}

TEST(IsSpread, CountsLowTestsThatFollowEachOtherOnce) {
  EXPECT_FALSE(is_spread_out({0.8, 0.8, 0.8, 0.8, 0.8, 0.8}, 4, State::slow));
  EXPECT_TRUE(is_spread_out({0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8}, 4, State::slow));
  EXPECT_TRUE(is_spread_out({0.8, 0.8, 0.8}, 12, State::slow));
  EXPECT_FALSE(is_spread_out({0.8, 1, 0.8}, 1));
  EXPECT_TRUE(is_spread_out({0.8, 1, 0.8, 1, 0.8}, 1));
}

TEST(IsSpread, WantsItLowAgainAfterItWasFine) {
  EXPECT_TRUE(is_spread_out({0.8, 0.8, 0.8, 0.8, 1, 1}, 12));
  EXPECT_FALSE(is_spread_out({0.8, 0.8, 0.8, 0.8, 1, 1, 1}, 12));
  EXPECT_TRUE(is_spread_out({0.8, 0.8, 0.8, 1, 1, 1, 0.8}, 12));
}

std::vector<Rate> controls(const std::vector<double>& shares) {
  std::vector<Rate> rates;
  for (const double share : shares) rates.push_back(rate(0, 1, share));
  return rates;
}

TEST(ReferenceOfControls, HasTheirMedianAndSpread) {
  const auto found = reference_of(nodes_of(4), controls({0.98, 0.99, 1, 1, 1, 0.97, 1, 0.9}),
                                  {.noise = 0.3, .rail_offset = {0}}, kLimit);

  EXPECT_EQ(found.n, 8u);
  EXPECT_NEAR(found.log, std::log(9.95), 1e-4);
  EXPECT_NEAR(found.noise, 1.4826 * std::log(10 / 9.95), 1e-4);  // of the rounds' 0.3 nothing
  EXPECT_DOUBLE_EQ(found.below_share, 0.2);                      // of 8 one, and never quite 0
}

// Three that happen to agree say nothing of how far pairs are apart: the rounds do.
TEST(ReferenceOfControls, HasTheSpreadOfTheRoundsWhereThereAreFew) {
  const Estimate rounds{.noise = 0.03, .rail_offset = {0}};

  EXPECT_DOUBLE_EQ(reference_of(nodes_of(4), controls({1, 1, 1}), rounds, kLimit).noise, 0.03);
  EXPECT_GT(reference_of(nodes_of(4), controls({0.8, 0.9, 1}), rounds, kLimit).noise, 0.1);
}

// Twelve controls in slots of their own, of which three follow each other in a burst.
TEST(ReferenceOfControls, SaysWhichSlotsWereDisturbed) {
  auto all = controls({1, 1, 1, 1, 0.6, 0.6, 0.6, 1, 1, 1, 1, 1});
  for (std::size_t i = 0; i < all.size(); ++i) all[i].slot = 10 * i;
  const Estimate rounds{.rail_offset = {0}};
  auto found = reference_of(nodes_of(4), all, rounds, kLimit);

  found.slots = slots_of(nodes_of(4), all, rounds, found);

  EXPECT_FALSE(found.is_disturbed(20));
  EXPECT_FALSE(found.is_disturbed(25));
  EXPECT_TRUE(found.is_disturbed(35));
  EXPECT_TRUE(found.is_disturbed(40));
  EXPECT_TRUE(found.is_disturbed(65));
  EXPECT_FALSE(found.is_disturbed(70));
  EXPECT_FALSE(found.is_disturbed(999));
  EXPECT_NEAR(found.below_share, 1.0 / 9, 1e-9);  // those within the burst, and beside it, left out
}

TEST(VisibleShare, IsTheLimitLessWhatNoiseHides) {
  auto quiet = reference(), noisy = reference();
  quiet.noise = 0.001;
  noisy.noise = 0.1;

  EXPECT_NEAR(visible_share(quiet, kLimit), 0.95, 0.002);
  EXPECT_LT(visible_share(noisy, kLimit), 0.75);
  noisy.n = 3;
  EXPECT_LT(visible_share(noisy, kLimit), 0.6);
}

}  // namespace
}  // namespace linerate::pairs
