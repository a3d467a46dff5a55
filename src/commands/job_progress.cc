// Stages of rank 0's thread tell what time is spent on; the plan says how much of it is to come.
#include "commands/job_progress.h"

#include "bench/layout.h"
#include "bench/pair_test.h"
#include "bench/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

constexpr int kKindsOfRun = 3;  // p2p_perf has so many tests
constexpr std::size_t kTestsOfPair = 4, kPlacements = 2;
constexpr double kIndirect = 3;  // a call through a library's buffers (Open MPI) over a direct one
constexpr double kCopiesFirst = 2.5;  // a call in place without an in-place form over one out of it
constexpr int kMaxModelled = 64;      // ranks: the model's cost grows with their pairs

double window_calls(const RunConfig& config) {
  return static_cast<double>(config.window_calls()) * std::max(1, config.gpu.cudagraph);
}

// Those of one placement, checks of further rounds included.
double calls_of(const RunConfig& config) {
  const double windows = std::max(1, config.check);
  const double samples =
      config.gpu.cudagraph > 0 ? window_calls(config) : static_cast<double>(config.iters);
  return static_cast<double>(config.warmup_iters) + windows * window_calls(config) + samples;
}

// How long a call should take; 0: nobody knows. Backends copy what a collective without an in-place
// form sends, before they let others write there.
double modelled_s(const PlannedRun& run, const Case& what, Placement placement) {
  if (run.model == nullptr) return 0;
  if (placement == Placement::in_place && !what.collective->in_place)
    return kCopiesFirst * modelled_s(run, what, Placement::out_of_place);
  const ModeledCall call{.collective = what.collective,
                         .type = what.type,
                         .op = what.op,
                         .root = what.root,
                         .placement = placement,
                         .sizing = sizing_of(what, run.nranks, run.traffic)};
  const auto bound = run.model->bound(call);
  if (!bound || bound->busbw_gbps <= 0) return 0;
  return call.algbw_bytes() * call.bus_factor() / bound->busbw_gbps * 1e-9 * run.slower;
}

// A rule of its own ends the cases of --stop: one takes as long as the one before.
Piece piece_of(const PlannedRun& run, const Case& what, Placement placement) {
  if (run.config.stop.asked()) return {};
  const auto sizing = sizing_of(what, run.nranks, run.traffic);
  const auto bytes = static_cast<double>(row_bytes(*what.collective, sizing, what.type));
  const double slid = std::min(window_calls(run.config) * bytes,
                               static_cast<double>(run.config.max_bytes));  // of each buffer
  return {.kind = placement == Placement::in_place ? 1 : 0,
          .calls = calls_of(run.config),
          .bytes = bytes,
          .call_s = modelled_s(run, what, placement),
          .data_bytes = 2 * slid + 2 * bytes * run.config.check};
}

// What the model does not know of a size it knows of the next larger one, else of a smaller one.
void fill_gaps(std::vector<Piece>& pieces) {
  const Piece* known = nullptr;
  const auto fill = [&](Piece& piece) {
    if (piece.call_s == 0 && known != nullptr)
      piece.call_s = known->call_s * piece.bytes / known->bytes;
    if (piece.call_s > 0 && piece.bytes > 0) known = &piece;
  };
  std::ranges::for_each(pieces | std::views::reverse, fill);
  known = nullptr;
  std::ranges::for_each(pieces, fill);
}

std::vector<Piece> pieces_of_cases(const PlannedRun& run) {
  std::vector<Piece> pieces;
  for (const auto& what : run.cases)
    for (const auto placement : {Placement::out_of_place, Placement::in_place})
      pieces.push_back(piece_of(run, what, placement));
  fill_gaps(pieces);
  return pieces;
}

std::vector<Piece> pieces_of_pairs(const PlannedRun& run) {
  const double small = static_cast<double>(run.config.min_bytes);
  const double large = static_cast<double>(run.config.max_bytes);
  std::vector<Piece> pieces;
  for (const auto& round : pair_rounds(run.nranks, run.config.at_once)) {
    const int results = static_cast<int>(round.size());
    pieces.push_back({.kind = 0, .bytes = 2 * small, .results = results});
    pieces.push_back({.kind = 1, .bytes = large, .results = results});
    pieces.push_back({.kind = 1, .bytes = large, .results = results});
    pieces.push_back({.kind = 2, .bytes = 2 * large, .results = results});
  }
  return pieces;
}

struct Work {
  Doing doing = Doing::other;
  double calls = 0;
};

// Of a stage's name, as bench says it.
Work work_of(std::string_view stage, const RunConfig& config) {
  if (config.stop.asked() || config.collective == nullptr) return {};
  if (stage == "filling" || stage == "comparison") return {.doing = Doing::data};
  if (stage == "warm-up")
    return {.doing = Doing::calls, .calls = static_cast<double>(config.warmup_iters)};
  if (stage == "timed loop" || stage == "verified window")
    return {.doing = Doing::calls, .calls = window_calls(config)};
  if (stage == "samples")
    return {.doing = Doing::calls, .calls = static_cast<double>(config.iters)};
  return {};
}

}  // namespace

Block block_of(const PlannedRun& run, int kind) {
  const bool pairs = run.config.collective == nullptr;
  Block block{.pieces = pairs ? pieces_of_pairs(run) : pieces_of_cases(run),
              .cycles = pairs ? 1 : run.config.run_cycles,
              .row = pairs ? kTestsOfPair : kPlacements};
  for (auto& piece : block.pieces) piece.kind += kind;
  return block;
}

JobProgress::JobProgress(std::optional<bool> forced, std::string name)
    : name_(std::move(name)), live_(forced, name_, "results") {}

// What a later run will do is planned with the model of this one, and again when it begins.
Block JobProgress::block_of_run(std::size_t index, const RunStart& start,
                                const PerformanceModel* model) const {
  const auto& config = *runs_[index];
  PlannedRun run{.config = config, .nranks = start.info.nranks};
  const int kind = static_cast<int>(index) * kKindsOfRun;
  if (config.collective == nullptr) return block_of(run, kind);
  run.nranks = smallest_group(config, run.nranks);
  if (start.info.nranks <= kMaxModelled) run.model = model;
  if (start.limits != nullptr && !start.limits->memory.direct) run.slower = kIndirect;
  const auto traffic = traffic_of(config, run.nranks);
  run.traffic = traffic.get();
  const auto planned = &config == run_ ? std::vector<Case>() : plan_cases(config, run.nranks);
  run.cases = &config == run_ ? start.cases : std::span<const Case>(planned);
  return block_of(run, kind);
}

void JobProgress::begin(const RunConfig& run, const RunStart& start,
                        const PerformanceModel* model) {
  if (!live_.shows()) return;
  const auto index = static_cast<std::size_t>(std::ranges::find(runs_, &run) - runs_.begin());
  run_ = &run;
  first_call_ = true;
  auto name = name_.empty() ? run.program : fmt::format("{}, {}", name_, run.program);
  if (run.repetition > 0) name += fmt::format(", run {}", run.repetition);
  if (run.repetitions > 0) {
    name += fmt::format(" of {}", run.repetitions);
    line().followed_by(run.repetitions - run.repetition, run.repetition_s);
  }
  line().name(std::move(name));
  std::vector<Block> blocks;
  for (auto i = index; i < runs_.size(); ++i) blocks.push_back(block_of_run(i, start, model));
  line().plan(index, std::move(blocks));
  line().begin_block(index);
  live_.start();
}

// All buffers are filled once before what is planned begins: so fast goes the rest of the data.
void JobProgress::stage(const Stage& stage) {
  if (!live_.shows()) return;
  const auto now_ns = clock_.now_ns();
  const double bytes = std::exchange(filled_bytes_, 0);
  if (bytes > 0) line().filled(bytes, static_cast<double>(now_ns - filling_began_ns_) * 1e-9);
  if (stage.what == "allocation") run_ = nullptr;
  if (stage.what == "filling" && run_ == nullptr) {
    filling_began_ns_ = now_ns;
    filled_bytes_ = static_cast<double>(stage.bytes);
  }
  if (run_ == nullptr) return;
  const bool connects = stage.what == "warm-up" && std::exchange(first_call_, false);
  const auto work = connects ? Work{} : work_of(stage.what, *run_);
  line().now(work.doing, work.calls);
}

}  // namespace linerate
