// What calls touch, and how much was touched since their places were.
#include "bench/expect/places.h"

#include "support/sizes.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// 2 ranks of 4 MiB: a call touches 16 MiB in two buffers and 8 in place; a place holds 16.
Touched touched(Placement placement, const Places& places) {
  const Case what{.collective = find_collective("all_reduce"), .bytes = 4 * kMiB};
  return touched_by({.what = what, .placement = placement, .sizing = sizing_of(what, 2, nullptr)},
                    places);
}

// With room for 16 places.
Touched in_one_buffer(std::uint64_t calls, std::uint64_t warm_calls) {
  return touched(Placement::in_place,
                 {.buffer_bytes = 64 * kMiB, .calls = calls, .warm_calls = warm_calls});
}

struct Seen {
  double filled, warm, again;
};
Seen parts(const Touched& touched) {
  const auto& visits = touched.visits;
  return {visits.at(0).part, visits.at(1).part, visits.at(2).part};
}
Seen footprints_mib(const Touched& touched) {
  const auto& visits = touched.visits;
  return {visits.at(0).footprint_bytes / kMiB, visits.at(1).footprint_bytes / kMiB,
          visits.at(2).footprint_bytes / kMiB};
}

TEST(Places, ThatDoNotSlideAreOne) {
  const auto fixed = touched(Placement::out_of_place,
                             {.sliding = Sliding::fixed, .buffer_bytes = 64 * kMiB, .calls = 20});

  EXPECT_EQ(footprints_mib(fixed).again, 16);
  EXPECT_EQ(parts(fixed).again, 1);
}

// 16 places, of which calls slide over 15: the last is the verified call's.
TEST(Places, ComeBackAfterAllThatCallsSlideOver) {
  const auto sliding =
      touched(Placement::out_of_place, {.buffer_bytes = 64 * kMiB, .calls = 60, .warm_calls = 15});

  EXPECT_EQ(footprints_mib(sliding).again, 15 * 16);
  EXPECT_DOUBLE_EQ(parts(sliding).again, 59 / 60.0);
}

// All but the verified one of them work on the first place.
TEST(Places, OfWhichThereAreTwoAreHardlyMoreThanOne) {
  const auto two =
      touched(Placement::in_place, {.buffer_bytes = 8 * kMiB, .calls = 20, .warm_calls = 1});

  EXPECT_EQ(footprints_mib(two).again, 8);
  EXPECT_DOUBLE_EQ(parts(two).again, 19 / 20.0);
}

// They were filled before, with both buffers of both ranks, whatever the calls touch.
TEST(Places, ThatNoWarmUpTouchedWereFilledBefore) {
  const auto cold = in_one_buffer(10, 1);

  EXPECT_DOUBLE_EQ(parts(cold).filled, 8 / 10.0);
  EXPECT_EQ(footprints_mib(cold).filled, 10 * 16);
  EXPECT_DOUBLE_EQ(parts(cold).warm, 1 / 10.0);
  EXPECT_EQ(footprints_mib(cold).warm, 8);
}

TEST(Places, ThatWarmUpsTouchedComeBackAfterThese) {
  const auto warm = in_one_buffer(10, 10);

  EXPECT_DOUBLE_EQ(parts(warm).warm, 9 / 10.0);
  EXPECT_EQ(footprints_mib(warm).warm, 10 * 8);
}

// 20 warm-up calls went round 15 places, and to 5 of them once more.
TEST(Places, ThatWarmUpsCameToTwiceAreTheLatest) {
  const auto warm = in_one_buffer(11, 20);

  EXPECT_DOUBLE_EQ(parts(warm).warm, 5 / 11.0);
  EXPECT_EQ(footprints_mib(warm).warm, 5 * 8);
  EXPECT_DOUBLE_EQ(parts(warm).again, 5 / 11.0);
  EXPECT_EQ(footprints_mib(warm).again, 15 * 8);
}

// Since it was filled, right before the window, the calls before it have touched others.
TEST(Places, OfTheVerifiedCallCountOnce) {
  const auto few = in_one_buffer(3, 1);
  EXPECT_DOUBLE_EQ(few.visits.back().part, 1 / 3.0);
  EXPECT_EQ(few.visits.back().footprint_bytes, (16 + 2 * 8) * kMiB);

  const auto one = in_one_buffer(1, 1);
  EXPECT_EQ(one.visits.back().part, 1);
  EXPECT_EQ(one.visits.back().footprint_bytes, 16 * kMiB);
}

TEST(Places, WithoutWarmUpsWereFilledAndComeBack) {
  const auto cold = in_one_buffer(31, 0);

  EXPECT_DOUBLE_EQ(parts(cold).filled, 15 / 31.0);
  EXPECT_EQ(parts(cold).warm, 0);
  EXPECT_DOUBLE_EQ(parts(cold).again, 15 / 31.0);
}

TEST(Places, OfCallsAreAllCounted) {
  for (const std::size_t mib : {4, 8, 12, 64})
    for (const std::uint64_t calls : {1, 2, 3, 20, 100})
      for (const std::uint64_t warm_calls : {0, 1, 2, 15, 16, 40}) {
        const auto all =
            touched(Placement::in_place,
                    {.buffer_bytes = mib * kMiB, .calls = calls, .warm_calls = warm_calls});
        double sum = 0;
        for (const auto& [part, bytes] : all.visits) {
          EXPECT_GE(part, 0);
          sum += part;
        }
        EXPECT_NEAR(sum, 1, 1e-12) << mib << ' ' << calls << ' ' << warm_calls;
      }
}

// The root's input is read, the other's buffer written: both are touched.
TEST(Places, OfCopiesInPlaceHoldWhatIsReadAndWhatIsWritten) {
  const Case what{.collective = find_collective("broadcast"), .bytes = 4 * kMiB};
  const auto copied = touched_by(
      {.what = what, .placement = Placement::in_place, .sizing = sizing_of(what, 2, nullptr)},
      {.sliding = Sliding::fixed});

  EXPECT_EQ(footprints_mib(copied).again, 8);
  EXPECT_EQ(copied.updated_bytes, 0);
  EXPECT_EQ(copied.movers_part, 0.5);
}

TEST(Places, OfTheNodeThatMovesMostCount) {
  const Case what{.collective = find_collective("all_reduce"), .bytes = 4 * kMiB};
  const SizedCase three{.what = what, .sizing = sizing_of(what, 3, nullptr)};

  const auto busiest = touched_by(three, {.sliding = Sliding::fixed, .nodes = {0, 1, 1}});

  EXPECT_EQ(busiest.read_bytes, 2 * 4.0 * kMiB);
  EXPECT_EQ(footprints_mib(busiest).again, 2 * 2 * 4);
}

// Of a broadcast the root's node alone reads, and all others write.
TEST(Places, OfTheNodeThatMovesMostAreOfTheMostBytes) {
  const Case what{.collective = find_collective("broadcast"), .bytes = 4 * kMiB};
  const SizedCase four{.what = what, .sizing = sizing_of(what, 4, nullptr)};

  const auto busiest = touched_by(four, {.sliding = Sliding::fixed, .nodes = {0, 1, 1, 1}});

  EXPECT_EQ(busiest.read_bytes, 0);
  EXPECT_EQ(busiest.written_bytes, 3 * 4.0 * kMiB);
}

}  // namespace
}  // namespace linerate
