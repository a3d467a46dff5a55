// Bootstraps of which a test writes all_gather() alone: the other calls follow from it.
#pragma once

#include "comm/bootstrap.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// As the members see it that run on these nodes, which are numbered in order.
inline NodePlace place_on(const std::vector<int>& node_of_rank, int rank) {
  const auto first = node_of_rank.begin();
  const int node = node_of_rank[static_cast<std::size_t>(rank)];
  const std::string name = "node" + std::to_string(node);
  return {.hostname = name,
          .identity = name,
          .node = node,
          .nnodes = 1 + std::ranges::max(node_of_rank),
          .local_rank = static_cast<int>(std::count(first, first + rank, node)),
          .local_nranks = static_cast<int>(std::ranges::count(node_of_rank, node))};
}

// Keeps no deadlines, unless all_gather() does, and cannot be split.
class GatheringBootstrap : public Bootstrap {
 public:
  GatheringBootstrap(int rank, int nranks, NodePlace place)
      : rank_(rank), nranks_(nranks), place_(std::move(place)) {}

  int rank() const override { return rank_; }
  int nranks() const override { return nranks_; }
  const NodePlace& place() const override { return place_; }

  void barrier(const Deadline& deadline) override { (void)all_gather({}, deadline); }
  Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) override {
    auto all = all_gather(rank_ == root ? mine : mine.first(0), deadline);
    return std::move(all[static_cast<std::size_t>(root)]);
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) override {
    auto all = all_gather(mine, deadline);
    return rank_ == 0 ? std::move(all) : std::vector<Bytes>{};
  }
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) override {
    return std::move(all_gather(mine, deadline)[static_cast<std::size_t>(peer)]);
  }
  std::unique_ptr<Bootstrap> split(int, int, const Deadline&) override { return nullptr; }
  [[noreturn]] void abort(ExitCode code) noexcept override { ::_exit(static_cast<int>(code)); }

 private:
  int rank_;
  int nranks_;
  NodePlace place_;
};

}  // namespace linerate
