// What the store's clients ask, requests from frames with hard limits, and one client as the server
// sees it: bytes in, requests out, answers back.
#pragma once

#include "launch/net/frame.h"
#include "launch/net/socket.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace linerate {

inline constexpr std::size_t kMaxKeyBytes = 128;
inline constexpr std::size_t kMaxValueBytes = 4096;
// Of a request or an answer: a key, a value, and their two lengths.
inline constexpr std::size_t kMaxStorePayload = kMaxKeyBytes + kMaxValueBytes + 16;
// Of all keys and values together: enough for the addresses of a million ranks.
inline constexpr std::size_t kMaxStoredBytes = std::size_t{256} << 20;

// What a client asks; within the limits above.
struct StoreRequest {
  FrameType type = FrameType::hello;  // or set, get
  std::string key{};                  // hello: the token
  std::string value{};                // set
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

// One client as the server sees it: reads and writes without waiting, never throws, and counts the
// time of a slow client. Used by the server's thread. `now_ns` is CLOCK_MONOTONIC.
class StoreConnection {
 public:
  StoreConnection(Socket socket, std::int64_t now_ns);

  int fd() const { return socket_.fd(); }
  short wanted_events() const;  // of poll(2)
  bool authenticated() const { return authenticated_; }

  // Reads and writes what can be moved without waiting.
  void move_bytes(std::int64_t now_ns);
  // The next whole request; nothing while one is being answered. Refuses malformed ones itself.
  std::optional<StoreRequest> next_request(std::int64_t now_ns);

  void welcome(std::int64_t now_ns);
  void wait_for(std::string key) { awaited_key_ = std::move(key); }
  bool waits_for(const std::string& key) const { return awaited_key_ == key; }
  void send(const Frame& answer, std::int64_t now_ns);  // also ends wait_for
  void refuse(std::string_view sentence, std::int64_t now_ns);

  void close() { closed_ = true; }
  // Closed, refused, or slower than StoreServer::kRequestTimeoutS.
  bool finished(std::int64_t now_ns) const;

 private:
  void read(std::int64_t now_ns);
  void write();

  Socket socket_;
  Bytes in_;
  Bytes out_;
  std::optional<std::string> awaited_key_;
  std::int64_t busy_since_ns_;  // of the step that must not last: hello, half a request, an answer
  bool authenticated_ = false;
  bool refused_ = false;  // close once the answer is out
  bool closed_ = false;
};

}  // namespace linerate
