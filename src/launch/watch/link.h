// The messages between the watches of two neighbours in the tree, each written and read from one
// description of its members, fields(visitor, message), and the connection that carries them whole
// and never waits.
#pragma once

#include "base/handle.h"
#include "base/wire.h"
#include "comm/bootstrap.h"
#include "launch/watch/page.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace linerate {

class FieldWriter {
 public:
  template <Plain T>
  void operator()(const T& value) {
    wire_.put(value);
  }
  void operator()(const std::string& text) { wire_.put_text(text); }
  template <typename T>
  void operator()(const std::vector<T>& list) {
    each(list, [this](const T& item) { (*this)(item); });
  }
  template <typename List, typename Write>
  void each(List& list, Write write_item) {
    wire_.put(static_cast<std::uint32_t>(list.size()));
    for (auto& item : list) write_item(item);
  }

  std::vector<std::byte> take() { return wire_.take(); }

 private:
  WireWriter wire_;
};

// Throws PeerFailure as WireReader does.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : wire_(bytes) {}

  template <Plain T>
  void operator()(T& value) {
    value = wire_.get<T>();
  }
  void operator()(std::string& text) { text = wire_.get_text(); }
  template <typename T>
  void operator()(std::vector<T>& list) {
    each(list, [this](T& item) { (*this)(item); });
  }
  // Every item takes bytes, so that a length that lies ends with the bytes.
  template <typename List, typename Read>
  void each(List& list, Read read_item) {
    list.clear();
    for (auto left = wire_.get<std::uint32_t>(); left > 0; --left) read_item(list.emplace_back());
  }

  bool complete() const { return wire_.empty(); }

 private:
  WireReader wire_;
};

// In order of weight: a death explains failures and missing ranks, a failure explains missing
// ranks.
enum class LossKind : std::uint8_t { died, failed, missing };

// One process that the job lost, or, where `process` is -1, a job that hangs with nobody missing.
struct Loss {
  LossKind kind = LossKind::died;
  int origin = 0;  // process that noticed it
  int process = -1;
  std::vector<int> ranks;
  std::string sentence;
};

// To all: the job ends because of these.
struct LostMessage {
  std::vector<Loss> losses;
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
};

// To a neighbour: this process ends, and its end is no loss. It is answered, so that it can wait.
struct LeaveMessage {
  Presence presence = Presence::left;
};
struct LeaveSeenMessage {};

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
