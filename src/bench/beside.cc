// All threads make as many calls and units in a phase. At once each would go on for a whole phase
// even at the speed that it has alone.
#include "bench/beside.h"

#include "base/splitmix.h"
#include "base/wire.h"
#include "bench/results.h"
#include "stats/compare.h"
#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <span>

namespace linerate {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// How much was done at a moment: between two marks evenly.
double done_at(const Progress& progress, double us) {
  const auto& at = progress.at_us;
  const auto next = std::ranges::upper_bound(at, us);
  const auto passed = static_cast<double>(next - at.begin()) - 1;
  if (next == at.begin()) return 0;
  if (next == at.end()) return passed * progress.pieces;
  const double before_us = *(next - 1);
  return (passed + (us - before_us) / (*next - before_us)) * progress.pieces;
}

// Of a piece that is longer than the time between both, that which lies beyond counts too: not more
// than as much again.
double us_per_piece(const Progress& progress, double from_us, double to_us) {
  constexpr double kLeast = 0.5;
  const double done = done_at(progress, to_us) - done_at(progress, from_us);
  return done >= kLeast ? (to_us - from_us) / done : kNone;
}

struct Marks {
  std::vector<Event> events{};
  std::uint64_t pieces = 1;  // between two of them
};

// At least `count` pieces: on all ranks as many.
template <typename Once>
Marks enqueue(Stream& stream, std::uint64_t count, const Once& once) {
  constexpr std::uint64_t kMarks = 64;
  Marks marks{.pieces = (count + kMarks - 1) / kMarks};
  if (count == 0) return marks;
  marks.events.push_back(stream.record());
  for (std::uint64_t done = 0; done < count; done += marks.pieces) {
    for (std::uint64_t k = 0; k < marks.pieces; ++k) once();
    marks.events.push_back(stream.record());
  }
  return marks;
}

Progress progress_of(const Marks& marks, const Event& since) {
  Progress progress{.pieces = static_cast<double>(marks.pieces)};
  for (const auto& event : marks.events) progress.at_us.push_back(elapsed_us(since, event));
  return progress;
}

bool has_both(const PhaseTimes& times) {
  return std::isfinite(times.call_us) && std::isfinite(times.unit_us);
}

bool is_whole(const BesideBlock& block) {
  return has_both({block.call_us, block.unit_us}) && has_both(block.at_once);
}

SlowDown slow_down(const std::vector<stats::Block>& blocks) {
  const auto effect = stats::effect_of(blocks, stats::Level::of_block);
  std::vector<double> alone, beside;
  for (const auto& block : blocks) {
    alone.push_back(block.a.front());
    beside.push_back(block.b.front());
  }
  SlowDown slow{
      .alone_us = stats::median(alone), .beside_us = stats::median(beside), .ratio = effect.ratio};
  if (std::isfinite(effect.low)) slow.low = effect.low;
  if (std::isfinite(effect.high)) slow.high = effect.high;
  return slow;
}

// A product of n x n matrices has n^3 multiplications, and as many additions.
ProductInfo products_of(const BesideInfo& info, const LoadOptions& load) {
  constexpr double kTeraPerSecond = 1e-6;  // of one per microsecond
  const auto n = static_cast<double>(load.size);
  const auto tflops = [&](double us) { return 2 * n * n * n / us * kTeraPerSecond; };
  return {.type = std::string(name_of(load.type)),
          .alone_tflops = tflops(info.unit.alone_us),
          .beside_tflops = tflops(info.unit.beside_us)};
}

}  // namespace

PhaseTimes times_of(const Progress& calls, const Progress& units) {
  double from_us = -std::numeric_limits<double>::infinity(), to_us = -from_us;
  for (const auto* part : {&calls, &units}) {
    if (part->at_us.empty()) continue;
    from_us = std::max(from_us, part->at_us.front());
    to_us = std::min(to_us, part->at_us.back());
  }
  return {us_per_piece(calls, from_us, to_us), us_per_piece(units, from_us, to_us)};
}

std::vector<BesidePhase> phases_of(std::uint64_t seed, std::uint64_t block) {
  std::vector phases{BesidePhase::calls, BesidePhase::units, BesidePhase::both};
  SplitMix(splitmix64(seed) + block).shuffle(phases);
  return phases;
}

BesideMeter::BesideMeter(Session& session, const Load& load)
    : session_(session),
      load_(load),
      stream_(session.rank().device().open_stream(StreamKind::async)) {}

// Long enough for the scheduler of the host to let all threads of a core run; a modelled clock has
// none. Rank 0 decides, all follow.
BesideMeter::Counts BesideMeter::fitting(const PhaseTimes& times) {
  constexpr double kPhaseUs = 2e4, kLeastPieces = 4, kMostPieces = 2e5, kLeastUs = 1e-3;
  const double call_us = std::fmax(times.call_us, kLeastUs);  // the number of a number and NaN
  const double unit_us = std::fmax(times.unit_us, kLeastUs);
  const double us = std::max(
      {session_.modeled_time() ? 0 : kPhaseUs, kLeastPieces * call_us, kLeastPieces * unit_us});
  const auto pieces = [&](double each_us) {
    return static_cast<std::uint64_t>(std::min(std::ceil(us / each_us), kMostPieces));
  };
  return value_of_rank_0(session_.bootstrap(), Counts{pieces(call_us), pieces(unit_us)},
                         Deadline::never());
}

// A host's load begins when all of it is enqueued: this thread, which enqueues it, makes the calls.
// These begin when the load has: its thread may have waited for a core.
PhaseTimes BesideMeter::phase(CallIssuer& issuer, const Counts& counts) {
  session_.align();
  std::promise<void> start;
  if (counts.units > 0 && stream_->queue() != nullptr)
    stream_->run([go = start.get_future().share()] { go.wait(); });
  const auto units = enqueue(*stream_, counts.units, [&] { load_(*stream_); });
  start.set_value();
  if (counts.units > 0) units.events.front().wait(Deadline::never());
  const auto calls = enqueue(*session_.ranks().front().stream, counts.calls, [&] {
    issuer.once(next_slot_);
    next_slot_ = next_slot_ + 1 == slots_ ? 0 : next_slot_ + 1;
  });
  issuer.synchronize();
  stream_->synchronize(Deadline::never());
  const auto& since = counts.units > 0 ? units.events.front() : calls.events.front();
  return times_of(progress_of(calls, since), progress_of(units, since));
}

BesideBlock BesideMeter::block(CallIssuer& issuer, const Counts& alone, const Counts& at_once) {
  BesideBlock block;
  for (const auto what : phases_of(session_.config().seed, nblocks_++)) switch (what) {
      case BesidePhase::calls:
        block.call_us = phase(issuer, {.calls = alone.calls}).call_us;
        break;
      case BesidePhase::units:
        block.unit_us = phase(issuer, {.units = alone.units}).unit_us;
        break;
      case BesidePhase::both:
        block.at_once = phase(issuer, at_once);
    }
  return block;
}

std::vector<std::vector<BesideBlock>> BesideMeter::run(CallIssuer& issuer, const Plan& plan) {
  slots_ = plan.sliding_slots;
  next_slot_ = 0;
  session_.enter(plan.stage);
  (void)phase(issuer, {.units = 1});
  const PhaseTimes about{plan.call_us, phase(issuer, {.units = 2}).unit_us};
  const auto alone = fitting(about);
  const auto tried = phase(issuer, alone);
  auto at_once = fitting(has_both(tried) ? tried : about);
  at_once = {std::max(alone.calls, at_once.calls), std::max(alone.units, at_once.units)};
  std::vector<BesideBlock> mine;
  for (int i = 0; i < kBlocks && !plan.interrupted(); ++i) {
    session_.enter(plan.stage);
    mine.push_back(block(issuer, alone, at_once));
  }
  WireWriter out;
  out.put_all(std::span<const BesideBlock>(mine));
  std::vector<std::vector<BesideBlock>> threads;
  for (const auto& bytes : session_.bootstrap().gather(out.bytes(), Deadline::never()))
    threads.push_back(WireReader(bytes).get_all<BesideBlock>());
  return threads;
}

std::optional<BesideInfo> beside_info(const std::vector<std::vector<BesideBlock>>& blocks,
                                      const ThreadSet& set, const TimingConfig& config) {
  std::vector<stats::Block> calls, units;
  const std::size_t nblocks = blocks.empty() ? 0 : blocks.front().size();
  for (std::size_t i = 0; i < nblocks; ++i) {
    const auto of = [&](int thread) -> const BesideBlock& {
      return blocks[static_cast<std::size_t>(thread)][i];
    };
    const auto combined = [&](const auto& us_of) {
      std::vector<double> thread_us;
      for (const int thread : set) thread_us.push_back(us_of(of(thread)));
      return std::vector{combine_us(std::move(thread_us), config.average)};
    };
    if (!std::ranges::all_of(set, [&](int thread) { return is_whole(of(thread)); })) continue;
    calls.push_back({combined([](const auto& b) { return b.call_us; }),
                     combined([](const auto& b) { return b.at_once.call_us; })});
    units.push_back({combined([](const auto& b) { return b.unit_us; }),
                     combined([](const auto& b) { return b.at_once.unit_us; })});
  }
  if (calls.empty()) return std::nullopt;
  BesideInfo info{.load = config.beside.text,
                  .blocks = calls.size(),
                  .call = slow_down(calls),
                  .unit = slow_down(units)};
  if (config.beside.kind == LoadOptions::Kind::gemm)
    info.products = products_of(info, config.beside);
  return info;
}

}  // namespace linerate
