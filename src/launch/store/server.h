// The rendezvous store: a small TCP key-value server on a thread of rank 0's process.
//
// Processes that know nothing but rank 0's address meet here (client.h), leave the address at which
// they listen, and fetch that of their parent in the tree. The store ends when all have met.
// protocol.h holds the requests and the table, connection.h one client as the server sees it.
#pragma once

#include "launch/net/socket.h"
#include "launch/store/protocol.h"

#include <memory>
#include <string>
#include <vector>

namespace linerate {

// Serves until it is destroyed. Survives any bytes from anybody who reaches its address: a client
// that does not speak the protocol or has another token is refused, one that is slower than
// kPatienceS with a request or an answer is dropped, and so is the longest-waiting one when there
// are too many (StoreClient comes again).
class StoreServer {
 public:
  static constexpr double kPatienceS = 5.0;
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

}  // namespace linerate
