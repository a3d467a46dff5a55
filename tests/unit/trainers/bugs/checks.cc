// Each trains with what is switched on, and compares with training where nothing is.
#include "checks.h"

#include "support/folder.h"
#include "trainers/parallel/injected.h"
#include "training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

using Failure = std::optional<std::string>;

struct RankLayout {
  int nranks = 2;
  Stage stage = Stage::none;
  Overlap overlap = Overlap::on;
  int shard_size = 0;
  std::size_t tp = 1, cp = 1;
  ContextMethod method = ContextMethod::ring;
  std::size_t pp = 1;
  bool sequence_parallel = false;
  const char* schedule = "1f1b";
};

std::string text_of(const RankLayout& layout) {
  return fmt::format("{} ranks, stage {}, shard size {}, tp {}, cp {}, pp {} {}", layout.nranks,
                     static_cast<int>(layout.stage), layout.shard_size, layout.tp, layout.cp,
                     layout.pp, layout.schedule);
}

Run on(const RankLayout& layout, TrainConfig config) {
  config.stage = layout.stage;
  config.overlap = layout.overlap;
  config.shard_size = layout.shard_size;
  config.tp = layout.tp;
  config.cp = layout.cp;
  config.cp_method = layout.method;
  config.pp = layout.pp;
  config.pp_schedule = layout.schedule;
  config.sequence_parallel = layout.sequence_parallel;
  return {.config = std::move(config), .nranks = layout.nranks};
}

// What training without the bug ends with.
Outcome sound(const Run& run) {
  const auto bug = std::exchange(switched_on, {});
  auto outcome = train(run);
  switched_on = bug;
  return outcome;
}

TrainConfig canonical(DataType type = DataType::float32, bool llama = false) {
  auto config = tiny(llama);
  config.deterministic = true;
  config.type = type;
  config.model.dropout = 0.1;
  return config;
}

// Six micro-batches over four ranks: two have one less.
constexpr RankLayout kLayouts[] = {
    {2, Stage::none},
    {3, Stage::optimizer, Overlap::off},
    {4, Stage::gradients},
    {3, Stage::parameters},
    {4, Stage::parameters, Overlap::off},
    {4, Stage::gradients, Overlap::on, 2},
    {3, Stage::none, Overlap::on, 0, 3},
    {4, Stage::parameters, Overlap::on, 0, 2},
    {2, Stage::none, Overlap::on, 0, 1, 2},
    {4, Stage::parameters, Overlap::on, 0, 2, 2},
    {4, Stage::gradients, Overlap::on, 0, 1, 2, ContextMethod::ulysses},
    {.nranks = 2, .pp = 2},
    {.nranks = 4, .stage = Stage::gradients, .overlap = Overlap::off, .pp = 2},
    {.nranks = 6, .tp = 6},
    {.nranks = 2, .tp = 2, .sequence_parallel = true},
    {.nranks = 4, .stage = Stage::optimizer, .tp = 2, .cp = 2, .sequence_parallel = true},
    {.nranks = 2, .pp = 2, .schedule = "zb-h1"}};

// Llama's two key and value heads are not for three ranks.
bool exists(const RankLayout& layout, const TrainConfig& config) {
  return !mesh_refusal(on(layout, config).config, layout.nranks);
}

Failure unequal_bits(const TrainConfig& config) {
  const auto one = sound(on({.nranks = 1}, config));
  for (const auto& layout : kLayouts) {
    if (!exists(layout, config)) continue;
    const auto other = train(on(layout, config));
    if (other.losses() != one.losses()) return text_of(layout) + ": other losses";
    if (other.norms() != one.norms()) return text_of(layout) + ": other norms";
    if (other.state != one.state) return text_of(layout) + ": other parameters or moments";
  }
  return {};
}

Failure equal_bits() {
  auto failure = unequal_bits(canonical());
  return failure ? failure : unequal_bits(canonical(DataType::float32, true));
}
Failure equal_bits_in_bfloat16() { return unequal_bits(canonical(DataType::bfloat16)); }

// Fast mode, whose sums are in any order.
Failure far_from_the_reference(const TrainConfig& config) {
  constexpr double kLoss = 1e-5, kNorm = 1e-4;  // relative, of float32's rounding
  const auto one = sound(on({.nranks = 1}, config));
  for (const auto& layout : kLayouts) {
    if (!exists(layout, config)) continue;
    const auto other = train(on(layout, config));
    if (other.ranks.front().steps.size() != one.ranks.front().steps.size())
      return text_of(layout) + ": " + other.said;
    for (std::size_t i = 0; i < one.ranks.front().steps.size(); ++i) {
      const auto &want = one.ranks.front().steps[i], &got = other.ranks.front().steps[i];
      if (!(std::abs(got.loss - want.loss) < kLoss * want.loss))
        return fmt::format("{}: loss {}, not {}", text_of(layout), got.loss, want.loss);
      if (!(std::abs(got.norm - want.norm) < kNorm * want.norm))
        return fmt::format("{}: norm {}, not {}", text_of(layout), got.norm, want.norm);
    }
  }
  return {};
}

Failure near_the_reference() {
  auto failure = far_from_the_reference(tiny());
  return failure ? failure : far_from_the_reference(tiny(true));
}

// --assert-accounting.
Failure accounting() {
  auto config = tiny();
  config.assert_accounting = true;
  for (const auto& layout : kLayouts) {
    const auto outcome = train(on(layout, config));
    if (outcome.code == ExitCode::ok) continue;
    // Where training dies of something else, this check has not noticed the bug.
    const bool noticed = outcome.said.find("are accounted for") != std::string::npos;
    if (switched_on && !noticed) return {};
    return text_of(layout) + ": " + outcome.said;
  }
  return {};
}

// Where all hold everything, all hold the same.
Failure ranks_agree() {
  const auto outcome = train(on({.nranks = 5}, tiny()));
  for (const auto& rank : outcome.ranks)
    if (rank.parameters != outcome.ranks.front().parameters) return "other parameters on a rank";
  return {};
}

// Gradients are too large for float16 until the scale has halved often enough.
Failure overflow_is_everybodys() {
  auto config = canonical(DataType::float16);
  config.loss_scale = {.initial = 0x1p26, .hysteresis = 1};
  config.steps = 14;
  const auto one = sound(on({.nranks = 1}, config));
  const auto& steps = one.ranks.front().steps;
  if (!steps.front().skipped || steps.back().skipped) return "this loss scale tests nothing";
  for (const auto& layout : {kLayouts[0], kLayouts[3]}) {
    const auto outcome = train(on(layout, config));
    if (outcome.losses() != one.losses()) return text_of(layout) + ": other losses";
    for (const auto& rank : outcome.ranks) {
      if (rank.loss_scale != one.ranks.front().loss_scale)
        return fmt::format("{}: a loss scale of {}", text_of(layout), rank.loss_scale.scale);
      for (std::size_t i = 0; i < rank.steps.size(); ++i)
        if (rank.steps[i].skipped != steps[i].skipped)
          return fmt::format("{}: a rank skipped another step", text_of(layout));
    }
  }
  return {};
}

// A run that goes on from a checkpoint on another layout ends as one that was never interrupted.
Failure resume() {
  constexpr std::int64_t kSaved = 2;
  auto config = canonical();
  config.steps = config.schedule.steps = 5;
  const auto whole = sound(on({.nranks = 1}, config));
  for (const auto& [saving, resuming] : {std::pair{kLayouts[3], kLayouts[0]},
                                         {kLayouts[0], kLayouts[4]},
                                         {kLayouts[6], kLayouts[7]},
                                         {kLayouts[9], kLayouts[8]},
                                         {kLayouts[11], kLayouts[4]},
                                         {kLayouts[3], kLayouts[12]}}) {
    const TemporaryFolder folder;
    auto save = on(saving, config);
    save.save_after = kSaved;
    save.folder = folder.root();
    if (const auto saved = train(save); saved.code != ExitCode::ok) return saved.said;
    auto run = on(resuming, config);
    run.save_after = kSaved;
    run.folder = folder.root();
    run.resumes = true;
    const auto resumed = train(run);
    if (resumed.state != whole.state) return text_of(resuming) + ": another end " + resumed.said;
  }
  return {};
}

constexpr Check kChecks[] = {{"equal bits", equal_bits},
                             {"equal bits in bfloat16", equal_bits_in_bfloat16},
                             {"near the reference", near_the_reference},
                             {"accounting", accounting},
                             {"ranks agree", ranks_agree},
                             {"overflow is everybody's", overflow_is_everybodys},
                             {"resume", resume}};

}  // namespace

std::span<const Check> checks() { return kChecks; }

const Check& check_named(std::string_view name) {
  return *std::ranges::find(kChecks, name, &Check::name);
}

}  // namespace linerate::trainers
