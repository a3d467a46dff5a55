// The profiler plugin through the entry points that NCCL calls, in each version of the interface.
#include "backends/nccl/profiler/entry_points.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>

namespace linerate::nccl::profiler {
namespace {

using Memory = std::array<std::byte, 64>;

// One version: its table, and init with the arguments of that version.
struct V2 {
  using Event = EventV2;
  static const auto& table() { return ncclProfiler_v2; }
  static constexpr bool kChannels = false;
  static auto init(void** context, int* mask, int) { return table().init(context, mask); }
};
struct V3 {
  using Event = EventV3;
  static const auto& table() { return ncclProfiler_v3; }
  static constexpr bool kChannels = false;
  static auto init(void** context, int* mask, int) { return table().init(context, mask); }
};
struct V4 {
  using Event = EventV4;
  static const auto& table() { return ncclProfiler_v4; }
  static constexpr bool kChannels = true;
  static auto init(void** context, int* mask, int rank) {
    return table().init(context, mask, "a name", 11, 1, 2, rank, nullptr);
  }
};
struct V5 {
  using Event = EventV5;
  static const auto& table() { return ncclProfiler_v5; }
  static constexpr bool kChannels = true;
  static auto init(void** context, int* mask, int rank) {
    return table().init(context, 11, mask, nullptr, 1, 2, rank, nullptr);
  }
};

template <typename Version>
class Profiler : public testing::Test {
 protected:
  using Event = typename Version::Event;

  void SetUp() override { ASSERT_EQ(Version::init(&context_, &mask_, 0), ncclSuccess); }
  void TearDown() override { ASSERT_EQ(Version::table().finalize(context_), ncclSuccess); }

  // The handle that the plugin gives the event.
  void* start(Event event) {
    void* handle = &event;  // NCCL does not clear it
    EXPECT_EQ(Version::table().start_event(context_, &handle, &event), ncclSuccess);
    return handle;
  }

  static Event collective(int rank, const Memory& send, Memory& recv, const char* algorithm) {
    Event event{.type = kCollective, .rank = rank, .collective = {}};
    event.collective.send = send.data();
    event.collective.recv = recv.data();
    event.collective.algorithm = algorithm;
    event.collective.protocol = "LL128";
    if constexpr (Version::kChannels)
      event.collective.channels = 12;
    else
      event.collective.most_channels = 32;
    return event;
  }

  static Event message(int rank, std::byte* buffer, [[maybe_unused]] std::uint8_t channels) {
    Event event{.type = kMessage, .rank = rank, .message = {}};
    event.message.buffer = buffer;
    if constexpr (Version::kChannels) event.message.channels = channels;
    return event;
  }

  int mask_ = 99;  // whatever NCCL had there
  void* context_ = nullptr;
  Memory send_{}, recv_{};
};

using Versions = testing::Types<V2, V3, V4, V5>;
TYPED_TEST_SUITE(Profiler, Versions);

TYPED_TEST(Profiler, AsksForEventsOnlyWhileACallIsObserved) {
  EXPECT_EQ(this->mask_, 0);

  {
    const Observation first(call_recorder(), 0);
    const auto second = std::make_unique<Observation>(call_recorder(), 1);
    EXPECT_EQ(this->mask_, kCollective | kMessage);
  }

  EXPECT_EQ(this->mask_, 0);
}

TYPED_TEST(Profiler, GoesOnWhileOneOfTwoObserves) {
  const Observation first(call_recorder(), 0);

  { const Observation second(call_recorder(), 1); }

  EXPECT_EQ(this->mask_, kCollective | kMessage);
}

TYPED_TEST(Profiler, AsksACommunicatorToReportThatBeginsWhileACallIsObserved) {
  const Observation observation(call_recorder(), 0);
  void* context = nullptr;
  int mask = 0;

  ASSERT_EQ(TypeParam::init(&context, &mask, 1), ncclSuccess);

  EXPECT_EQ(mask, kCollective | kMessage);
  EXPECT_EQ(TypeParam::table().finalize(context), ncclSuccess);
}

TYPED_TEST(Profiler, TellsWhatACollectiveRan) {
  Observation observation(call_recorder(), 3);
  observation.expect(this->send_, this->recv_);

  this->start(this->collective(3, this->send_, this->recv_, "NVLS_TREE"));

  const CallFacts expected{
      .algorithm = "NVLS_TREE", .protocol = "LL128", .channels = TypeParam::kChannels ? 12 : 0};
  EXPECT_EQ(observation.facts(), expected);
}

TYPED_TEST(Profiler, LeavesOutWhatNcclHasNoNameFor) {
  Observation observation(call_recorder(), 0);
  observation.expect(this->send_, this->recv_);
  auto event = this->collective(0, this->send_, this->recv_, "Unknown");
  event.collective.protocol = nullptr;

  this->start(event);

  EXPECT_EQ(observation.facts().algorithm, "");
  EXPECT_EQ(observation.facts().protocol, "");
}

TYPED_TEST(Profiler, CountsTheMostChannelsOfTheMessagesOfACall) {
  Observation observation(call_recorder(), 0);
  observation.expect(this->send_, this->recv_);

  this->start(this->message(0, this->send_.data() + 32, 4));
  this->start(this->message(0, this->recv_.data() + 63, 8));
  this->start(this->message(0, this->recv_.data(), 2));

  const CallFacts expected{.algorithm = "p2p", .channels = TypeParam::kChannels ? 8 : 0};
  EXPECT_EQ(observation.facts(), expected);
}

TYPED_TEST(Profiler, KeepsCallsOfDifferentCommunicatorsApart) {
  Memory other_send{}, other_recv{};
  Observation observation(call_recorder(), 0), other(call_recorder(), 0);
  observation.expect(this->send_, this->recv_);
  other.expect(other_send, other_recv);

  this->start(this->collective(0, other_send, other_recv, "PAT"));
  this->start(this->collective(0, this->send_, this->recv_, "RING"));

  EXPECT_EQ(observation.facts().algorithm, "RING");
  EXPECT_EQ(other.facts().algorithm, "PAT");
}

TYPED_TEST(Profiler, TakesMessagesOfItsOwnBuffersOnly) {
  const std::span memory(this->send_);
  Observation observation(call_recorder(), 0);
  observation.expect(memory.subspan(16, 16), {});

  this->start(this->message(0, memory.data() + 15, 1));
  this->start(this->message(0, memory.data() + 32, 1));
  EXPECT_EQ(observation.facts(), CallFacts{});

  this->start(this->message(0, memory.data() + 31, 1));
  EXPECT_EQ(observation.facts().algorithm, "p2p");
}

TYPED_TEST(Profiler, PassesOverEventsOfOtherRanks) {
  Observation observation(call_recorder(), 1);
  observation.expect(this->send_, this->recv_);

  this->start(this->collective(0, this->send_, this->recv_, "RING"));
  this->start(this->message(0, this->send_.data(), 1));

  EXPECT_EQ(observation.facts(), CallFacts{});
}

TYPED_TEST(Profiler, ForgetsTheLastCallWithTheNext) {
  Observation observation(call_recorder(), 0);
  observation.expect(this->send_, this->recv_);
  this->start(this->collective(0, this->send_, this->recv_, "RING"));

  observation.expect(this->send_, this->recv_);

  EXPECT_EQ(observation.facts(), CallFacts{});
}

// Before 2.28 NCCL tells nothing of a group that has no handle; what has one costs a call more.
TYPED_TEST(Profiler, GivesHandlesToGroupsOnly) {
  EXPECT_NE(this->start({.type = kGroup, .collective = {}}), nullptr);
  EXPECT_EQ(this->start(this->collective(0, this->send_, this->recv_, "RING")), nullptr);
  EXPECT_EQ(this->start(this->message(0, this->send_.data(), 1)), nullptr);
  EXPECT_EQ(this->start({.type = 1 << 3, .collective = {}}),
            nullptr);  // a kind that was not asked for
}

TYPED_TEST(Profiler, BearsCallsInAnyOrder) {
  const auto& table = TypeParam::table();
  int mask = 0;
  void* context = nullptr;
  ASSERT_EQ(TypeParam::init(&context, &mask, 1), ncclSuccess);
  auto event = this->collective(0, this->send_, this->recv_, "RING");
  void* handle = nullptr;

  EXPECT_EQ(table.stop_event(nullptr), ncclSuccess);
  EXPECT_EQ(table.record_event_state(nullptr, 19, nullptr), ncclSuccess);
  EXPECT_EQ(table.finalize(nullptr), ncclSuccess);
  EXPECT_EQ(table.finalize(context), ncclSuccess);
  EXPECT_EQ(table.finalize(context), ncclSuccess);
  EXPECT_EQ(table.start_event(context, &handle, &event), ncclSuccess);
  EXPECT_EQ(table.start_event(nullptr, nullptr, &event), ncclSuccess);
  EXPECT_EQ(table.start_event(context, &handle, nullptr), ncclSuccess);
  EXPECT_EQ(table.stop_event(handle), ncclSuccess);
  EXPECT_NE(TypeParam::init(nullptr, &mask, 0), ncclSuccess);
  EXPECT_NE(TypeParam::init(&context, nullptr, 0), ncclSuccess);
}

TYPED_TEST(Profiler, LeavesTheMaskOfAnEndedLibraryAlone) {
  int mask = 0;
  std::array<void*, 2> contexts{};
  for (int rank : {0, 1})
    ASSERT_EQ(TypeParam::init(&contexts[static_cast<std::size_t>(rank)], &mask, rank), ncclSuccess);

  EXPECT_EQ(TypeParam::table().finalize(contexts[0]), ncclSuccess);
  {
    const Observation one_lives(call_recorder(), 1);
    EXPECT_NE(mask, 0);
  }
  EXPECT_EQ(TypeParam::table().finalize(contexts[1]), ncclSuccess);
  {
    const Observation none_lives(call_recorder(), 1);
    EXPECT_EQ(mask, 0);
  }
}

}  // namespace
}  // namespace linerate::nccl::profiler
