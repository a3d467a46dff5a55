// The messages between the watches of two neighbours in the tree, and the connection that carries
// them whole and never waits.
#pragma once

#include "base/handle.h"
#include "comm/bootstrap.h"
#include "launch/watch/page.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace linerate {

// In order of weight: a death explains failures and missing ranks, a failure explains missing
// ranks.
enum class LostProcessKind : std::uint8_t { died, failed, missing };

// One process that the job lost, or, where `process` is -1, a job that hangs with nobody missing.
struct LostProcess {
  LostProcessKind kind = LostProcessKind::died;
  int origin = 0;  // process that noticed it
  int process = -1;
  std::vector<int> ranks;
  std::string sentence;

  static auto members(auto& loss) {
    return std::tie(loss.kind, loss.origin, loss.process, loss.ranks, loss.sentence);
  }
};

// To all: the job ends because of these.
struct LostMessage {
  std::vector<LostProcess> losses;

  static auto members(auto& message) { return std::tie(message.losses); }
};

// To all: what are you doing? Threads of `origin` wait too long. Inquiries of one origin are
// numbered.
struct InquiryMessage {
  int origin = 0;
  std::uint32_t serial = 0;
};

// To the origin of an inquiry, back along the way on which it came first.
struct StatusMessage {
  int origin = 0;
  std::uint32_t serial = 0;
  int process = 0;
  // entered_ns is how long the thread has made no headway, because clocks of nodes differ. Empty:
  // the process has left.
  std::vector<ThreadStatus> threads;
  std::vector<int> unlinked;  // neighbours that this process cannot ask

  static auto members(auto& status) {
    return std::tie(status.origin, status.serial, status.process, status.threads, status.unlinked);
  }
};

// To a neighbour: this process ends, and its end is no loss. It is answered, so that it can wait.
struct LeaveMessage {
  Presence presence = Presence::left;
};
struct LeaveSeenMessage {
  static auto members(auto&) { return std::tuple<>(); }
};

using ControlMessage =
    std::variant<LostMessage, InquiryMessage, StatusMessage, LeaveMessage, LeaveSeenMessage>;

// The integers are those of the machine: the processes of a job run one binary.
Bytes encode(const ControlMessage& message);

// Nothing where the bytes are no message: any bytes may come.
std::optional<ControlMessage> decode(std::span<const std::byte> bytes);

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
