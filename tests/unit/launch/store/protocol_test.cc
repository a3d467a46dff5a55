// Frames and requests of the store, from honest and from any other bytes.
#include "launch/store/protocol.h"

#include "launch/net/token.h"

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
  stream[3] = std::byte{2};

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
  EXPECT_EQ(request->kind, StoreRequest::Kind::set);
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

}  // namespace
}  // namespace linerate
