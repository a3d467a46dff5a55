// Sockets over loopback: whole messages, deadlines, and peers that go away.
#include "launch/net/socket.h"

#include "base/error.h"
#include "unit/launch/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;

struct Pair {
  Socket client;
  Socket server;
};

Pair connected_pair() {
  const auto deadline = later();
  auto listener = Listener::open({"127.0.0.1", 0});
  Pair pair;
  pair.client = connect_to(listener.address(), deadline);
  pair.server = listener.accept(deadline);
  return pair;
}

template <typename Thrown, typename Call>
std::string sentence_of(Call call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing of this kind was thrown";
}

TEST(Socket, MovesAMessageLargerThanItsBuffers) {
  const auto deadline = later();
  auto [client, server] = connected_pair();
  std::vector<std::byte> sent(8 << 20);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 31 >> 3);
  std::vector<std::byte> received(sent.size());

  std::thread sender([&] { client.send_all(sent, deadline); });
  server.recv_all(received, deadline);
  sender.join();

  EXPECT_EQ(received, sent);
}

TEST(Socket, NamesTheLostPeerAndItsRank) {
  auto [client, server] = connected_pair();
  client.name_peer("rank 3 (node07)", 3);
  server.close();
  std::vector<std::byte> buffer(4);

  try {
    client.recv_all(buffer, Deadline::never());
    FAIL() << "a closed peer went unnoticed";
  } catch (const PeerFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("rank 3 (node07)"));
    EXPECT_EQ(failure.ranks(), std::vector<int>{3});
  }
}

TEST(Socket, GivesUpWaitingAtTheDeadlineAndNamesThePeer) {
  auto [client, server] = connected_pair();
  client.name_peer("rank 3 (node07)", 3);
  std::vector<std::byte> buffer(4);

  const auto sentence = sentence_of<TimeoutError>(
      [&, &socket = client] { socket.recv_all(buffer, Deadline::after(kClock, 0.01)); });

  EXPECT_EQ(sentence, "timed out waiting for rank 3 (node07)");
}

TEST(Socket, WakesUpWhenAnotherThreadShutsItDown) {
  auto [client, server] = connected_pair();
  std::vector<std::byte> buffer(4);

  std::thread other([&socket = client] { socket.shutdown(); });
  const auto sentence = sentence_of<PeerFailure>(
      [&, &socket = client] { socket.recv_all(buffer, Deadline::never()); });
  other.join();

  EXPECT_THAT(sentence, HasSubstr("closed"));
}

TEST(Listener, SaysWhatToDoAboutAPortInUse) {
  const auto first = Listener::open({"127.0.0.1", 0});

  const auto sentence = sentence_of<Error>([&] { (void)Listener::open(first.address()); });

  EXPECT_THAT(sentence, HasSubstr(text_of(first.address())));
  EXPECT_THAT(sentence, HasSubstr("uses this port"));
}

TEST(Listener, RefusesAnAddressOfAnotherHost) {
  const auto sentence = sentence_of<Error>([] { (void)Listener::open({"192.0.2.1", 0}); });

  EXPECT_THAT(sentence, HasSubstr("not an address of this host"));
}

TEST(Listener, StopsAcceptingAtTheDeadline) {
  auto listener = Listener::open({"127.0.0.1", 0});

  EXPECT_THROW((void)listener.accept(Deadline::after(kClock, 0.01)), TimeoutError);
}

TEST(ConnectTo, NamesTheAddressAndTheReasonWhenTheDeadlinePasses) {
  SocketAddress address;
  {
    const auto listener = Listener::open({"127.0.0.1", 0});
    address = listener.address();
  }

  const auto sentence =
      sentence_of<TimeoutError>([&] { (void)connect_to(address, Deadline::after(kClock, 0.05)); });

  EXPECT_THAT(sentence, HasSubstr(text_of(address)));
  EXPECT_THAT(sentence, HasSubstr("refused"));
}

TEST(ConnectTo, SaysThatANameCannotBeResolved) {
  const auto sentence = sentence_of<TimeoutError>([&] {
    (void)connect_to({"no-such-host.invalid", 1}, Deadline::after(kClock, 0.01));
  });

  EXPECT_THAT(sentence, HasSubstr("'no-such-host.invalid' cannot be resolved"));
}

TEST(SocketAddress, PutsIpv6InBrackets) {
  EXPECT_EQ(text_of({"10.0.0.1", 29500}), "10.0.0.1:29500");
  EXPECT_EQ(text_of({"::1", 29500}), "[::1]:29500");
}

TEST(SocketAddress, KnowsLoopback) {
  EXPECT_TRUE(is_loopback({"127.0.1.1", 1}));
  EXPECT_TRUE(is_loopback({"::1", 1}));
  EXPECT_FALSE(is_loopback({"10.0.0.1", 1}));
}

}  // namespace
}  // namespace linerate
