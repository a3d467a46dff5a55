#include "trainers/engine/tree_exchange.h"

#include <utility>

namespace linerate::trainers {

namespace {

std::size_t shard_count_of(const TreeReduction& reduction) {
  return reduction.count / static_cast<std::size_t>(reduction.axis.nranks());
}

}  // namespace

std::vector<std::vector<TreeNode>> nodes_by_rank(const LeavesByRank& by_rank, std::size_t leaves) {
  std::vector<std::vector<TreeNode>> nodes;
  for (const auto& own : by_rank) nodes.push_back(nodes_of(own, leaves));
  return nodes;
}

TreeExchange::TreeExchange(const TreeReduction& reduction, std::span<const Array> mine,
                           const GradientTools& tools)
    : tools_(tools), shard_count_(shard_count_of(reduction)) {
  std::size_t received = 0;
  for (const auto& nodes : nodes_by_rank(reduction.by_rank, reduction.leaves)) {
    send_ranges_.push_back(
        {send_ranges_.size() * mine.size() * shard_count_, mine.size() * shard_count_});
    recv_ranges_.push_back({received * shard_count_, nodes.size() * shard_count_});
    received += nodes.size();
    received_.insert(received_.end(), nodes.begin(), nodes.end());
  }
  send_ = tools_.arena.allocate(Category::comm, tools_.type, mine.size() * reduction.count);
  recv_ = tools_.arena.allocate(Category::comm, tools_.type, received * shard_count_);
  pack(mine);
  auto& axis = reduction.axis;
  axis.stream().wait(tools_.compute.record());
  axis.comm().all_to_all_v({.send = send_.view(),
                            .recv = recv_.view(),
                            .type = tools_.type,
                            .tag = axis.tag(reduction.exchange)},
                           send_ranges_, recv_ranges_, axis.stream());
  done_ = axis.record();
}

void TreeExchange::pack(std::span<const Array> mine) {
  const auto bytes = shard_count_ * bytes_of(tools_.type);
  auto to = send_.view();
  for (std::size_t rank = 0; rank < send_ranges_.size(); ++rank) {
    for (const auto& node : mine) {
      const ConstView from(node.from(rank * shard_count_).data, bytes);
      tools_.arena.device().copy(to.first(bytes), from, tools_.compute);
      to = to.subspan(bytes);
    }
  }
}

void TreeExchange::end(TreeSum& sum) {
  tools_.compute.wait(done_);
  const auto bytes = shard_count_ * bytes_of(tools_.type);
  auto from = recv_.view();
  for (const auto& node : received_) {
    auto array = tools_.arena.allocate(Category::gradient, bytes);
    tools_.arena.device().copy(array.view(), from.first(bytes), tools_.compute);
    sum.add(node, std::move(array), tools_.math, tools_.compute);
    from = from.subspan(bytes);
  }
}

TreeAllReduce::TreeAllReduce(const TreeReduction& reduction, std::span<const Array> mine,
                             const GradientTools& tools)
    : tools_(tools),
      axis_(reduction.axis),
      leaves_(reduction.leaves),
      shard_count_(shard_count_of(reduction)),
      purpose_(reduction.gather),
      exchange_(reduction, mine, tools) {}

void TreeAllReduce::end(View to) {
  TreeSum sum(leaves_, shard_count_, tools_.type);
  exchange_.end(sum);
  const auto total = sum.take();
  const auto bytes = total.bytes();
  const auto shard = to.subspan(static_cast<std::size_t>(axis_.rank()) * bytes, bytes);
  tools_.arena.device().copy(shard, total.view(), tools_.compute);
  axis_.stream().wait(tools_.compute.record());
  axis_.comm().all_gather({.send = shard,
                           .recv = to,
                           .count = shard_count_,
                           .type = tools_.type,
                           .tag = axis_.tag(purpose_)},
                          axis_.stream());
}

}  // namespace linerate::trainers
