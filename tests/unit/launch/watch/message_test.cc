// Messages of the watch as bytes: what goes in comes out, and nothing else does.
#include "launch/watch/link.h"

#include <gtest/gtest.h>

#include <random>

namespace linerate {
namespace {

std::vector<ControlMessage> examples() {
  return {LostMessage{{{LossKind::failed, 3, 4, {8, 9}, "rank 4: no space left"},
                       {LossKind::died, 1, 2, {}, ""}}},
          InquiryMessage{.origin = 7, .serial = 2},
          StatusMessage{.origin = 7,
                        .serial = 2,
                        .process = 5,
                        .threads = {{.counter = 3,
                                     .entered_ns = 12,
                                     .bytes = 1 << 20,
                                     .what = "warm-up",
                                     .collective = "all_reduce",
                                     .placement = "in place"}},
                        .unlinked = {1, 2}},
          LeaveMessage{Presence::ending}, LeaveSeenMessage{}};
}

TEST(ControlMessage, ComesBackFromItsBytes) {
  for (const auto& message : examples()) {
    const auto back = decode(encode(message));

    ASSERT_TRUE(back);
    EXPECT_EQ(back->index(), message.index());
    EXPECT_EQ(encode(*back), encode(message));
  }
}

TEST(ControlMessage, KeepsWhatALossSays) {
  const auto back = decode(encode(examples()[0]));

  const auto& loss = std::get<LostMessage>(*back).losses.at(0);
  EXPECT_EQ(loss.kind, LossKind::failed);
  EXPECT_EQ(loss.origin, 3);
  EXPECT_EQ(loss.process, 4);
  EXPECT_EQ(loss.ranks, (std::vector{8, 9}));
  EXPECT_EQ(loss.sentence, "rank 4: no space left");
}

TEST(ControlMessage, IsRefusedWhenCutOrTooLong) {
  for (const auto& message : examples()) {
    auto bytes = encode(message);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(decode(std::span(bytes).first(length)));
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode(bytes));
  }
}

TEST(ControlMessage, SurvivesAnyBytes) {
  std::mt19937 random(1);

  for (int i = 0; i < 100'000; ++i) {
    Bytes bytes(random() % 64);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() % (i % 2 == 0 ? 256 : 6));
    const auto message = decode(bytes);
    if (message) {
      EXPECT_EQ(encode(*message).size(), bytes.size());
    }
  }
}

}  // namespace
}  // namespace linerate
