#include "plan/layouts.h"

#include "trainers/engine/plan.h"
#include "trainers/pipeline/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::plan {

using trainers::ContextMethod;
using trainers::Stage;
using trainers::TrainConfig;

namespace {

// Micro-batches of more sequences gain little, and hold more; without a pipeline a rank's whole
// share is one.
constexpr std::uint64_t kMostOfAPipeline = 16, kMostSequences = 64;
constexpr std::size_t kMostVirtualStages = 8;

std::vector<std::size_t> divisors_of(std::size_t number) {
  std::vector<std::size_t> all;
  for (std::size_t i = 1; i <= number; ++i)
    if (number % i == 0) all.push_back(i);
  return all;
}

// Sequences of a rank's share that make a micro-batch.
std::vector<std::uint64_t> micro_batches(std::uint64_t share, bool pipelined) {
  std::vector<std::uint64_t> sizes;
  const auto most = pipelined ? kMostOfAPipeline : kMostSequences;
  for (std::uint64_t size = 1; size <= std::min(share, most); size *= 2)
    if (share % size == 0) sizes.push_back(size);
  if (!pipelined && share <= most && (share & (share - 1)) != 0) sizes.push_back(share);
  return sizes;
}

// Calls use(config) for each schedule of a mesh.
template <typename Use>
void each_schedule(TrainConfig config, Use use) {
  if (config.pp == 1) return use(config);
  for (const auto& kind : trainers::schedule_kinds()) {
    if (kind.name == "naive") continue;  // gpipe never takes longer
    config.pp_schedule = kind.name;
    const auto most = std::min(static_cast<std::size_t>(kind.max_chunks), kMostVirtualStages);
    for (auto v = static_cast<std::size_t>(kind.min_chunks); v <= most; ++v) {
      config.virtual_stages = v;
      if (config.model.layers % (config.pp * v) == 0) use(config);
    }
  }
}

class Enumeration {
 public:
  Enumeration(const TrainConfig& training, int nranks) : training_(training), nranks_(nranks) {}

  Layouts all() {
    const auto ranks = static_cast<std::size_t>(nranks_);
    for (const auto tp : divisors_of(ranks))
      for (const auto cp : divisors_of(ranks / tp))
        for (const auto pp : divisors_of(ranks / tp / cp)) add_mesh(tp, cp, pp);
    return std::move(layouts_);
  }

 private:
  TrainConfig mesh(std::size_t tp, std::size_t cp, std::size_t pp) const {
    TrainConfig config;
    config.model = training_.model;
    config.batch = training_.batch;
    config.type = training_.type;
    config.tp = tp, config.cp = cp, config.pp = pp;
    return config;
  }

  void add_mesh(std::size_t tp, std::size_t cp, std::size_t pp) {
    auto config = mesh(tp, cp, pp);
    if (const auto refusal = mesh_refusal(config, nranks_)) {
      ++layouts_.refused[*refusal];
      return;
    }
    const auto dp = static_cast<std::uint64_t>(nranks_) / (tp * cp * pp);
    if (config.batch % dp != 0) {
      ++layouts_.refused[fmt::format(
          "{} data-parallel ranks do not divide the batch of {} sequences.", dp, config.batch)];
      return;
    }
    for (const auto micro_batch : micro_batches(config.batch / dp, pp > 1)) {
      config.micro_batch = micro_batch;
      each_schedule(config, [&](const TrainConfig& scheduled) { add_stages(scheduled, dp * cp); });
    }
  }

  void add_stages(TrainConfig config, std::uint64_t data_ranks) {
    for (const auto stage : {Stage::none, Stage::optimizer, Stage::gradients, Stage::parameters}) {
      if (stage != Stage::none && data_ranks == 1) break;
      config.stage = stage;
      add_methods(config);
    }
  }

  void add_methods(TrainConfig config) {
    for (const bool splits : {false, true})
      for (const auto method : {ContextMethod::ring, ContextMethod::ulysses}) {
        if (splits && config.tp == 1) continue;
        if (method == ContextMethod::ulysses && config.cp == 1) continue;
        config.sequence_parallel = splits;
        config.cp_method = method;
        if (!mesh_refusal(config, nranks_)) layouts_.legal.push_back(config);
      }
  }

  const TrainConfig& training_;
  const int nranks_;
  Layouts layouts_;
};

}  // namespace

Layouts layouts_of(const TrainConfig& training, int nranks) {
  return Enumeration(training, nranks).all();
}

std::vector<std::string> orders_of(const TrainConfig& config, int nranks) {
  const auto shape = mesh_shape_of(config, nranks);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] > 1) axes.push_back(axis);
  std::vector<std::string> orders{std::string(trainers::kUsualOrder)};
  while (std::ranges::next_permutation(axes).found) {
    auto& order = orders.emplace_back();
    for (const auto axis : axes)
      order += fmt::format("{}{}", order.empty() ? "" : "-", trainers::kMeshAxes[axis]);
  }
  return orders;
}

}  // namespace linerate::plan
