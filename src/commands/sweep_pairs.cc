// linerate sweep pairs: rank 0 searches, all ranks measure what it asks for.
#include "base/file.h"
#include "base/units.h"
#include "bench/pair_test.h"
#include "bench/plan.h"
#include "cli/sweep_pairs_config.h"
#include "commands/command.h"
#include "commands/live_progress.h"
#include "job/job.h"
#include "output/text_file.h"
#include "pairs/text.h"

#include <fmt/format.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

BenchConfig bench_config(const SweepPairsConfig& config) {
  BenchConfig bench;
  static_cast<JobConfig&>(bench) = config;
  bench.min_bytes = bench.max_bytes = config.bytes;
  bench.iters = config.iters;
  bench.check = config.check;
  return bench;
}

// Of all ranks, in their order: those of one thread are next to each other.
std::vector<int> nodes_of(std::span<const RankInfo> infos) {
  std::vector<int> nodes;
  for (const auto& info : infos) nodes.push_back(info.node);
  return nodes;
}

// What this process of rank 0 has read before the ranks meet.
struct Asked {
  const SweepPairsConfig& config;
  std::uint64_t seed = 0;
  std::string hostfile{};
};

// On one rank's thread.
class PairsSearch {
 public:
  PairsSearch(RankContext& rank, const Asked& asked)
      : asked_(asked), bench_(bench_config(asked.config)), session_(rank, bench_) {}

  ExitCode run();

 private:
  void allocate();
  Round told(const std::optional<Round>& round);
  ExitCode report(const pairs::Search& search) const;

  const Asked& asked_;
  const BenchConfig bench_;
  Session session_;
  pairs::Layout layout_;
  bool interrupted_ = false;
};

void PairsSearch::allocate() {
  const auto memory = session_.rank_memory();
  if (bench_.max_bytes > max_bytes_within(memory))
    throw Error(fmt::format("-e {} does not fit: a rank has {} for its two buffers. Choose a "
                            "smaller -e, or fewer ranks.",
                            bytes_text(bench_.max_bytes), about_bytes_text(memory)),
                ExitCode::unavailable);
  session_.allocate({.bytes = bench_.max_bytes});
}

// Rank 0's round on all; empty: it is over.
Round PairsSearch::told(const std::optional<Round>& round) {
  std::vector<int> ranks;
  for (const auto& [a, b] : round.value_or(Round())) ranks.insert(ranks.end(), {a, b});
  ranks = value_of_rank_0(session_.bootstrap(), ranks, Deadline::never());
  Round pairs;
  for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) pairs.emplace_back(ranks[i], ranks[i + 1]);
  return pairs;
}

ExitCode PairsSearch::run() {
  layout_ = pairs::layout_of(nodes_of(session_.infos()));
  if (const auto refusal = pairs::refusal_for(layout_)) throw Error(*refusal, ExitCode::usage);
  allocate();
  pairs::Search search(
      layout_,
      {.seed = asked_.seed, .rounds = asked_.config.rounds, .limit = {asked_.config.below}});
  LiveProgress progress(session_.is_first() ? asked_.config.progress : std::optional(false),
                        "sweep pairs", "rounds");
  progress.start();
  for (;;) {
    session_.enter({.what = "wait for the next round"});
    interrupted_ = session_.rank().any_interrupted();
    if (interrupted_) break;
    const auto round = told(session_.is_first() ? search.next() : std::nullopt);
    if (round.empty()) break;
    const auto rates = rates_at_once(session_, round, bench_.max_bytes, repeats_of(bench_));
    if (!session_.is_first()) continue;
    progress.line().done(std::string(search.doing()));
    search.take(rates);
  }
  progress.end();
  session_.rank().close();
  return session_.is_first() ? report(search) : ExitCode::ok;
}

ExitCode PairsSearch::report(const pairs::Search& search) const {
  const auto outcome = search.outcome();
  const pairs::Searched searched{.layout = layout_,
                                 .ranks = session_.infos(),
                                 .outcome = outcome,
                                 .bytes = bench_.max_bytes,
                                 .limit = asked_.config.below,
                                 .seed = asked_.seed,
                                 .interrupted = interrupted_};
  auto text = asked_.config.json ? pairs::report_json(searched) : pairs::report_text(searched);
  if (!asked_.hostfile.empty()) text += pairs::hostfile_text(searched, asked_.hostfile);
  TextFile::standard_output().write(text);
  if (interrupted_) return ExitCode::interrupted;
  if (!outcome.wrong.empty()) return ExitCode::failed;
  return outcome.faults.empty() ? ExitCode::ok : ExitCode::finding;
}

}  // namespace

ExitCode sweep_pairs(const CommandInput& input) {
  const std::vector<std::string> words(input.call.words.begin() + 1, input.call.words.end());
  if (answers_help(words, Audience::sweep_pairs)) return ExitCode::ok;
  const auto config = parse_sweep_pairs(words);
  if (!config) return refuse(config.sentence());
  Asked asked{.config = *config, .seed = config->seed.value_or(std::random_device{}())};
  const auto identity = identify(*config, input.environment);
  if (identity && identity->rank == 0 && !config->hostfile.empty()) {
    auto text = read_regular_file(config->hostfile, pairs::kMostHostfileBytes);
    if (!text) return refuse(fmt::format("{}: {}", config->hostfile, text.sentence()));
    asked.hostfile = *std::move(text);
  }
  const std::vector<Setting> settings{{"-e/--maxbytes", fmt::to_string(config->bytes)},
                                      {"-n/--iters", fmt::to_string(config->iters)},
                                      {"-c/--check", fmt::to_string(config->check)}};
  return run_job({.config = *config,
                  .environment = input.environment,
                  .interrupted = input.interrupted,
                  .answer_interrupts = input.answer_interrupts,
                  .settings = settings},
                 [&](RankContext& rank) { return PairsSearch(rank, asked).run(); });
}

}  // namespace linerate
