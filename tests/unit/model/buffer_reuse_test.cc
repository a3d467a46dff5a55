// What calls touch, and how much was touched since their places were.
#include "model/buffer_reuse.h"

#include "support/sizes.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// Of 4 MiB.
ModeledCall call_of(std::string_view name, int nranks,
                    Placement placement = Placement::out_of_place) {
  const auto* collective = find_collective(name);
  const auto count = count_of(*collective, 4 * kMiB, DataType::float32, nranks);
  return {.collective = collective,
          .placement = placement,
          .sizing = {.count = count, .nranks = nranks}};
}

// 2 ranks of 4 MiB: a call touches 16 MiB in two buffers and 8 in place; a place holds 16.
Footprint footprint(Placement placement, const BufferReuse& reuse) {
  return footprint_of(call_of("all_reduce", 2, placement), reuse);
}

// With room for 16 places.
Footprint in_one_buffer(std::uint64_t calls, std::uint64_t warm_calls) {
  return footprint(Placement::in_place,
                   {.buffers = {.bytes = 64 * kMiB}, .calls = calls, .warm_calls = warm_calls});
}

struct Seen {
  double filled, warm, again;
};
Seen fractions(const Footprint& footprint) {
  const auto& reuse = footprint.reuse;
  return {reuse.at(0).fraction, reuse.at(1).fraction, reuse.at(2).fraction};
}
Seen distances_mib(const Footprint& footprint) {
  const auto& reuse = footprint.reuse;
  return {reuse.at(0).distance_bytes / kMiB, reuse.at(1).distance_bytes / kMiB,
          reuse.at(2).distance_bytes / kMiB};
}

TEST(BufferReuse, ThatDoNotSlideAreOne) {
  const auto fixed = footprint(Placement::out_of_place,
                               {.buffers = {.bytes = 64 * kMiB, .slides = false}, .calls = 20});

  EXPECT_EQ(distances_mib(fixed).again, 16);
  EXPECT_EQ(fractions(fixed).again, 1);
}

// 16 places, of which calls slide over 15: the last is the verified call's.
TEST(BufferReuse, ComeBackAfterAllThatCallsSlideOver) {
  const auto sliding = footprint(Placement::out_of_place,
                                 {.buffers = {.bytes = 64 * kMiB}, .calls = 60, .warm_calls = 15});

  EXPECT_EQ(distances_mib(sliding).again, 15 * 16);
  EXPECT_DOUBLE_EQ(fractions(sliding).again, 59 / 60.0);
}

// All but the verified one of them work on the first place.
TEST(BufferReuse, OfWhichThereAreTwoAreHardlyMoreThanOne) {
  const auto two = footprint(Placement::in_place,
                             {.buffers = {.bytes = 8 * kMiB}, .calls = 20, .warm_calls = 1});

  EXPECT_EQ(distances_mib(two).again, 8);
  EXPECT_DOUBLE_EQ(fractions(two).again, 19 / 20.0);
}

// They were filled before, with both buffers of both ranks, whatever the calls touch.
TEST(BufferReuse, ThatNoWarmUpTouchedWereFilledBefore) {
  const auto cold = in_one_buffer(10, 1);

  EXPECT_DOUBLE_EQ(fractions(cold).filled, 8 / 10.0);
  EXPECT_EQ(distances_mib(cold).filled, 10 * 16);
  EXPECT_DOUBLE_EQ(fractions(cold).warm, 1 / 10.0);
  EXPECT_EQ(distances_mib(cold).warm, 8);
}

TEST(BufferReuse, ThatWarmUpsTouchedComeBackAfterThese) {
  const auto warm = in_one_buffer(10, 10);

  EXPECT_DOUBLE_EQ(fractions(warm).warm, 9 / 10.0);
  EXPECT_EQ(distances_mib(warm).warm, 10 * 8);
}

// 20 warm-up calls went round 15 places, and to 5 of them once more.
TEST(BufferReuse, ThatWarmUpsCameToTwiceAreTheLatest) {
  const auto warm = in_one_buffer(11, 20);

  EXPECT_DOUBLE_EQ(fractions(warm).warm, 5 / 11.0);
  EXPECT_EQ(distances_mib(warm).warm, 5 * 8);
  EXPECT_DOUBLE_EQ(fractions(warm).again, 5 / 11.0);
  EXPECT_EQ(distances_mib(warm).again, 15 * 8);
}

// Since it was filled, right before the window, the calls before it have touched others.
TEST(BufferReuse, OfTheVerifiedCallCountOnce) {
  const auto few = in_one_buffer(3, 1);
  EXPECT_DOUBLE_EQ(few.reuse.back().fraction, 1 / 3.0);
  EXPECT_EQ(few.reuse.back().distance_bytes, (16 + 2 * 8) * kMiB);

  const auto one = in_one_buffer(1, 1);
  EXPECT_EQ(one.reuse.back().fraction, 1);
  EXPECT_EQ(one.reuse.back().distance_bytes, 16 * kMiB);
}

TEST(BufferReuse, WithoutWarmUpsWereFilledAndComeBack) {
  const auto cold = in_one_buffer(31, 0);

  EXPECT_DOUBLE_EQ(fractions(cold).filled, 15 / 31.0);
  EXPECT_EQ(fractions(cold).warm, 0);
  EXPECT_DOUBLE_EQ(fractions(cold).again, 15 / 31.0);
}

TEST(BufferReuse, OfCallsAreAllCounted) {
  for (const std::size_t mib : {4, 8, 12, 64})
    for (const std::uint64_t calls : {1, 2, 3, 20, 100})
      for (const std::uint64_t warm_calls : {0, 1, 2, 15, 16, 40}) {
        const auto all =
            footprint(Placement::in_place,
                      {.buffers = {.bytes = mib * kMiB}, .calls = calls, .warm_calls = warm_calls});
        double sum = 0;
        for (const auto& [fraction, bytes] : all.reuse) {
          EXPECT_GE(fraction, 0);
          sum += fraction;
        }
        EXPECT_NEAR(sum, 1, 1e-12) << mib << ' ' << calls << ' ' << warm_calls;
      }
}

// The root's input is read, the other's buffer written: both are touched.
TEST(BufferReuse, OfCopiesInPlaceHoldWhatIsReadAndWhatIsWritten) {
  const auto copied =
      footprint_of(call_of("broadcast", 2, Placement::in_place), {.buffers = {.slides = false}});

  EXPECT_EQ(distances_mib(copied).again, 8);
  EXPECT_EQ(copied.updated_bytes, 0);
  EXPECT_EQ(copied.active_rank_fraction, 0.5);
}

TEST(BufferReuse, OfTheNodeThatMovesMostCount) {
  const auto three = call_of("all_reduce", 3);

  const auto busiest = footprint_of(three, {.buffers = {.slides = false}, .nodes = {0, 1, 1}});

  EXPECT_EQ(busiest.read_bytes, 2 * 4.0 * kMiB);
  EXPECT_EQ(distances_mib(busiest).again, 2 * 2 * 4);
}

// Of a broadcast the root's node alone reads, and all others write.
TEST(BufferReuse, OfTheNodeThatMovesMostAreOfTheMostBytes) {
  const auto four = call_of("broadcast", 4);

  const auto busiest = footprint_of(four, {.buffers = {.slides = false}, .nodes = {0, 1, 1, 1}});

  EXPECT_EQ(busiest.read_bytes, 0);
  EXPECT_EQ(busiest.written_bytes, 3 * 4.0 * kMiB);
}

}  // namespace
}  // namespace linerate
