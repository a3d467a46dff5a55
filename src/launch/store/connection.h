// One client of the store, as the server sees it: bytes in, requests out, answers back, limits
// kept.
#pragma once

#include "launch/net/socket.h"
#include "launch/store/protocol.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

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
  // Closed, refused, or slower than the server's patience.
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
