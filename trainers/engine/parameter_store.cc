#include "trainers/engine/parameter_store.h"

#include "trainers/parallel/injected.h"

#include <algorithm>
#include <utility>

namespace linerate::trainers {
namespace {

// One array of all parameters.
class WholeParameters final : public ParameterStore {
 public:
  WholeParameters(const GradientPlan& plan, const GradientTools& tools)
      : plan_(plan),
        tools_(tools),
        all_(tools.arena.allocate(Category::parameter, tools.type, plan.layout.count())) {
    tools_.arena.device().zero(all_.view(), tools_.compute);
  }

  Array use(std::size_t unit, Pass) override {
    return all_.array(tools_.type).from(plan_.layout.begin[unit]);
  }
  Array of(const OwnedRange& owned) override { return all_.array(tools_.type).from(owned.begin); }

  void publish() override {
    if (!plan_.steps_a_shard()) return;
    auto& axis = tools_.axis;
    const auto view = [&](std::size_t begin, std::size_t count) {
      const auto element = bytes_of(tools_.type);
      return all_.view().subspan(begin * element, count * element);
    };
    axis.stream().wait(tools_.compute.record());
    for (std::size_t i = 0; i < plan_.buckets.size(); ++i) {
      const auto& bucket = plan_.buckets[i];
      const auto& owned = plan_.owned[i];
      axis.comm().all_gather({.send = view(owned.begin, owned.count),
                              .recv = view(bucket.begin, bucket.count()),
                              .count = owned.count,
                              .type = tools_.type,
                              .tag = axis.tag("parameter all_gather")},
                             axis.stream());
    }
    tools_.compute.wait(axis.record());
  }

 private:
  const GradientPlan plan_;
  const GradientTools tools_;
  const Block all_;
};

// A shard of each unit. The embeddings and the final norm, which begin and end backward too, stay
// from their forward to their backward where that is the micro-batch's next use.
class ShardedParameters final : public ParameterStore {
 public:
  ShardedParameters(const GradientPlan& plan, const GatherPlan& gather, const GradientTools& tools)
      : plan_(plan),
        gather_(gather),
        tools_(tools),
        shards_(tools.arena.allocate(Category::parameter, tools.type, count_of(plan.owned))),
        units_(plan.table.units()) {
    tools_.arena.device().zero(shards_.view(), tools_.compute);
  }

  Array use(std::size_t unit, Pass pass) override {
    gather(unit);
    const auto left = pass == Pass::forward ? units_.size() - 1 - unit : unit;
    for (std::size_t ahead = 1; ahead <= std::min(units_ahead(plan_, gather_), left); ++ahead) {
      const auto next = pass == Pass::forward ? unit + ahead : unit - ahead;
      if (!has_room(next)) break;
      gather(next);
    }
    if (!injected(Bug::uses_before_gathered)) tools_.compute.wait(units_[unit].gathered);
    return units_[unit].all.array(tools_.type);
  }

  void release(std::size_t unit, Pass pass) override {
    const bool end = (unit == 0 && !injected(Bug::frees_embeddings)) || unit + 1 == units_.size();
    const bool keeps = !gather_.reshard_after_forward;
    if (plan_.pipelined ? keeps : pass == Pass::forward && (end || keeps)) return;
    if (injected(Bug::keeps_gathered_parameters)) return;
    live_ -= plan_.layout.padded(unit);
    units_[unit] = {};
  }

  // Micro-batches that are under way share what is gathered.
  void end_passes() override {
    if (!plan_.pipelined) return;
    for (auto& unit : units_) unit = {};
    live_ = 0;
  }

  Array of(const OwnedRange& owned) override { return shards_.array(tools_.type).from(owned.at); }

 private:
  struct Unit {
    Block all;
    Event gathered{};
  };

  bool has_room(std::size_t unit) const {
    const auto most = gather_.max_live_parameters;
    return units_[unit].all || most == 0 || live_ + plan_.layout.padded(unit) <= most;
  }

  // Buckets are units, the last one first.
  void gather(std::size_t unit) {
    auto& into = units_[unit];
    if (into.all) return;
    auto& axis = tools_.axis;
    const auto& owned = plan_.owned[units_.size() - 1 - unit];
    const auto element = bytes_of(tools_.type);
    into.all = tools_.arena.allocate(Category::live, tools_.type, plan_.layout.padded(unit));
    live_ += plan_.layout.padded(unit);
    axis.stream().wait(tools_.compute.record());
    axis.comm().all_gather(
        {.send = shards_.view().subspan(owned.at * element, owned.count * element),
         .recv = into.all.view(),
         .count = owned.count,
         .type = tools_.type,
         .tag = axis.tag("parameter all_gather")},
        axis.stream());
    into.gathered = axis.record();
  }

  const GradientPlan plan_;
  const GatherPlan gather_;
  const GradientTools tools_;
  const Block shards_;
  std::vector<Unit> units_;
  std::size_t live_ = 0;  // elements that are gathered
};

}  // namespace

std::size_t units_ahead(const GradientPlan& plan, const GatherPlan& gather) {
  return plan.overlap == Overlap::off ? 0 : gather.prefetch;
}

std::unique_ptr<ParameterStore> make_parameter_store(const GradientPlan& plan,
                                                     const GatherPlan& gather,
                                                     const GradientTools& tools) {
  if (is_sharded(plan.table.placements.parameters))
    return std::make_unique<ShardedParameters>(plan, gather, tools);
  return std::make_unique<WholeParameters>(plan, tools);
}

}  // namespace linerate::trainers
