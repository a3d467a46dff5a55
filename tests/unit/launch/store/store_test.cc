// The store over loopback: honest clients, late ones, strangers and floods.
#include "launch/store/store.h"

#include "base/error.h"
#include "launch/net/frame.h"
#include "unit/launch/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;

class Store : public ::testing::Test {
 protected:
  static Listener listen() { return Listener::open({"127.0.0.1", 0}); }
  StoreClient client(const StoreServer& server, const std::string& token = "") const {
    return {server.address(), token, later()};
  }

  // Both ends of every connection live in this process.
  static void allow_descriptors(rlim_t count) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, count));
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < count) GTEST_SKIP() << "at most " << limit.rlim_cur << " descriptors here";
  }

  template <typename Thrown, typename Call>
  static std::string sentence_of(Call call) {
    try {
      call();
    } catch (const Thrown& error) {
      return error.what();
    }
    return "nothing of this kind was thrown";
  }
};

TEST_F(Store, YieldsWhatAnotherClientHasSet) {
  StoreServer server(listen(), "");
  client(server).set("k", "value");

  EXPECT_EQ(client(server).get("k", "the key"), "value");
  EXPECT_TRUE(server.has("k"));
  EXPECT_FALSE(server.has("other"));
}

TEST_F(Store, HoldsAGetUntilTheKeyIsSet) {
  StoreServer server(listen(), "");
  std::string received;

  std::thread waiter([&] { received = client(server).get("k", "the key"); });
  client(server).set("k", "at last");
  waiter.join();

  EXPECT_EQ(received, "at last");
}

TEST_F(Store, GivesUpAtTheDeadlineAndSaysForWhom) {
  StoreServer server(listen(), "");
  StoreClient impatient(server.address(), "", soon());

  const auto sentence =
      sentence_of<TimeoutError>([&] { (void)impatient.get("address/3", "rank 3 to join"); });

  EXPECT_THAT(sentence, HasSubstr("rank 3 to join"));
  EXPECT_THAT(sentence, HasSubstr(text_of(server.address())));
}

TEST_F(Store, IsRank0sAndItIsNamedWhereItDoesNotAnswer) {
  const auto mute = listen();
  StoreClient impatient(mute.address(), "", soon()), other(mute.address(), "", soon());

  const auto of_host = sentence_of<TimeoutError>([&] { (void)impatient.local_host(); });
  const auto of_set = sentence_of<TimeoutError>([&] { other.set("k", "v"); });

  EXPECT_THAT(of_host, HasSubstr("timed out waiting for rank 0"));
  EXPECT_THAT(of_set, HasSubstr("timed out waiting for rank 0"));
}

TEST_F(Store, IsFoundByAClientThatStartedFirst) {
  SocketAddress address;
  {
    const auto probe = listen();
    address = probe.address();
  }
  std::thread early([&] { StoreClient(address, "", later()).set("early", "bird"); });

  StoreServer server(Listener::open(address), "");
  const auto value = client(server).get("early", "the bird");
  early.join();

  EXPECT_EQ(value, "bird");
}

TEST_F(Store, SaysThatAKeyIsTaken) {
  StoreServer server(listen(), "");
  auto mine = client(server);

  EXPECT_TRUE(mine.set("address/1", "here"));
  EXPECT_TRUE(mine.set("address/1", "here"));
  EXPECT_FALSE(client(server).set("address/1", "there"));
}

TEST_F(Store, RefusesAnotherToken) {
  StoreServer server(listen(), "secret");

  for (const auto* token : {"", "Secret", "secret2"}) {
    const auto sentence = sentence_of<Error>([&] { client(server, token).set("k", "v"); });
    EXPECT_THAT(sentence, HasSubstr("LINERATE_TOKEN"));
  }
  client(server, "secret").set("k", "v");

  EXPECT_TRUE(server.has("k"));
}

TEST_F(Store, AnswersNothingBeforeTheToken) {
  StoreServer server(listen(), "secret");
  auto stranger = connect_to(server.address(), later());

  send_frame(stranger, set_request("k", "v"), later());
  const auto answer = recv_frame(stranger, kMaxStorePayload, later());

  EXPECT_EQ(answer.type, FrameType::refused);
  EXPECT_FALSE(server.has("k"));
}

TEST_F(Store, ServesOthersWhileOneSendsHalfAFrame) {
  StoreServer server(listen(), "");
  auto half = connect_to(server.address(), later());
  const auto hello = hello_request("");
  const auto frame = encode_frame(hello.type, hello.payload);
  half.send_all(std::span(frame).first(5), later());

  client(server).set("k", "v");

  EXPECT_TRUE(server.has("k"));
}

TEST_F(Store, SurvivesGarbage) {
  StoreServer server(listen(), "");
  std::mt19937 random(3);

  for (int i = 0; i < 200; ++i) {
    auto stranger = connect_to(server.address(), later());
    Bytes garbage(1 + random() % 8192);
    for (auto& byte : garbage) byte = static_cast<std::byte>(random());
    // Every other one begins like a frame.
    if (i % 2 == 0) {
      const auto header = encode_header(FrameType::set, random() % 5000);
      std::copy(
          header.begin(),
          header.begin() + static_cast<std::ptrdiff_t>(std::min(header.size(), garbage.size())),
          garbage.begin());
    }
    try {
      stranger.send_all(garbage, later());
    } catch (const PeerFailure&) {
      // It has seen enough.
    }
  }
  client(server).set("k", "v");

  EXPECT_EQ(client(server).get("k", "the key"), "v");
}

TEST_F(Store, ServesHonestClientsThroughAFloodOfStrangers) {
  allow_descriptors(2 * StoreServer::kMaxConnections + 256);
  if (IsSkipped()) return;
  StoreServer server(listen(), "");
  std::vector<Socket> flood;
  for (std::size_t i = 0; i < StoreServer::kMaxConnections + 100; ++i) {
    flood.push_back(connect_to(server.address(), later()));
  }

  client(server).set("k", "v");

  EXPECT_EQ(client(server).get("k", "the key"), "v");
}

TEST_F(Store, LetsClientsThatItDroppedComeAgain) {
  allow_descriptors(2 * StoreServer::kMaxConnections + 256);
  if (IsSkipped()) return;
  StoreServer server(listen(), "");
  std::string received;
  std::thread waiter([&] { received = client(server).get("k", "the key"); });
  // Authenticated clients that fill every place, so that the longest-waiting one must go.
  std::vector<Socket> crowd;
  for (std::size_t i = 0; i < StoreServer::kMaxConnections; ++i) {
    crowd.push_back(connect_to(server.address(), later()));
    send_frame(crowd.back(), hello_request(""), later());
    (void)recv_frame(crowd.back(), kMaxStorePayload, later());
  }

  client(server).set("k", "v");
  waiter.join();

  EXPECT_EQ(received, "v");
}

TEST_F(Store, ServesManyClientsAtOnce) {
  constexpr int kClients = 32;
  StoreServer server(listen(), "");
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;

  for (int i = 0; i < kClients; ++i)
    threads.emplace_back([&, i] {
      auto mine = client(server);
      mine.set(std::to_string(i), "v" + std::to_string(i));
      const int next = (i + 1) % kClients;
      if (mine.get(std::to_string(next), "the next") == "v" + std::to_string(next)) ++right;
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(right, kClients);
}

TEST_F(Store, ListensOnTheGivenAddressOnly) {
  StoreServer server(listen(), "");
  const SocketAddress elsewhere{"127.0.0.2", server.address().port};

  EXPECT_THROW((void)connect_to(elsewhere, soon()), TimeoutError);
}

TEST_F(Store, WorksOverIpv6) {
  std::optional<Listener> listener;
  try {
    listener = Listener::open({"::1", 0});
  } catch (const Error& error) {
    GTEST_SKIP() << "no IPv6 here: " << error.what();
  }
  StoreServer server(std::move(*listener), "");

  client(server).set("k", "v");

  EXPECT_EQ(client(server).get("k", "the key"), "v");
}

TEST_F(Store, TellsAnotherProgramOnThePortFromAStore) {
  auto other = listen();
  std::thread program([&] {
    auto socket = other.accept(later());
    const auto greeting = std::as_bytes(std::span("SSH-2.0-OpenSSH_9.2"));
    socket.send_all(greeting, later());
  });

  const auto sentence =
      sentence_of<Error>([&] { StoreClient(other.address(), "", later()).set("k", "v"); });
  program.join();

  EXPECT_THAT(sentence, HasSubstr("does not speak linerate's protocol"));
}

}  // namespace
}  // namespace linerate
