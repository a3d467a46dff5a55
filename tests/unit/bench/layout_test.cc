// Where the slots of a case lie in a rank's buffers.
#include "bench/layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

TEST(Slots, SlideOverAllThatTheBuffersHoldBesideASpareBuffer) {
  const auto slots = slots_of(100, {.bytes = 1050, .spare_bytes = 100}, Sliding::slide);

  EXPECT_EQ(slots.sliding, 10U);
  EXPECT_EQ(slots.spare, Spare::own_buffer);
}

TEST(Slots, AreOneWithFixedBuffers) {
  EXPECT_EQ(slots_of(100, {.bytes = 1000, .spare_bytes = 1000}, Sliding::fixed).sliding, 1U);
  EXPECT_EQ(slots_of(100, {.bytes = 1000}, Sliding::fixed).spare, Spare::none);
}

TEST(Slots, LeaveTheLastOneSpareWhereTheSpareBufferIsTooSmall) {
  const auto slots = slots_of(100, {.bytes = 1000, .spare_bytes = 99}, Sliding::slide);

  EXPECT_EQ(slots.sliding, 9U);
  EXPECT_EQ(slots.spare, Spare::behind);
}

TEST(Slots, HaveNoSpareOneInABufferOfOneSlotWithoutASpareBuffer) {
  const auto slots = slots_of(600, {.bytes = 1000, .spare_bytes = 500}, Sliding::slide);

  EXPECT_EQ(slots.sliding, 1U);
  EXPECT_EQ(slots.spare, Spare::none);
}

TEST(Slots, OfNoBytesAreOne) {
  EXPECT_EQ(slots_of(0, {.bytes = 1000, .spare_bytes = 1000}, Sliding::slide).sliding, 1U);
}

// So that calls slide over as many slots as in nccl-tests, whose buffers are of -e too.
TEST(BufferSizes, AreThoseAskedForWhereTheSweepEndsBelowThem) {
  EXPECT_EQ(buffer_sizes(4096, 512, 0).bytes, 4096U);
  EXPECT_EQ(buffer_sizes(256, 512, 0).bytes, 512U);
}

TEST(BufferSizes, HaveASpareBufferOfTheLargestCaseWhereMemoryHoldsIt) {
  EXPECT_EQ(buffer_sizes(1000, 1000, 3000).spare_bytes, 1000U);
  EXPECT_EQ(buffer_sizes(1000, 600, 1'000'000).spare_bytes, 600U);
}

TEST(BufferSizes, GiveTheSpareBufferWhatMemoryLeaves) {
  EXPECT_EQ(buffer_sizes(1000, 1000, 2400).spare_bytes, 400U);
  EXPECT_EQ(buffer_sizes(1000, 300, 2400).spare_bytes, 300U);
  EXPECT_EQ(buffer_sizes(1000, 1000, 2000).spare_bytes, 0U);
  EXPECT_EQ(buffer_sizes(1000, 1000, 0).spare_bytes, 0U);
}

TEST(LargestCase, IsTheLargestRow) {
  const std::vector<Case> sweep{{.collective = find_collective("all_reduce"), .bytes = 512},
                                {.collective = find_collective("all_reduce"), .bytes = 64}};

  EXPECT_EQ(largest_case(sweep, 2, nullptr), 512U);
}

// Buffers of a rank, in which views are offsets.
class LayoutViews : public testing::Test {
 protected:
  static constexpr std::size_t kElements = 64;  // of 4 bytes, of a slot

  LayoutViews() {
    local_.send = buffer(send_);
    local_.recv = buffer(recv_);
    local_.spare = buffer(spare_);
  }

  Layout layout(const char* collective, Placement placement, BenchConfig config = {}) const {
    const Case what{.collective = find_collective(collective), .bytes = 4 * kElements};
    auto sizing = sizing_of(what, 2, nullptr);
    sizing.rank = 1;
    return layout_of(sizing, what, placement, config, sizes_);
  }
  std::ptrdiff_t in_send(ConstView view) const { return view.data() - send_.data(); }
  std::ptrdiff_t in_recv(ConstView view) const { return view.data() - recv_.data(); }
  std::ptrdiff_t in_spare(ConstView view) const { return view.data() - spare_.data(); }

  BufferSizes sizes_{.bytes = 16 * kElements, .spare_bytes = 4 * kElements};
  LocalRank local_;

 private:
  static Buffer buffer(std::vector<std::byte>& bytes) {
    return {View(bytes), MemoryKind::host, nullptr};
  }
  std::vector<std::byte> send_{20 * kElements}, recv_{20 * kElements}, spare_{8 * kElements};
};

TEST_F(LayoutViews, OfSlotsFollowEachOtherInBothBuffers) {
  const auto slots = layout("all_reduce", Placement::out_of_place);

  EXPECT_EQ(in_send(slots.send_view(local_, 0)), 0);
  EXPECT_EQ(in_send(slots.send_view(local_, 3)), 3 * 4 * kElements);
  EXPECT_EQ(in_recv(slots.recv_view(local_, 3)), 3 * 4 * kElements);
  EXPECT_EQ(slots.recv_view(local_, 3).size(), 4 * kElements);
}

TEST_F(LayoutViews, BeginAfterTheElementsThatUnalignThem) {
  const auto slots =
      layout("all_reduce", Placement::out_of_place, {{}, {.unalign = 3}, {}, {}, {}});

  EXPECT_EQ(in_send(slots.send_view(local_, 1)), 4 * kElements + 12);
  EXPECT_EQ(in_recv(slots.recv_view(local_, 1)), 4 * kElements + 12);
  EXPECT_EQ(in_spare(slots.recv_view(local_, kSpareSlot)), 12);
}

// all_gather's own block is the second of two.
TEST_F(LayoutViews, LieInTheRecvBufferInPlace) {
  const auto slots = layout("all_gather", Placement::in_place);

  EXPECT_EQ(in_recv(slots.send_view(local_, 1)), 4 * kElements + 2 * kElements);
  EXPECT_EQ(in_recv(slots.recv_view(local_, 1)), 4 * kElements);
}

TEST_F(LayoutViews, OfTheSpareSlotReceiveThereAndReadTheInputOfTheFirst) {
  const auto slots = layout("all_reduce", Placement::out_of_place);

  EXPECT_EQ(in_send(slots.send_view(local_, kSpareSlot)), 0);
  EXPECT_EQ(in_spare(slots.recv_view(local_, kSpareSlot)), 0);
}

TEST_F(LayoutViews, OfTheSpareSlotLieThereInPlace) {
  const auto slots = layout("all_gather", Placement::in_place);

  EXPECT_EQ(in_spare(slots.send_view(local_, kSpareSlot)), 2 * kElements);
  EXPECT_EQ(in_spare(slots.recv_view(local_, kSpareSlot)), 0);
}

TEST_F(LayoutViews, OfTheSpareSlotLieBehindTheOthersWithoutASpareBuffer) {
  sizes_.spare_bytes = 0;

  const auto slots = layout("all_reduce", Placement::out_of_place);

  EXPECT_EQ(slots.slots.sliding, 3U);
  EXPECT_EQ(in_recv(slots.recv_view(local_, kSpareSlot)), 3 * 4 * kElements);
  EXPECT_EQ(in_send(slots.send_view(local_, kSpareSlot)), 0);
}

}  // namespace
}  // namespace linerate
