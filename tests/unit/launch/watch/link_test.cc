// Links between watches: whole messages over a stream that cuts them anywhere.
#include "launch/watch/link.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <cerrno>

namespace linerate {
namespace {

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
