// Messages of the watch as bytes: what goes in comes out, and nothing else does; and links between
// watches: whole messages over a stream that cuts them anywhere.
#include "launch/watch/link.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <cerrno>
#include <random>

namespace linerate {
namespace {

std::vector<ControlMessage> examples() {
  return {LostMessage{{{LostProcessKind::failed, 3, 4, {8, 9}, "rank 4: no space left"},
                       {LostProcessKind::died, 1, 2, {}, ""}}},
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
  EXPECT_EQ(loss.kind, LostProcessKind::failed);
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

struct Pair {
  FileDescriptor a, b;
};

Pair socket_pair() {
  int pair[2];
  check_system(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), "socketpair");
  return {FileDescriptor(pair[0]), FileDescriptor(pair[1])};
}

void write(int fd, std::span<const std::byte> bytes) {
  ASSERT_EQ(::send(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
}

TEST(ControlLink, YieldsMessagesOnceTheyAreWhole) {
  auto [a, b] = socket_pair();
  ControlLink link(std::move(a), 1);
  const auto message = encode(InquiryMessage{.origin = 3, .serial = 4});
  const auto length = static_cast<std::uint32_t>(message.size());

  write(b.get(), std::as_bytes(std::span(&length, 1)));
  write(b.get(), std::span(message).first(2));
  EXPECT_TRUE(link.receive().empty());
  write(b.get(), std::span(message).subspan(2));

  const auto messages = link.receive();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(std::get<InquiryMessage>(messages[0]).origin, 3);
}

TEST(ControlLink, YieldsWhatCameBeforeItsEnd) {
  auto [a, b] = socket_pair();
  ControlLink link(std::move(a), 1);
  {
    ControlLink other(std::move(b), 0);
    other.send(LeaveMessage{});
    other.send(LeaveSeenMessage{});
  }

  const auto messages = link.receive();

  EXPECT_EQ(messages.size(), 2u);
  EXPECT_TRUE(link.broken());
  EXPECT_EQ(link.reason(), 0);
}

TEST(ControlLink, KeepsWhatTheSocketDoesNotTakeYet) {
  auto [a, b] = socket_pair();
  ControlLink link(std::move(a), 1), other(std::move(b), 0);
  const LostMessage message{{{.ranks = {}, .sentence = std::string(1 << 20, 'x')}}};

  link.send(message);
  ASSERT_TRUE(link.has_unsent());
  std::vector<ControlMessage> messages;
  while (messages.empty()) {
    link.flush();
    messages = other.receive();
  }

  EXPECT_FALSE(link.has_unsent());
  EXPECT_EQ(std::get<LostMessage>(messages[0]).losses[0].sentence.size(), std::size_t{1} << 20);
}

TEST(ControlLink, BreaksWhenItReceivesNoMessage) {
  auto [a, b] = socket_pair();
  ControlLink link(std::move(a), 1);
  const Bytes rubbish(100, std::byte{0xff});

  write(b.get(), rubbish);

  EXPECT_TRUE(link.receive().empty());
  EXPECT_TRUE(link.broken());
  EXPECT_EQ(link.reason(), EPROTO);
}

}  // namespace

}  // namespace linerate
