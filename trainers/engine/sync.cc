#include "trainers/engine/sync.h"

#include "trainers/parallel/injected.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::trainers {
namespace {

// Of what goes up a tree: a rank passes one on while the next one arrives.
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

class AllReduceSync final : public BucketSync {
 public:
  explicit AllReduceSync(const GradientTools& tools) : tools_(tools) {}

  void reduce(const Bucket& bucket, Array gradients) override {
    auto& axis = tools_.axis;
    const auto whole = view_of(gradients, bucket.count());
    const auto tail = bucket.count() % static_cast<std::size_t>(axis.nranks());
    axis.comm().all_reduce(
        {.send = whole,
         .recv = whole,
         .count = bucket.count() - (injected(Bug::leaves_the_tail_out) ? tail : 0),
         .type = gradients.type,
         .tag = axis.tag("gradient all_reduce")},
        {}, axis.stream());
  }

 private:
  const GradientTools tools_;
};

class ReduceScatterSync final : public BucketSync {
 public:
  explicit ReduceScatterSync(const GradientTools& tools) : tools_(tools) {}

  void reduce(const Bucket& bucket, Array gradients) override {
    auto& axis = tools_.axis;
    const auto count = bucket.count() / static_cast<std::size_t>(axis.nranks());
    const auto whole = view_of(gradients, bucket.count());
    const auto shard =
        view_of(gradients.from(static_cast<std::size_t>(axis.rank()) * count), count);
    axis.comm().reduce_scatter({.send = whole,
                                .recv = shard,
                                .count = count,
                                .type = gradients.type,
                                .tag = axis.tag("gradient reduce_scatter")},
                               {}, axis.stream());
    axis.comm().all_gather({.send = shard,
                            .recv = whole,
                            .count = count,
                            .type = gradients.type,
                            .tag = axis.tag("gradient all_gather")},
                           axis.stream());
  }

 private:
  const GradientTools tools_;
};

// Sums go up a tree of ranks piece by piece; each rank adds what its children send to its own, in
// their order.
class RootedSync final : public BucketSync {
 public:
  RootedSync(TreePlace place, const GradientTools& tools)
      : place_(std::move(place)),
        tools_(tools),
        room_(tools.arena.allocate(Category::comm, place_.children.size() * kPieceBytes)) {}

  void reduce(const Bucket& bucket, Array gradients) override {
    auto& axis = tools_.axis;
    const auto each_piece = [&](auto make) {
      const auto most = kPieceBytes / bytes_of(gradients.type);
      for (std::size_t first = 0; first < bucket.count(); first += most)
        make(gradients.from(first), std::min(most, bucket.count() - first));
    };
    axis.comm().as_one(axis.tag("gradient reduce"), axis.stream(), [&] {
      each_piece([&](Array piece, std::size_t count) { up(piece, count); });
    });
    axis.comm().as_one(axis.tag("gradient broadcast"), axis.stream(), [&] {
      each_piece([&](Array piece, std::size_t count) { down(piece, count); });
    });
  }

 private:
  Array room(std::size_t child, DataType type) const {
    return {room_.data() + child * kPieceBytes, type};
  }

  void up(Array piece, std::size_t count) {
    auto& axis = tools_.axis;
    const auto tag = axis.tag("gradient reduce");
    std::vector<Op> recvs;
    for (std::size_t i = 0; i < place_.children.size(); ++i)
      recvs.push_back(Communicator::recv_op({.recv = view_of(room(i, piece.type), count),
                                             .count = count,
                                             .type = piece.type,
                                             .tag = tag},
                                            place_.children[i]));
    if (!recvs.empty()) axis.comm().enqueue_batch(recvs, axis.stream());
    for (std::size_t i = 0; i < recvs.size(); ++i)
      tools_.math.add(piece, piece, room(i, piece.type), count, axis.stream());
    if (place_.parent >= 0)
      axis.comm().send(
          {.send = view_of(piece, count), .count = count, .type = piece.type, .tag = tag},
          place_.parent, axis.stream());
  }

  void down(Array piece, std::size_t count) {
    auto& axis = tools_.axis;
    const auto whole = view_of(piece, count);
    const auto tag = axis.tag("gradient broadcast");
    if (place_.parent >= 0)
      axis.comm().recv({.recv = whole, .count = count, .type = piece.type, .tag = tag},
                       place_.parent, axis.stream());
    std::vector<Op> sends;
    for (const int child : place_.children)
      sends.push_back(Communicator::send_op(
          {.send = whole, .count = count, .type = piece.type, .tag = tag}, child));
    if (!sends.empty()) axis.comm().enqueue_batch(sends, axis.stream());
  }

  const TreePlace place_;
  const GradientTools tools_;
  const Block room_;  // for a piece of each child
};

}  // namespace

std::optional<TreePlace> place_in(Sync sync, int rank, int nranks) {
  switch (sync) {
    case Sync::all_reduce:
    case Sync::reduce_scatter:
      return std::nullopt;
    case Sync::tree:
      return binary_tree_place(rank, nranks);
    case Sync::parameter_server:
      return star_place(rank, nranks);
  }
  return std::nullopt;
}

std::unique_ptr<BucketSync> make_sync(Sync sync, const GradientTools& tools) {
  if (auto place = place_in(sync, tools.axis.rank(), tools.axis.nranks()))
    return std::make_unique<RootedSync>(*std::move(place), tools);
  if (sync == Sync::reduce_scatter) return std::make_unique<ReduceScatterSync>(tools);
  return std::make_unique<AllReduceSync>(tools);
}

RootedTreeSum::RootedTreeSum(Sync sync, const LeavesByRank& by_rank, std::size_t leaves,
                             const GradientTools& tools)
    : sync_(sync),
      place_(*place_in(sync, tools.axis.rank(), tools.axis.nranks())),
      by_rank_(by_rank),
      leaves_(leaves),
      tools_(tools) {}

std::vector<TreeNode> RootedTreeSum::nodes_below(int rank) const {
  const auto place = *place_in(sync_, rank, tools_.axis.nranks());
  return nodes_of(leaves_of(by_rank_, static_cast<std::size_t>(place.first),
                            static_cast<std::size_t>(place.last)),
                  leaves_);
}

View RootedTreeSum::room(std::size_t nodes, std::size_t count) {
  return under_way_.emplace_back(tools_.arena.allocate(Category::comm, tools_.type, nodes * count))
      .view();
}

void RootedTreeSum::up(std::span<const Array> mine, View to) {
  const auto count = to.size() / bytes_of(tools_.type);
  auto& axis = tools_.axis;
  TreeSum sum(leaves_, count, tools_.type);
  const auto nodes = nodes_of(by_rank_[static_cast<std::size_t>(axis.rank())], leaves_);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    add(nodes[i], ConstView(mine[i].data, to.size()), sum);
  axis.comm().as_one(axis.tag("gradient reduce"), axis.stream(), [&] {
    receive(count, sum);
    if (place_.parent >= 0) send(sum, count);
  });
  if (place_.parent < 0) tools_.arena.device().copy(to, sum.take().view(), tools_.compute);
}

void RootedTreeSum::add(const TreeNode& node, ConstView from, TreeSum& sum) {
  auto array = tools_.arena.allocate(Category::gradient, from.size());
  tools_.arena.device().copy(array.view(), from, tools_.compute);
  sum.add(node, std::move(array), tools_.math, tools_.compute);
}

void RootedTreeSum::receive(std::size_t count, TreeSum& sum) {
  auto& axis = tools_.axis;
  std::vector<Op> recvs;
  std::vector<TreeNode> nodes;
  std::vector<View> received;
  for (const int child : place_.children) {
    const auto below = nodes_below(child);
    if (below.empty()) continue;
    const auto into = room(below.size(), count);
    recvs.push_back(Communicator::recv_op({.recv = into,
                                           .count = below.size() * count,
                                           .type = tools_.type,
                                           .tag = axis.tag("gradient reduce")},
                                          child));
    nodes.insert(nodes.end(), below.begin(), below.end());
    received.push_back(into);
  }
  if (recvs.empty()) return;
  axis.comm().enqueue_batch(recvs, axis.stream());
  tools_.compute.wait(axis.record());
  const auto bytes = count * bytes_of(tools_.type);
  auto node = nodes.begin();
  for (auto from : received)
    for (; !from.empty(); from = from.subspan(bytes)) add(*node++, from.first(bytes), sum);
}

void RootedTreeSum::send(const TreeSum& sum, std::size_t count) {
  if (sum.nodes().empty()) return;
  auto& axis = tools_.axis;
  const auto all = room(sum.nodes().size(), count);
  auto to = all;
  for (const auto& [leaf, node] : sum.nodes()) {
    const auto& array = node.second;
    tools_.arena.device().copy(to.first(array.bytes()), array.view(), tools_.compute);
    to = to.subspan(array.bytes());
  }
  axis.stream().wait(tools_.compute.record());
  axis.comm().send({.send = all,
                    .count = sum.nodes().size() * count,
                    .type = tools_.type,
                    .tag = axis.tag("gradient reduce")},
                   place_.parent, axis.stream());
}

void RootedTreeSum::down(View to) {
  auto& axis = tools_.axis;
  const auto count = to.size() / bytes_of(tools_.type);
  const auto tag = axis.tag("gradient broadcast");
  axis.stream().wait(tools_.compute.record());
  axis.comm().as_one(tag, axis.stream(), [&] {
    if (place_.parent >= 0)
      axis.comm().recv({.recv = to, .count = count, .type = tools_.type, .tag = tag}, place_.parent,
                       axis.stream());
    std::vector<Op> sends;
    for (const int child : place_.children)
      sends.push_back(Communicator::send_op(
          {.send = to, .count = count, .type = tools_.type, .tag = tag}, child));
    if (!sends.empty()) axis.comm().enqueue_batch(sends, axis.stream());
  });
}

}  // namespace linerate::trainers
