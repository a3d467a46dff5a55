// Two sides of a link over the loopback: that they meet each other, and nobody else.
#include "bench/survey/link_streams.h"

#include "base/error.h"
#include "launch/solo_bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <future>
#include <span>
#include <vector>

namespace linerate {
namespace {

constexpr double kPatienceS = 20;  // of a test that goes wrong

class Links : public testing::Test {
 protected:
  PairRendezvous rendezvous(int rank, int round, double seconds = kPatienceS) const {
    return {.connecting_rank = rank, .round = round, .deadline = Deadline::after(clock_, seconds)};
  }
  LinkEndpoint endpoint() const {
    return {.port = listener_.address().port, .secret = secret_, .hosts = {"127.0.0.1"}};
  }
  std::future<LinkStreams> connecting(const LinkEndpoint& to,
                                      const PairRendezvous& rendezvous) const {
    return std::async(std::launch::async,
                      [=, this] { return connect_link(to, rendezvous, clock_); });
  }
  std::vector<Socket> accepted(const PairRendezvous& rendezvous) {
    return accept_link(listener_, secret_, rendezvous, clock_);
  }

  SteadyClock clock_;
  LinkSecret secret_ = fresh_link_secret();
  Listener listener_ = Listener::open({"127.0.0.1", 0});
};

// What goes in on one side's streams comes out on the other's.
void expect_joined(std::vector<Socket>& here, std::vector<Socket>& there, const Deadline& until) {
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    const std::byte sent{static_cast<unsigned char>(i + 1)};
    std::byte seen{};
    here[i].send_all({&sent, 1}, until);
    there[i].recv_all({&seen, 1}, until);
    EXPECT_EQ(seen, sent);
  }
}

TEST(Endpoints, ReachAllLeadersAsTheyWereTold) {
  const auto leaders = solo_bootstrap();
  const auto own = open_link_listener({"127.0.0.1"});

  const auto endpoints = gather_endpoints(*leaders, own, Deadline::never());

  ASSERT_EQ(endpoints.size(), 1U);
  EXPECT_EQ(endpoints[0].port, own.listener.address().port);
  EXPECT_EQ(endpoints[0].secret, own.secret);
  EXPECT_EQ(endpoints[0].hosts, own.hosts);
}

TEST_F(Links, AreTheSameStreamsOnBothSides) {
  auto other = connecting(endpoint(), rendezvous(3, 1));

  auto here = accepted(rendezvous(3, 1));
  auto there = other.get();

  EXPECT_EQ(here.size(), 4U);
  EXPECT_EQ(there.host, "127.0.0.1");
  expect_joined(here, there.sockets, Deadline::after(clock_, kPatienceS));
}

TEST_F(Links, OfEarlierRoundsAndOtherPairsAreDropped) {
  auto late = connecting(endpoint(), rendezvous(3, 0));
  auto wrong = connecting(endpoint(), rendezvous(2, 1));
  auto stranger = endpoint();
  stranger.secret = {};
  auto strange = connecting(stranger, rendezvous(3, 1));
  EXPECT_THROW(accepted(rendezvous(3, 1, 0.5)), TimeoutError);
  for (auto* other : {&late, &wrong, &strange}) EXPECT_THROW(other->get(), Error);

  auto other = connecting(endpoint(), rendezvous(3, 1));
  auto here = accepted(rendezvous(3, 1));

  EXPECT_EQ(other.get().sockets.size(), here.size());
}

TEST_F(Links, AreMetAlthoughStrangersSayNothing) {
  const auto until = Deadline::after(clock_, kPatienceS);
  std::vector<Socket> strangers;
  for (int i = 0; i < 100; ++i)  // more than are heard at once
    strangers.push_back(connect_to(listener_.address(), until));
  const std::byte half_a_word{};
  strangers.front().send_all({&half_a_word, 1}, until);
  auto other = connecting(endpoint(), rendezvous(3, 1));

  auto here = accepted(rendezvous(3, 1));
  auto there = other.get();

  expect_joined(here, there.sockets, until);
}

// Passes one stream on as far as its ack, and refuses the second.
void pass_one_on(Listener& from, const SocketAddress& to, const Deadline& until) {
  auto outer = from.accept(until);
  auto inner = connect_to(to, until);
  std::vector<std::byte> greeting(1024);
  std::size_t length = 0;
  while (length == 0 && !until.passed()) length = outer.recv_some(greeting);
  inner.send_all(std::span(greeting).first(length), until);
  std::byte ack{};
  inner.recv_all({&ack, 1}, until);
  outer.send_all({&ack, 1}, until);
  from.accept(until).close();
}

TEST_F(Links, BeginAnewAtTheNextAddress) {
  auto endpoint_there = endpoint();
  endpoint_there.hosts = {"127.0.0.2", "127.0.0.1"};
  auto detour = Listener::open({"127.0.0.2", endpoint_there.port});
  auto passed = std::async(std::launch::async, [&] {
    pass_one_on(detour, listener_.address(), Deadline::after(clock_, kPatienceS));
  });
  auto other = connecting(endpoint_there, rendezvous(3, 1));

  auto here = accepted(rendezvous(3, 1));
  auto there = other.get();
  passed.get();

  EXPECT_EQ(there.host, "127.0.0.1");
  expect_joined(there.sockets, here, Deadline::after(clock_, kPatienceS));
}

TEST_F(Links, ThatNobodyAnswersEndWithTheirDeadlineWhateverTheAddresses) {
  auto many = endpoint();
  many.hosts.assign(5, "127.0.0.1");

  EXPECT_THROW(connect_link(many, rendezvous(3, 1, 0.2), clock_), Error);

  int tried = 0;
  while (listener_.try_accept()) ++tried;
  EXPECT_EQ(tried, 1);
}

TEST_F(Links, NeedAnAddress) {
  EXPECT_THROW(connect_link({.port = 1}, rendezvous(3, 1), clock_), Error);
}

using testing::ElementsAre;

TEST(LinkListeners, ListenAtTheOneAddressOnly) {
  const auto opened = open_link_listener({"127.0.0.2"});

  EXPECT_EQ(opened.listener.address().host, "127.0.0.2");
  EXPECT_GT(opened.listener.address().port, 0);
  EXPECT_THAT(opened.hosts, ElementsAre("127.0.0.2"));
}

TEST(LinkListeners, OfferOneFamily) {
  const auto opened = open_link_listener({"127.0.0.2", "fd00::1"});

  EXPECT_EQ(opened.listener.address().host, "127.0.0.2");
  EXPECT_THAT(opened.hosts, ElementsAre("127.0.0.2"));
}

TEST(LinkListeners, ListenEverywhereForSeveralAddresses) {
  const auto opened = open_link_listener({"127.0.0.1", "127.0.0.2"});

  EXPECT_EQ(opened.listener.address().host, "0.0.0.0");
  EXPECT_THAT(opened.hosts, ElementsAre("127.0.0.1", "127.0.0.2"));
}

}  // namespace

}  // namespace linerate
