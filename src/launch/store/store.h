// The rendezvous store: a small TCP key-value server on a thread of rank 0's process, and its
// client.
//
// Processes that know nothing but rank 0's address meet here, leave the address at which they
// listen, and fetch that of their parent in the tree. The store ends when all have met. protocol.h
// holds the requests, the table, and one client as the server sees it.
#pragma once

#include "launch/net/socket.h"
#include "launch/store/protocol.h"

#include <memory>
#include <string>
#include <string_view>

namespace linerate {

// Serves until it is destroyed. Survives any bytes from anybody who reaches its address: a client
// that does not speak the protocol or has another token is refused, one that is slower than
// kRequestTimeoutS with a request or an answer is dropped, and so is the longest-waiting one when
// there are too many (StoreClient comes again).
class StoreServer {
 public:
  static constexpr double kRequestTimeoutS = 5.0;
  static constexpr std::size_t kMaxConnections = 512;

  // `token` is what every client must send; empty: none.
  StoreServer(Listener listener, std::string token);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  SocketAddress address() const;
  // Any thread.
  bool has(const std::string& key) const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

// Connects again whenever the connection is lost, until the deadline. Throws TimeoutError with the
// store's address, or Error when the store refuses (another token).
class StoreClient {
 public:
  // `deadline` is copied; its clock outlives the client. Each connection is given up after
  // `connect_s`; 0: at the deadline.
  StoreClient(SocketAddress store, std::string token, const Deadline& deadline,
              double connect_s = 0);

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
  double connect_s_;
  SteadyClock clock_;
  Socket socket_;
};

}  // namespace linerate
