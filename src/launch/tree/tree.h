// One member's edges of the tree: moves whole messages to and from a neighbour, and hears of
// failures from all neighbours meanwhile.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"
#include "launch/tree/link.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace linerate {

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
  struct Patience;

  TreeLink& link(int peer);
  int levels_behind(int peer) const;
  void send_frame(TreeLink& to, FrameType type, std::span<const std::byte> payload,
                  Patience& patience);
  void wait_for_news(TreeLink& target, Patience& patience);
  void hear(const TreeLink& target);
  [[noreturn]] void fail(JobFailure failure);

  int rank_;
  int nranks_;
  std::vector<TreeLink> links_;
  std::optional<JobFailure> broken_;
};

}  // namespace linerate
