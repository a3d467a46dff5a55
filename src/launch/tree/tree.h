// One member's edges of the tree. A link is a socket to a neighbour with its unread bytes and the
// messages that are complete. The tree moves whole messages to and from one neighbour, and hears of
// failures from all of them meanwhile.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"
#include "launch/job_failure.h"
#include "launch/net/frame.h"
#include "launch/net/socket.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What a member tells its neighbours when it cannot go on. Ranks are those of the bootstrap.
Bytes pack_failure(const JobFailure& failure);
JobFailure unpack_failure(std::span<const std::byte> packed);

// The connection to one neighbour: whole messages out and in, without waiting; what a failing
// neighbour said last counts more than its broken connection. Used by one thread at a time.
class TreeLink {
 public:
  // Messages above this wait until the receiver asks for them, so that unread bytes never fill a
  // socket's buffer: a socket whose buffer stays full counts as dead (see net/socket.h).
  static constexpr std::size_t kEagerBytes = 4096;
  // Eager bytes that may be under way without a sign of life from the neighbour.
  static constexpr std::size_t kMaxUnanswered = std::size_t{32} << 10;
  static constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;

  // The socket's peer_name() and peer_rank() name the neighbour.
  explicit TreeLink(Socket socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.fd(); }
  int rank() const { return socket_.peer_rank(); }
  const std::string& name() const { return socket_.peer_name(); }

  // Reads what is there. Afterwards the questions below have new answers.
  void pump();
  bool open() const { return !closed_; }
  // The neighbour has failed, has told of a failure, or has gone without saying bye.
  const std::optional<JobFailure>& failure() const { return failure_; }
  bool has_left() const { return left_; }

  std::optional<Bytes> take_message();
  bool offered() const { return offered_; }
  bool may_send_body() const { return go_; }
  bool eager(std::size_t bytes) const {
    return bytes <= kEagerBytes && unanswered_ + bytes <= kMaxUnanswered;
  }

  // Begins a frame; write() until done() sends it. REQUIRES: done().
  void begin(FrameType type, std::span<const std::byte> payload);
  bool done() const { return sent_ == out_.size() + body_.size(); }
  void write();

  // Without waiting: the last frame of a member that fails or leaves. In the middle of a frame, or
  // when the neighbour does not read, the connection is cut instead.
  void send_last(FrameType type, std::span<const std::byte> payload) noexcept;

 private:
  void accept_frame(const ParsedFrame& frame);
  void lose(std::string sentence);

  Socket socket_;
  Bytes in_;
  std::deque<Bytes> inbox_;
  std::optional<JobFailure> failure_;
  bool closed_ = false;
  bool left_ = false;
  bool offered_ = false;             // the neighbour waits for our go
  bool go_ = false;                  // the neighbour waits for our body
  Bytes out_;                        // header, and the payload of small frames
  std::span<const std::byte> body_;  // the caller's, until done()
  std::size_t sent_ = 0;
  std::size_t unanswered_ = 0;
};

// A failure (a lost neighbour, a passed deadline, the word of a neighbour) is told to all other
// neighbours, thrown, and thrown again by every later call. One thread at a time.
class Tree {
 public:
  struct Wait {
    std::string_view what;  // the call, for the message
    const Deadline& deadline;
  };

  Tree(int rank, int nranks, std::vector<TreeLink> links);
  Tree(Tree&&) = default;
  ~Tree();  // tells the neighbours that this member leaves as planned

  bool has_link(int peer) const;
  void send(int peer, std::span<const std::byte> message, const Wait& wait);
  Bytes receive(int peer, const Wait& wait);

 private:
  struct LongerDeadline;

  TreeLink& link(int peer);
  int levels_behind(int peer) const;
  void send_frame(TreeLink& to, FrameType type, std::span<const std::byte> payload,
                  LongerDeadline& deadline);
  void wait_for_news(TreeLink& target, LongerDeadline& deadline);
  void hear(const TreeLink& target);
  [[noreturn]] void fail(JobFailure failure);

  int rank_;
  int nranks_;
  std::vector<TreeLink> links_;
  std::optional<JobFailure> broken_;
};

}  // namespace linerate
