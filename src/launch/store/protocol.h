// What the store's clients ask: requests from frames, with hard limits. Pure, for any bytes.
#pragma once

#include "launch/net/frame.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace linerate {

inline constexpr std::size_t kMaxKeyBytes = 128;
inline constexpr std::size_t kMaxValueBytes = 4096;
// Of a request or an answer: a key, a value, and their two lengths.
inline constexpr std::size_t kMaxStorePayload = kMaxKeyBytes + kMaxValueBytes + 16;
// Of all keys and values together: enough for the addresses of a million ranks.
inline constexpr std::size_t kMaxStoredBytes = std::size_t{256} << 20;

struct StoreRequest {
  enum class Kind : std::uint8_t { hello, set, get };
  Kind kind = Kind::hello;
  std::string key{};    // hello: the token
  std::string value{};  // set
};

Frame hello_request(std::string_view token);
Frame set_request(std::string_view key, std::string_view value);
Frame get_request(std::string_view key);

// The sentence says what is wrong with the frame.
Result<StoreRequest> parse_request(FrameType type, std::span<const std::byte> payload);

// Keys that are set once.
class StoreTable {
 public:
  explicit StoreTable(std::size_t max_bytes = kMaxStoredBytes) : max_bytes_(max_bytes) {}

  // stored: also when the key holds this value already; taken: it holds another; full: no room.
  enum class Result : std::uint8_t { stored, taken, full };
  Result set(const std::string& key, const std::string& value);
  const std::string* find(const std::string& key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace linerate
