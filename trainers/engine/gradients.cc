#include "trainers/engine/gradients.h"

#include "trainers/engine/hooks.h"
#include "trainers/engine/sync.h"
#include "trainers/engine/tree_exchange.h"
#include "trainers/parallel/injected.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace linerate::trainers {
namespace {

// Adds up a shard's sums over all replicas, in place, after `ready`. Yields where that ends.
Event reduce_over_replicas(const GradientTools& tools, View shard, const Event& ready) {
  if (tools.replicas == nullptr || injected(Bug::replicas_differ)) return ready;
  auto& axis = *tools.replicas;
  axis.stream().wait(ready);
  axis.comm().all_reduce({.send = shard,
                          .recv = shard,
                          .count = shard.size() / bytes_of(tools.type),
                          .type = tools.type,
                          .tag = axis.tag("gradient all_reduce")},
                         {}, axis.stream());
  return axis.record(&tools.axis);
}

std::vector<Array> arrays_of(const TreeSum& sum, DataType type, std::size_t first = 0) {
  std::vector<Array> arrays;
  for (const auto& [leaf, node] : sum.nodes())
    arrays.push_back(node.second.array(type).from(first));
  return arrays;
}

// The sum over all leaves of a shard, of which each replica has some: `sums` of each bucket
// go to where `shard_of` says.
template <typename ShardOf>
void sum_over_replicas(std::vector<TreeSum>& sums, const Round& round, const GradientTools& tools,
                       ShardOf shard_of) {
  std::vector<std::unique_ptr<TreeAllReduce>> under_way;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (tools.replicas == nullptr) {
      tools.arena.device().copy(shard_of(i), sums[i].take().view(), tools.compute);
      continue;
    }
    const auto mine = arrays_of(sums[i], tools.type);
    const TreeReduction reduction{.axis = *tools.replicas,
                                  .by_rank = round.by_replica,
                                  .leaves = round.leaves,
                                  .count = shard_of(i).size() / bytes_of(tools.type)};
    under_way.push_back(std::make_unique<TreeAllReduce>(reduction, mine, tools));
    sums[i].clear();
  }
  for (std::size_t i = 0; i < under_way.size(); ++i) under_way[i]->end(shard_of(i));
  if (tools.replicas != nullptr) tools.compute.wait(tools.replicas->record());
}

// One array of all gradients.
class WholeGradients final : public Gradients {
 public:
  WholeGradients(const GradientPlan& plan, const GradientTools& tools)
      : Gradients(plan, tools), all_(allocate()) {
    if (plan.steps_a_shard() || plan.canonical) return;
    sync_ = make_sync(plan.sync, tools);
    if (plan.hook.hook != Hook::none) sync_ = make_hook(plan, std::move(sync_), tools);
  }

  Array unit(std::size_t unit, std::size_t leaf) override {
    const auto& into = plan_.canonical ? of_leaves_[leaf] : all_;
    return into.array(tools_.type).from(plan_.layout.begin[unit]);
  }
  void finish() override {
    if (plan_.canonical) end_exchanges();
    for (auto* axis : {&tools_.axis, tools_.replicas})
      if (axis != nullptr) tools_.compute.wait(axis->record());
    tree_.reset();
    rooted_.reset();
  }
  Array of(const OwnedRange& owned) override { return all_.array(tools_.type).from(owned.begin); }

 protected:
  void reset() override { tools_.arena.device().zero(all_.view(), tools_.compute); }
  void begin() override {
    if (!plan_.canonical) return;
    if (!tree_) tree_.emplace(round_.leaves, plan_.layout.count(), tools_.type);
    if (!round_.active) return;
    for (std::size_t i = 0; i < round_.own.size(); ++i) {
      of_leaves_.push_back(allocate());
      tools_.arena.device().zero(of_leaves_.back().view(), tools_.compute);
    }
  }
  void end() override {
    for (std::size_t i = 0; i < of_leaves_.size(); ++i)
      tree_->add({0, round_.own[i]}, std::move(of_leaves_[i]), tools_.math, tools_.compute);
    of_leaves_.clear();
  }
  // Canonical: the tree's nodes are there after the last micro-batch only.
  When reduces() const override {
    if (!round_.last && !injected(Bug::reduces_each_micro_batch)) return When::never;
    return plan_.canonical ? When::after_backward : When::when_ready;
  }

  Event launch(std::size_t index) override {
    const auto& bucket = plan_.buckets[index];
    if (plan_.canonical) return begin_exchange(bucket);
    tools_.axis.stream().wait(tools_.compute.record());
    reduce(index);
    auto done = tools_.axis.record();
    if (!plan_.steps_a_shard()) return done;
    return reduce_over_replicas(tools_, shard(index), done);
  }

 private:
  Block allocate() {
    return tools_.arena.allocate(Category::gradient, tools_.type, plan_.layout.count());
  }
  View view(std::size_t begin, std::size_t count) const {
    const auto element = bytes_of(tools_.type);
    return all_.view().subspan(begin * element, count * element);
  }

  void reduce(std::size_t index) {
    const auto& bucket = plan_.buckets[index];
    if (injected(Bug::leaves_a_bucket_out) && bucket.begin == 0) return;
    if (sync_) return sync_->reduce(bucket, all_.array(tools_.type).from(bucket.begin));
    auto& axis = tools_.axis;
    axis.comm().reduce_scatter({.send = view(bucket.begin, bucket.count()),
                                .recv = shard(index),
                                .count = owned()[index].count,
                                .type = tools_.type,
                                .tag = axis.tag("gradient reduce_scatter")},
                               {}, axis.stream());
  }

  View shard(std::size_t index) const { return view(owned()[index].begin, owned()[index].count); }

  bool goes_up_a_tree() const {
    return !plan_.steps_a_shard() && place_in(plan_.sync, 0, 1).has_value();
  }

  Event begin_exchange(const Bucket& bucket) {
    const auto mine = arrays_of(*tree_, tools_.type, bucket.begin);
    if (goes_up_a_tree()) {
      if (!rooted_) rooted_.emplace(plan_.sync, round_.by_rank, round_.leaves, tools_);
      rooted_->up(mine, view(bucket.begin, bucket.count()));
      return tools_.axis.record();
    }
    const TreeReduction reduction{.axis = tools_.axis,
                                  .by_rank = round_.by_rank,
                                  .leaves = round_.leaves,
                                  .count = bucket.count()};
    if (!plan_.steps_a_shard())
      return all_reduces_.emplace_back(std::make_unique<TreeAllReduce>(reduction, mine, tools_))
          ->done();
    return exchanges_.emplace_back(std::make_unique<TreeExchange>(reduction, mine, tools_))->done();
  }

  void end_exchanges() {
    for (const auto& bucket : plan_.buckets)
      if (rooted_) rooted_->down(view(bucket.begin, bucket.count()));
    for (std::size_t i = 0; i < all_reduces_.size(); ++i)
      all_reduces_[i]->end(view(plan_.buckets[i].begin, plan_.buckets[i].count()));
    std::vector<TreeSum> sums;
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      sums.emplace_back(round_.leaves, owned()[i].count, tools_.type);
      exchanges_[i]->end(sums.back());
      exchanges_[i].reset();
    }
    sum_over_replicas(sums, round_, tools_, [&](std::size_t i) { return shard(i); });
    all_reduces_.clear();
    exchanges_.clear();
  }

  Block all_;
  std::vector<Block> of_leaves_;  // of this round
  std::optional<TreeSum> tree_;
  std::unique_ptr<BucketSync> sync_;  // where nothing is sharded, but for canonical mode
  std::optional<RootedTreeSum> rooted_;
  std::vector<std::unique_ptr<TreeExchange>> exchanges_;     // by bucket
  std::vector<std::unique_ptr<TreeAllReduce>> all_reduces_;  // likewise, where nothing is sharded
};

// A bucket's gradients are there from the first backward that writes them to their reduction.
class ShardedGradients final : public Gradients {
 public:
  ShardedGradients(const GradientPlan& plan, const GradientTools& tools)
      : Gradients(plan, tools),
        shards_(tools.arena.allocate(Category::gradient, tools.type, count_of(plan.owned))),
        blocks_(plan.buckets.size()) {}

  Array unit(std::size_t unit, std::size_t leaf) override {
    const auto begin = plan_.layout.begin[unit];
    const auto index = bucket_at(begin);
    return block(index, leaf).array(tools_.type).from(begin - plan_.buckets[index].begin);
  }
  void finish() override {
    collect(true);
    sum_over_replicas(sums_, round_, tools_, [&](std::size_t i) { return shard(i); });
    sums_.clear();
  }
  Array of(const OwnedRange& owned) override { return shards_.array(tools_.type).from(owned.at); }

 protected:
  void begin() override {
    if (!plan_.canonical || !sums_.empty()) return;
    for (const auto& range : owned()) sums_.emplace_back(round_.leaves, range.count, tools_.type);
  }
  When reduces() const override { return When::when_ready; }

  Event launch(std::size_t index) override {
    collect(false);
    Reduction what;
    what.bucket = index;
    if (plan_.canonical) {
      std::vector<Array> nodes;
      for (std::size_t leaf = 0; round_.active && leaf < round_.own.size(); ++leaf)
        nodes.push_back(block(index, leaf).array(tools_.type));
      const TreeReduction reduction{.axis = tools_.axis,
                                    .by_rank = round_.by_rank,
                                    .leaves = round_.leaves,
                                    .count = plan_.buckets[index].count()};
      what.exchange = std::make_unique<TreeExchange>(reduction, nodes, tools_);
      what.done = what.exchange->done();
    } else {
      reduce_scatter(what, block(index, 0).view());
    }
    what.gradients = std::exchange(blocks_[index], {});
    under_way_.push_back(std::move(what));
    return under_way_.back().done;
  }

 private:
  struct Reduction {
    std::size_t bucket = 0;
    std::vector<Block> gradients;  // of leaves
    Block result;
    std::unique_ptr<TreeExchange> exchange{};
    Event done{};
  };

  std::size_t bucket_at(std::size_t flat) const {
    const auto found = std::ranges::find_if(plan_.buckets, [&](const Bucket& bucket) {
      return bucket.begin <= flat && flat < bucket.end;
    });
    return static_cast<std::size_t>(found - plan_.buckets.begin());
  }
  Block& block(std::size_t index, std::size_t leaf) {
    auto& leaves = blocks_[index];
    if (leaves.size() <= leaf) leaves.resize(leaf + 1);
    auto& found = leaves[leaf];
    if (!found) {
      found = tools_.arena.allocate(Category::gradient, tools_.type, plan_.buckets[index].count());
      tools_.arena.device().zero(found.view(), tools_.compute);
    }
    return found;
  }
  View shard(std::size_t index) const {
    const auto element = bytes_of(tools_.type);
    const auto& range = owned()[index];
    return shards_.view().subspan(range.at * element, range.count * element);
  }

  // The first round's result goes to its place, later ones are added.
  void reduce_scatter(Reduction& what, View gradients) {
    auto& axis = tools_.axis;
    const auto sum = shard(what.bucket);
    const auto count = owned()[what.bucket].count;
    if (!round_.first) what.result = tools_.arena.allocate(Category::comm, tools_.type, count);
    axis.stream().wait(tools_.compute.record());
    axis.comm().reduce_scatter({.send = gradients,
                                .recv = round_.first ? sum : what.result.view(),
                                .count = count,
                                .type = tools_.type,
                                .tag = axis.tag("gradient reduce_scatter")},
                               {}, axis.stream());
    if (!round_.first) {
      const Array to{sum.data(), tools_.type};
      tools_.math.add(to, to, what.result.array(tools_.type), count, axis.stream());
    }
    what.done = axis.record();
    if (round_.last) what.done = reduce_over_replicas(tools_, sum, what.done);
  }

  // Takes in the reductions that are done, in their order; `all`: waits for the others.
  void collect(bool all) {
    while (!under_way_.empty() && (all || under_way_.front().done.done())) {
      auto what = std::move(under_way_.front());
      under_way_.erase(under_way_.begin());
      tools_.compute.wait(what.done);
      if (what.exchange) what.exchange->end(sums_[what.bucket]);
    }
  }

  const Block shards_;
  std::vector<std::vector<Block>> blocks_;  // by bucket and leaf
  std::vector<Reduction> under_way_;
  std::vector<TreeSum> sums_;  // canonical: by bucket
};

}  // namespace

Gradients::Gradients(const GradientPlan& plan, const GradientTools& tools)
    : plan_(plan), tools_(tools) {
  bucket_of_.resize(plan_.table.parameters.size());
  for (std::size_t i = 0; i < plan_.buckets.size(); ++i)
    for (const auto parameter : plan_.buckets[i].parameters) bucket_of_[parameter] = i;
}

void Gradients::begin_round(const Round& round) {
  round_ = round;
  next_ = 0;
  pending_.clear();
  for (const auto& bucket : plan_.buckets) pending_.push_back(bucket.parameters.size());
  if (round.first && !injected(Bug::adds_to_the_last_step)) reset();
  begin();
}

void Gradients::ready(std::size_t parameter) {
  --pending_[bucket_of_[parameter]];
  if (reduces() == When::when_ready && plan_.overlap != Overlap::fake) launch_ready();
}

void Gradients::end_round() {
  end();
  std::ranges::fill(pending_, 0);
  if (reduces() != When::never) launch_ready();
}

void Gradients::launch_ready() {
  const std::size_t early = injected(Bug::reduces_before_the_last_gradients) ? 2 : 0;
  for (; next_ < pending_.size() && pending_[next_] <= early; ++next_) {
    const bool swaps = injected(Bug::order_differs_on_a_rank) && tools_.axis.rank() == 1 &&
                       is_sharded(plan_.table.placements.parameters) && (next_ == 1 || next_ == 2);
    const auto done = launch(swaps ? 3 - next_ : next_);
    if (plan_.overlap == Overlap::off) tools_.compute.wait(done);
  }
}

std::unique_ptr<Gradients> make_gradients(const GradientPlan& plan, const GradientTools& tools) {
  if (is_sharded(plan.table.placements.gradients))
    return std::make_unique<ShardedGradients>(plan, tools);
  return std::make_unique<WholeGradients>(plan, tools);
}

}  // namespace linerate::trainers
