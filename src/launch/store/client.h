// A client of the rendezvous store, good for one deadline.
#pragma once

#include "launch/net/socket.h"
#include "launch/store/protocol.h"

#include <string>
#include <string_view>

namespace linerate {

// Connects again whenever the connection is lost, until the deadline. Throws TimeoutError with the
// store's address, or Error when the store refuses (another token).
class StoreClient {
 public:
  // `deadline` is copied; its clock outlives the client.
  StoreClient(SocketAddress store, std::string token, const Deadline& deadline);

  // False when somebody else has set the key to another value.
  bool set(std::string_view key, std::string_view value);
  // Waits until the key is set; `what` says for whom it waits: "rank 3 to join".
  std::string get(std::string_view key, std::string_view what);

  void leave() noexcept { socket_.close(); }

  // This end of the connection, numeric: the address at which the store's host reaches this one.
  std::string local_host();

 private:
  template <typename Attempt>
  auto retry(std::string_view what, Attempt attempt);
  Frame ask(const Frame& request, std::string_view what);
  Frame ask_once(const Frame& request);
  void connect();

  SocketAddress store_;
  std::string token_;
  Deadline deadline_;
  Socket socket_;
};

}  // namespace linerate
