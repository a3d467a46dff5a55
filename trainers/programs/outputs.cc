#include "trainers/programs/outputs.h"

#include "base/text.h"
#include "commands/watched_health.h"
#include "output/health_text.h"
#include "record/json_lines.h"
#include "stats/summary.h"
#include "trainers/programs/utilisation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <span>
#include <utility>

namespace linerate {
namespace {

constexpr double kPercent = 100;
constexpr std::size_t kWarmUp = 2;       // steps that the summary leaves out, where there are more
constexpr std::int64_t kFirstRows = 10;  // on a terminal; later ones come once a second
constexpr std::int64_t kBetweenRowsNs = 1'000'000'000;
constexpr double kLeastWait = 0.01;       // share of the time that is worth a line
constexpr std::size_t kMaxWaits = 3;      // ranks in that line
constexpr std::size_t kStepColumns = 98;  // of a drawn step

double exposed_share(const trainers::StepResult& result) {
  return result.time.exposed_us() / result.time.step_us;
}

std::string row_of(const trainers::StepResult& result) {
  return fmt::format("{:>7} {:>9.5f} {:>10.4f} {:>10.3e} {:>9.2f} {:>10.0f} {:>6.1f} %{}",
                     result.step, result.loss, result.norm, result.lr, result.time.step_us * 1e-3,
                     tokens_per_s(result), kPercent * exposed_share(result),
                     result.skipped ? "  skipped: a gradient was not finite" : "");
}

// Of `all`, without the first ones where there are others.
double usual(const std::vector<double>& all) {
  const auto later = std::span(all).subspan(all.size() > 2 * kWarmUp ? kWarmUp : 0);
  return stats::median({later.begin(), later.end()});
}

// What rank 0 holds at most, without what it has none of.
std::string peaks_text(const trainers::Arena& arena) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < trainers::kCategories; ++i) {
    const auto category = static_cast<trainers::Category>(i);
    const auto peak = arena.bytes(category).peak;
    if (peak > 0)
      parts.push_back(
          fmt::format("{} {:.1f}", name_of(category), static_cast<double>(peak) / (1 << 20)));
  }
  return fmt::format("# memory of rank 0 at most, MiB: {}", fmt::join(parts, ", "));
}

// A line for each axis.
std::vector<std::string> sent_lines(const trainers::SentBytes& sent, std::size_t steps) {
  std::map<std::string, std::vector<std::string>> axes;
  for (const auto& [tag, bytes] : sent)
    axes[tag.first].push_back(fmt::format("{} {}", tag.second, bytes));
  std::vector<std::string> lines;
  for (const auto& [axis, parts] : axes)
    lines.push_back(fmt::format("# sent by rank 0 in {} step{} on {}, bytes: {}", steps,
                                steps == 1 ? "" : "s", axis, fmt::join(parts, ", ")));
  return lines;
}

}  // namespace

TrainOutputs::TrainOutputs(TrainingRun run, const TrainOptions& options,
                           const trainers::Source& source, TextFile* jsonl)
    : run_(std::move(run)),
      options_(options),
      source_(source),
      jsonl_(jsonl),
      progress_(options.progress, run_.program, "steps"),
      on_terminal_(progress_.shows() && TextFile::standard_output().terminal()) {}

void TrainOutputs::print(const std::string& text) {
  progress_.aside([&] {
    std::fputs((text + '\n').c_str(), stdout);
    std::fflush(stdout);
  });
}

void TrainOutputs::begin(const RankContext& rank, const trainers::Trainer& trainer) {
  const auto& train = options_.train;
  print(fmt::format("# {}: {}, {} parameters, {}, {} ranks, {} backend", run_.program,
                    train.model.name, trainers::parameters_of(train.model).count(),
                    name_of(train.type), rank.nranks(), rank.backend().name()));
  const auto entropy = source_.entropy();
  print(fmt::format("# data {}{}; {} sequences of {} tokens a step, {} steps{}", source_.name(),
                    entropy ? fmt::format(" of {:.4f} nats a token", *entropy) : "", train.batch,
                    train.model.length, train.steps, train.deterministic ? ", deterministic" : ""));
  if (options_.no_communication)
    print("# no communication: times are those of compute alone, losses mean nothing");
  const auto done = trainer.steps_done();
  if (done > 0) print(fmt::format("# resumed after step {}", done));
  print("#  step      loss  grad norm         lr   step ms   tokens/s  exposed");
  plan_progress(train.steps - done);
  if (jsonl_ != nullptr) jsonl_->write(run_line(run_, options_, rank, trainer));
}

void TrainOutputs::recovered(const Generation& generation, const trainers::Trainer& trainer) {
  const Recovery recovery{
      .generation = generation,
      .micro_batch = trainer.micro_batch(),
      .resumed_step = trainer.steps_done(),
      .steps_lost = std::max<std::int64_t>(0, generation.steps_before - trainer.steps_done()),
      .recovery_s = static_cast<double>(clock_.now_ns() - generation.noticed_ns) * 1e-9};
  print(fmt::format("# {}; {} left, {} take part: {}; {}", loss_text(generation), generation.left,
                    generation.nranks, generation.layout, generation.accumulation));
  print(fmt::format("# recovered in {:.2f} s, {} step{} lost", recovery.recovery_s,
                    recovery.steps_lost, recovery.steps_lost == 1 ? "" : "s"));
  if (jsonl_ != nullptr) jsonl_->write(recovery_line(run_.run_id, recovery));
}

// Steps are alike, but for those that wait for a checkpoint.
void TrainOutputs::plan_progress(std::int64_t steps) {
  if (!progress_.shows() || steps <= 0) return;
  progress_.line().plan(
      0, {{.pieces = {{.alike = true}}, .cycles = static_cast<std::uint64_t>(steps)}});
  progress_.line().begin_block(0);
  progress_.start();
}

// A terminal shows the first ones, the last one, and those between that can be read.
bool TrainOutputs::has_row(std::int64_t step) {
  const auto now_ns = clock_.now_ns();
  const bool left_out = on_terminal_ && rows_ >= kFirstRows && step != options_.train.steps &&
                        now_ns - row_ns_ < kBetweenRowsNs;
  if (left_out) return false;
  ++rows_;
  row_ns_ = now_ns;
  return true;
}

void TrainOutputs::step(const trainers::StepResult& result) {
  step_us_.push_back(result.time.step_us);
  exposed_.push_back(exposed_share(result));
  tokens_ = result.tokens;
  loss_ = result.loss;
  progress_.line().done(fmt::format("loss {:.4f}, {:.0f} tokens/s, {:.1f} % exposed", result.loss,
                                    tokens_per_s(result), kPercent * exposed_.back()));
  if (has_row(result.step)) print(row_of(result));
  if (jsonl_ != nullptr) jsonl_->write(step_line(run_.run_id, result));
}

void TrainOutputs::health(std::vector<NodeHealth> nodes) {
  EndInfo end{.run_id = run_.run_id};
  add_health(std::move(nodes), end);
  auto lines = health_lines(end);
  lines.pop_back();  // print() ends it
  print(lines);
  if (jsonl_ == nullptr) return;
  for (const auto& node : end.health) jsonl_->write(json_line(node));
  for (const auto& finding : end.findings) jsonl_->write(json_line(finding));
}

void TrainOutputs::end(trainers::Trainer& trainer, TrainingEnd end) {
  progress_.end();
  end.steps = step_us_.size();
  end.loss = loss_;
  if (end.steps > 0) summarise(end);
  print_waits(end.waited_for);
  if (end.steps > 0) print_bubbles(end.bubbles);
  print_pipeline(end.pipeline_step, trainer.pipeline().stages);
  print(peaks_text(trainer.arena()));
  print(resident_text(end.resident));
  for (const auto& line : sent_lines(trainer.sent_bytes(), end.steps)) print(line);
  if (jsonl_ != nullptr) jsonl_->write(end_line(run_.run_id, end, trainer));
}

void TrainOutputs::summarise(TrainingEnd& end) {
  const double step_us = usual(step_us_);
  end.tokens_per_s = static_cast<double>(tokens_) / step_us * 1e6;
  print(
      fmt::format("# median of {} steps: {:.2f} ms, {:.0f} tokens/s, {:.1f} % exposed "
                  "communication; last loss {:.6f}",
                  step_us_.size() - (step_us_.size() > 2 * kWarmUp ? kWarmUp : 0), step_us * 1e-3,
                  end.tokens_per_s, kPercent * usual(exposed_), end.loss));
  const auto used = utilisation_of(options_.train, end.tokens_per_s, run_.peak_flops);
  end.mfu = used.mfu;
  end.hfu = used.hfu;
  print(fmt::format(
      "# MFU {:.1f} %, HFU {:.1f} % of {:.1f} GFLOP/s, which all ranks together reached in matrix "
      "products before the first step",
      kPercent * used.mfu, kPercent * used.hfu, run_.peak_flops * 1e-9));
}

void TrainOutputs::print_waits(const std::vector<PeerWaitShare>& waited_for) {
  std::vector<std::string> ranks;
  for (const auto& [rank, share] : waited_for)
    if (share >= kLeastWait && ranks.size() < kMaxWaits)
      ranks.push_back(fmt::format("{:.1f} % of the time for rank {}", kPercent * share, rank));
  if (!ranks.empty()) print(fmt::format("# other ranks waited {}", fmt::join(ranks, ", ")));
}

void TrainOutputs::print_bubbles(const StageWaitShares& bubbles) {
  if (bubbles.stages.empty()) return;
  std::vector<std::string> stages;
  for (const auto share : bubbles.stages) stages.push_back(fmt::format("{:.1f}", kPercent * share));
  print(fmt::format(
      "# bubble: stages waited {:.1f} % of the time for each other ({}); {} alone makes "
      "them wait {:.1f} %",
      kPercent * bubbles.all, fmt::join(stages, ", "), options_.train.pp_schedule,
      kPercent * bubbles.by_schedule));
}

void TrainOutputs::print_pipeline(const std::vector<trainers::DrawnSpan>& step, int stages) {
  if (step.empty()) return;
  double end_us = 0;
  for (const auto& span : step) end_us = std::max(end_us, span.end_us);
  print(fmt::format("# the last step as it ran, {:.2f} ms, a line for each stage:", end_us * 1e-3));
  const auto drawn = trainers::drawn_pipeline(step, stages, kStepColumns);
  for (const auto& line : split(trim(drawn), '\n')) print("# " + std::string(line));
}

}  // namespace linerate
