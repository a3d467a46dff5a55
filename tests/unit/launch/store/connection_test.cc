// One client as the server sees it: who may stay, and who is too slow.
#include "launch/store/connection.h"

#include "base/clock.h"
#include "launch/net/frame_socket.h"
#include "launch/store/server.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::int64_t kStartNs = 1'000'000'000'000;
constexpr auto kPatienceNs = static_cast<std::int64_t>(StoreServer::kPatienceS * 1e9);
constexpr std::int64_t kTooLateNs = kStartNs + kPatienceNs + 1;

class StoreClientSeen : public ::testing::Test {
 protected:
  StoreClientSeen()
      : listener_(Listener::open({"127.0.0.1", 0})),
        client_(connect_to(listener_.address(), later())),
        connection_(listener_.accept(later()), kStartNs) {}

  Deadline later() const { return Deadline::after(clock_, 30); }
  void send(std::span<const std::byte> bytes) { client_.send_all(bytes, later()); }
  void send(const Frame& frame) { send(encode_frame(frame.type, frame.payload)); }
  // Loopback delivers at once, but not within the call that sends.
  std::optional<StoreRequest> next_request() {
    for (;;) {
      connection_.move_bytes(kStartNs);
      const auto request = connection_.next_request(kStartNs);
      if (request || connection_.finished(kStartNs)) return request;
    }
  }

  SteadyClock clock_;
  Listener listener_;
  Socket client_;
  StoreConnection connection_;
};

TEST_F(StoreClientSeen, IsDroppedWhenItSaysNothing) {
  EXPECT_FALSE(connection_.finished(kStartNs + kPatienceNs));
  EXPECT_TRUE(connection_.finished(kTooLateNs));
}

TEST_F(StoreClientSeen, MayWaitForAKeyAsLongAsItLikes) {
  send(hello_request(""));
  (void)next_request();
  connection_.welcome(kStartNs);
  send(get_request("k"));
  const auto request = next_request();
  ASSERT_TRUE(request);

  connection_.wait_for(request->key);

  EXPECT_TRUE(connection_.waits_for("k"));
  EXPECT_FALSE(connection_.finished(100 * kTooLateNs));
}

TEST_F(StoreClientSeen, IsDroppedInTheMiddleOfARequest) {
  send(hello_request(""));
  (void)next_request();
  connection_.welcome(kStartNs);
  EXPECT_FALSE(connection_.finished(kTooLateNs));
  send(encode_header(FrameType::get, 100));

  // The server looks as often as it takes the bytes to arrive.
  while (!connection_.finished(kTooLateNs)) connection_.move_bytes(kStartNs);

  EXPECT_FALSE(connection_.finished(kStartNs + kPatienceNs));
  EXPECT_FALSE(connection_.next_request(kStartNs));
}

TEST_F(StoreClientSeen, IsRefusedWithAReason) {
  send(std::as_bytes(std::span("hello, world")));

  EXPECT_FALSE(next_request());

  const auto answer = recv_frame(client_, kMaxStorePayload, later());
  EXPECT_EQ(answer.type, FrameType::refused);
  EXPECT_TRUE(connection_.finished(kStartNs));
}

TEST_F(StoreClientSeen, IsFinishedWhenItHasGone) {
  client_.close();

  EXPECT_FALSE(next_request());

  EXPECT_TRUE(connection_.finished(kStartNs));
}

}  // namespace
}  // namespace linerate
