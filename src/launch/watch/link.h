// A connection between the watches of two neighbours in the tree: whole messages, never waiting.
#pragma once

#include "base/handle.h"
#include "launch/watch/message.h"

#include <cstddef>
#include <vector>

namespace linerate {

// Used by one thread. A link breaks when the other side closes it, cannot be reached or sends what
// is no message; it then sends and receives nothing more.
class ControlLink {
 public:
  // `fd` is a connected, non-blocking stream; `peer` the process at its other end.
  ControlLink(FileDescriptor fd, int peer) : fd_(std::move(fd)), peer_(peer) {}

  int fd() const { return fd_.get(); }
  int peer() const { return peer_; }

  // Sends at once as much as the socket takes; flush() sends the rest when poll() says so.
  void send(const ControlMessage& message);
  void flush();
  bool has_unsent() const { return !unsent_.empty(); }

  // The messages that have come in whole. What came before the end of a link is still yielded.
  std::vector<ControlMessage> receive();

  bool broken() const { return broken_; }
  // 0: closed by the other side; otherwise the errno.
  int reason() const { return reason_; }

 private:
  void fill();
  void end(int reason);

  FileDescriptor fd_;
  int peer_;
  Bytes unsent_, received_;
  bool broken_ = false;
  int reason_ = 0;
};

}  // namespace linerate
