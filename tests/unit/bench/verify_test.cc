// What is compared after a call: every result, and every byte that must be left alone.
#include "bench/verify.h"

#include "support/sessions.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kSlotBytes = 768;  // a multiple of 16 bytes for each of 3 ranks
constexpr BufferSizes kSlotSizes{.bytes = 3 * kSlotBytes, .spare_bytes = 3 * kSlotBytes};

struct SlotTrial {
  Case what = case_of("all_reduce", kSlotBytes);
  Placement placement = Placement::out_of_place;
  BenchConfig config{};
  std::size_t slot = kSpareSlot;
  bool calls = true;
  // Changes this rank's memory before it is compared.
  std::function<void(const Session&, View recv)> corrupt{};
};

// What each of 3 ranks finds wrong.
std::vector<RankCheck> checks(const SlotTrial& trial) {
  std::vector<RankCheck> all(3);
  run_sessions({.nranks = 3, .config = trial.config}, [&](Session& session) {
    session.allocate(kSlotSizes, trial.config.unalign * kWidestBytes);
    auto& local = session.ranks().front();
    const auto on_thread = case_on_thread(session, trial.what, kSlotSizes, trial.placement);
    fill_sliding(session, on_thread, 1);
    fill_slot(session, on_thread, trial.slot);
    CallIssuer issuer(session, on_thread);
    session.align();
    if (trial.calls) issuer.once(trial.slot);
    session.align();
    const View recv = on_thread.layouts.front().recv_slot(local, trial.slot);
    if (trial.corrupt) trial.corrupt(session, recv);
    all[static_cast<std::size_t>(local.rank)] = check_slot(session, on_thread, trial.slot).front();
  });
  return all;
}

std::vector<std::uint64_t> wrong(const SlotTrial& trial) {
  std::vector<std::uint64_t> counts;
  for (const auto& check : checks(trial)) counts.push_back(check.wrong);
  return counts;
}

using Wrong = std::vector<std::uint64_t>;

TEST(CheckSlot, FindsNothingAfterRightCallsOfEveryCollective) {
  for (const auto* collective : all_collectives())
    for (const auto placement : {Placement::out_of_place, Placement::in_place}) {
      if (collective->varies || (placement == Placement::in_place && !collective->in_place))
        continue;
      if (collective->refusal != nullptr && collective->refusal(3)) continue;
      const Case what{.collective = collective, .bytes = kSlotBytes, .root = collective->rooted};
      for (const std::size_t slot : {std::size_t{0}, kSpareSlot})
        EXPECT_EQ(wrong({.what = what, .placement = placement, .slot = slot}), Wrong(3))
            << collective->name << ' ' << name_of(placement);
    }
}

TEST(CheckSlot, FindsNothingInUnalignedBuffersOrGroups) {
  EXPECT_EQ(wrong({.config = bench_config({}, {.unalign = 1})}), Wrong(3));
  EXPECT_EQ(
      wrong({.config = bench_config({}, {.split = {.kind = SplitRule::Kind::mod, .value = 2}})}),
      Wrong(3));
}

TEST(CheckSlot, FindsEveryElementWrongWhereNothingWasWritten) {
  EXPECT_EQ(wrong({.calls = false}), Wrong(3, kSlotBytes / sizeof(float)));
}

TEST(CheckSlot, NamesRankElementAndBits) {
  const auto flip = [](const Session& session, View recv) {
    if (session.ranks().front().rank == 2) recv[5 * sizeof(float)] ^= std::byte{1};
  };

  const auto found = checks({.corrupt = flip});

  EXPECT_EQ(found[0].wrong + found[1].wrong, 0U);
  EXPECT_EQ(found[2].wrong, 1U);
  EXPECT_EQ(found[2].rank, 2);
  EXPECT_EQ(found[2].first.index, 5U);
  EXPECT_EQ(found[2].first.expected_bits ^ found[2].first.got_bits, 1U);
}

// Each rank's element in another rank's part.
TEST(CheckSlot, CountsElementsFromTheStartOfTheSlotOverAllParts) {
  constexpr std::size_t kBlock = kSlotBytes / sizeof(float) / 3;
  const auto flip = [](const Session&, View recv) {
    recv[(kBlock + 7) * sizeof(float)] ^= std::byte{1};
    recv[(2 * kBlock + 7) * sizeof(float)] ^= std::byte{1};
  };

  const auto found = checks({.what = case_of("all_gather", kSlotBytes), .corrupt = flip});

  EXPECT_EQ(found[0].wrong, 2U);
  EXPECT_EQ(found[0].first.index, kBlock + 7);
}

// Only the root of a reduce receives: elsewhere poison must be left.
TEST(CheckSlot, SeesWhatIsWrittenWhereNoResultBelongs) {
  const auto write = [](const Session&, View recv) { recv[8] = std::byte{0x3f}; };

  EXPECT_EQ(wrong({.what = case_of("reduce", kSlotBytes), .corrupt = write}), (Wrong{1, 1, 1}));
}

TEST(AddChecks, CountsOnlyTheWrongElementsOfTheseRanks) {
  const std::vector<RankCheck> checks{{.rank = 0},
                                      {.rank = 1, .wrong = 2, .first = {.index = 7}},
                                      {.rank = 2, .wrong = 4, .first = {.index = 9}},
                                      {.rank = 1, .wrong = 3, .first = {.index = 8}}};
  Record record;

  add_checks(checks, std::array{0, 1}, record);

  EXPECT_EQ(record.wrong, 5U);
  ASSERT_TRUE(record.where);
  EXPECT_EQ(record.where->rank, 1);
  EXPECT_EQ(record.where->first.index, 7U);
  EXPECT_EQ(record.where->count_per_rank, (std::vector<std::pair<int, std::uint64_t>>{{1, 5}}));
}

TEST(AddChecks, SayNoPlaceWhereNothingIsWrong) {
  Record record;

  add_checks(std::vector<RankCheck>{{.rank = 0}}, std::array{0}, record);

  EXPECT_EQ(record.wrong, 0U);
  EXPECT_FALSE(record.where);
}

}  // namespace
}  // namespace linerate
