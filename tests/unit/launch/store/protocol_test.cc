// Frames and requests of the store, from honest and from any other bytes.
#include "launch/store/protocol.h"

#include "launch/net/frame.h"
#include "launch/store/store.h"
#include "unit/launch/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using State = ParsedFrame::State;

Bytes encoded(const Frame& frame) { return encode_frame(frame.type, frame.payload); }

TEST(ParseFrame, FindsTheFrameAndLeavesTheRest) {
  auto stream = encoded(set_request("address/3", "10.0.0.1"));
  const auto length = stream.size();
  stream.push_back(std::byte{'L'});

  const auto parsed = parse_frame(stream, kMaxStorePayload);

  EXPECT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.type, FrameType::set);
  EXPECT_EQ(parsed.consumed, length);
}

TEST(ParseFrame, WaitsForEveryMissingByte) {
  const auto stream = encoded(get_request("address/3"));

  for (std::size_t length = 0; length < stream.size(); ++length) {
    const auto begun = std::span<const std::byte>(stream).first(length);
    EXPECT_EQ(parse_frame(begun, kMaxStorePayload).state, State::incomplete) << length;
  }
}

TEST(ParseFrame, RefusesAStrangersFirstByte) {
  const auto stream = std::as_bytes(std::span("GET / HTTP/1.1"));

  const auto parsed = parse_frame(stream.first(1), kMaxStorePayload);

  EXPECT_EQ(parsed.state, State::malformed);
  EXPECT_THAT(parsed.problem, HasSubstr("does not speak"));
}

TEST(ParseFrame, NamesAnotherVersion) {
  auto stream = encoded(get_request("k"));
  stream[3] = std::byte{255};

  EXPECT_THAT(parse_frame(stream, kMaxStorePayload).problem, HasSubstr("another version"));
}

TEST(ParseFrame, RefusesTypesAndFlagsThatDoNotExist) {
  auto no_type = encoded(get_request("k"));
  auto high_type = no_type;
  auto flags = no_type;
  no_type[4] = std::byte{0};
  high_type[4] = std::byte{99};
  flags[6] = std::byte{1};

  for (const auto& stream : {no_type, high_type, flags})
    EXPECT_EQ(parse_frame(stream, kMaxStorePayload).state, State::malformed);
}

TEST(ParseFrame, RefusesALengthBeforeItsPayloadIsThere) {
  const auto header = encode_header(FrameType::set, kMaxStorePayload + 1);

  const auto parsed = parse_frame(header, kMaxStorePayload);

  EXPECT_EQ(parsed.state, State::malformed);
  EXPECT_THAT(parsed.problem, HasSubstr("too long"));
}

TEST(ParseRequest, ReadsBackWhatIsAsked) {
  const auto frame = set_request("address/3", "10.0.0.1");

  const auto request = parse_request(frame.type, frame.payload);

  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->type, FrameType::set);
  EXPECT_EQ(request->key, "address/3");
  EXPECT_EQ(request->value, "10.0.0.1");
}

TEST(ParseRequest, KeepsTheLimits) {
  const auto key = set_request(std::string(kMaxKeyBytes + 1, 'k'), "");
  const auto value = set_request("k", std::string(kMaxValueBytes + 1, 'v'));
  const auto token = hello_request(std::string(kMaxTokenBytes + 1, 't'));
  const auto largest =
      set_request(std::string(kMaxKeyBytes, 'k'), std::string(kMaxValueBytes, 'v'));

  for (const auto& frame : {key, value, token})
    EXPECT_FALSE(parse_request(frame.type, frame.payload).ok());
  EXPECT_TRUE(parse_request(largest.type, largest.payload).ok());
  EXPECT_EQ(parse_frame(encoded(largest), kMaxStorePayload).state, State::complete);
}

TEST(ParseRequest, SurvivesRandomBytes) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    Bytes payload(random() % 64);
    for (auto& byte : payload) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    for (const auto type : {FrameType::hello, FrameType::set, FrameType::get, FrameType::data})
      (void)parse_request(type, payload);
  }
}

TEST(ParseFrame, SurvivesDamagedFrames) {
  std::mt19937 random(11);
  const auto good = encoded(set_request("address/3", "10.0.0.1"));
  for (int i = 0; i < 20'000; ++i) {
    auto stream = good;
    for (unsigned n = random() % 4; n-- > 0;)
      stream[random() % stream.size()] = static_cast<std::byte>(random());
    stream.resize(random() % (stream.size() + 1));
    const auto parsed = parse_frame(stream, kMaxStorePayload);
    if (parsed.state == State::complete) {
      ASSERT_LE(parsed.consumed, stream.size());
      (void)parse_request(parsed.type, parsed.payload);
    }
  }
}

TEST(StoreTable, RefusesToChangeAKey) {
  StoreTable table;

  EXPECT_EQ(table.set("k", "1"), StoreTable::Result::stored);
  EXPECT_EQ(table.set("k", "1"), StoreTable::Result::stored);
  EXPECT_EQ(table.set("k", "2"), StoreTable::Result::taken);
  EXPECT_EQ(*table.find("k"), "1");
  EXPECT_EQ(table.find("other"), nullptr);
}

TEST(StoreTable, IsFullAtItsLimit) {
  StoreTable table(10);

  EXPECT_EQ(table.set("a", "1234"), StoreTable::Result::stored);
  EXPECT_EQ(table.set("b", "1234"), StoreTable::Result::stored);
  EXPECT_EQ(table.set("c", ""), StoreTable::Result::full);
}

constexpr std::int64_t kStartNs = 1'000'000'000'000;
constexpr auto kTimeoutNs = static_cast<std::int64_t>(StoreServer::kRequestTimeoutS * 1e9);
constexpr std::int64_t kTooLateNs = kStartNs + kTimeoutNs + 1;

class StoreClientSeen : public ::testing::Test {
 protected:
  StoreClientSeen()
      : listener_(Listener::open({"127.0.0.1", 0})),
        client_(connect_to(listener_.address(), later())),
        connection_(listener_.accept(later()), kStartNs) {}

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

  Listener listener_;
  Socket client_;
  StoreConnection connection_;
};

TEST_F(StoreClientSeen, IsDroppedWhenItSaysNothing) {
  EXPECT_FALSE(connection_.finished(kStartNs + kTimeoutNs));
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

  EXPECT_FALSE(connection_.finished(kStartNs + kTimeoutNs));
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
