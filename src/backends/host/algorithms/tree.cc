// Tree: a binary tree over the ranks, counted from the root; parts flow up it and results down it,
// in pieces. 2 log2(n) hops instead of the ring's n.
#include "backends/host/algorithms/pieces.h"
#include "backends/host/algorithms/rows.h"

namespace linerate::host {
namespace {

bool defined(const Problem& problem) {
  switch (problem.kind) {
    case OpKind::all_reduce:
    case OpKind::broadcast:
    case OpKind::reduce:
      return problem.nranks > 1;
    default:
      return false;
  }
}

// Positions are numbered as in a heap: those below p are 2p+1 and 2p+2. Position 0 is the root.
class Tree {
 public:
  Tree(const Problem& problem, int rank)
      : nranks_(problem.nranks),
        root_(problem.kind == OpKind::all_reduce ? 0 : problem.root),
        position_((rank - root_ + nranks_) % nranks_) {}

  bool is_root() const { return position_ == 0; }
  int parent() const { return rank_at((position_ - 1) / 2); }
  bool parent_is_root() const { return (position_ - 1) / 2 == 0; }
  std::vector<int> children() const {
    std::vector<int> ranks;
    for (int child = 2 * position_ + 1; child <= 2 * position_ + 2; ++child)
      if (child < nranks_) ranks.push_back(rank_at(child));
    return ranks;
  }
  bool is_leaf() const { return 2 * position_ + 1 >= nranks_; }

 private:
  int rank_at(int position) const { return (position + root_) % nranks_; }

  int nranks_;
  int root_;
  int position_;
};

// One rank's part of the way up: every piece is the own part and what the children have. A leaf's
// part is its send buffer: it has no steps. Where `slots` is 0, parts lie in recv; else in so many
// slots of scratch, which the parent reads.
class WayUp {
 public:
  WayUp(const Problem& problem, int rank, std::uint32_t slots)
      : problem_(problem),
        rank_(rank),
        slots_(slots),
        tree_(problem, rank),
        pieces_(problem.count, problem.element_bytes) {}

  std::size_t scratch_count() const {
    return tree_.is_leaf() || tree_.is_root() ? 0 : slots_ * pieces_.largest();
  }

  void append(std::vector<Step>& steps) const {
    if (tree_.is_leaf()) return;
    for (std::uint32_t i = 0; i < pieces_.count(); ++i) steps.push_back(step(i));
  }

 private:
  Place part(int rank, std::uint32_t piece) const {
    const Tree tree(problem_, rank);
    const std::size_t offset = pieces_[piece].offset;
    if (tree.is_leaf()) return {rank, BufferKind::send, offset};
    if (tree.is_root() || slots_ == 0) return {rank, BufferKind::recv, offset};
    return {rank, BufferKind::scratch, piece % slots_ * pieces_.largest()};
  }

  Step step(std::uint32_t piece) const {
    Step step{.from = {{rank_, BufferKind::send, pieces_[piece].offset}},
              .to = {part(rank_, piece)},
              .count = pieces_[piece].count,
              .completes = tree_.is_root()};
    for (const int child : tree_.children()) {
      step.from.push_back(part(child, piece));
      if (!Tree(problem_, child).is_leaf()) step.waits.push_back({child, piece + 1});
    }
    if (!tree_.is_root() && slots_ > 0 && piece >= slots_)
      step.waits.push_back({tree_.parent(), piece - slots_ + 1});
    return step;
  }

  const Problem& problem_;
  int rank_;
  std::uint32_t slots_;
  Tree tree_;
  Pieces pieces_;
};

// Each rank fetches the pieces from its parent's recv buffer, which holds piece i after
// `ahead` + i + 1 steps, or from the root's send buffer where `ahead` says that it is there
// already.
void append_way_down(const Problem& problem, int rank, bool after_way_up,
                     std::vector<Step>& steps) {
  const Tree tree(problem, rank);
  const Pieces pieces(problem.count, problem.element_bytes);
  for (std::uint32_t i = 0; i < pieces.count(); ++i) {
    const auto [offset, count] = pieces[i];
    Step step{.to = {{rank, BufferKind::recv, offset}}, .count = count};
    const bool from_input = !after_way_up && (tree.is_root() || tree.parent_is_root());
    step.from = {from_input ? Place{problem.root, BufferKind::send, offset}
                            : Place{tree.parent(), BufferKind::recv, offset}};
    const bool parent_went_up = after_way_up && !tree.parent_is_root();
    if (!from_input) step.waits = {{tree.parent(), (parent_went_up ? pieces.count() : 0) + i + 1}};
    steps.push_back(std::move(step));
  }
}

Schedule schedule(const Problem& problem, int rank) {
  constexpr std::uint32_t kSlots = 4;
  Schedule schedule;
  if (problem.kind == OpKind::broadcast) {
    append_way_down(problem, rank, false, schedule.steps);
    return schedule;
  }
  const WayUp up(problem, rank, problem.kind == OpKind::reduce ? kSlots : 0);
  up.append(schedule.steps);
  schedule.scratch_count = up.scratch_count();
  if (problem.kind == OpKind::all_reduce && !Tree(problem, rank).is_root())
    append_way_down(problem, rank, true, schedule.steps);
  return schedule;
}

}  // namespace

const Algorithm kTree{
    .name = "tree",
    .words = "parts flow up a binary tree, results down",
    .defined = defined,
    .schedule = schedule,
};

}  // namespace linerate::host
