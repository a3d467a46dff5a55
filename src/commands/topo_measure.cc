// linerate topo --measure: machines one by one, then TCP between them.
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/units.h"
#include "base/wire.h"
#include "bench/pairs.h"
#include "bench/survey/link_prober.h"
#include "bench/survey/machine_facts.h"
#include "commands/live_progress.h"
#include "commands/survey_text.h"
#include "commands/topo.h"
#include "devices/cpu/cpu_device.h"
#include "job/processes.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace linerate {
namespace {

constexpr double kJobTimeoutS = 300;  // until all have come, and until all have measured themselves

// What a node's survey and the rounds of links between nodes consist of.
std::vector<Piece> pieces_of(const SurveyPlan& plan, int nnodes) {
  constexpr int kLines = 0, kTouch = 1, kSizes = 2, kCores = 3, kLinks = 4;
  std::vector<Piece> pieces{{.kind = kLines}, {.kind = kTouch}};
  for (const auto bytes : survey_sizes(plan))
    pieces.push_back({.kind = kSizes, .bytes = static_cast<double>(bytes)});
  for (std::size_t i = 0; i < thread_counts(plan.threads).size(); ++i)
    pieces.push_back({.kind = kCores, .bytes = static_cast<double>(plan.largest_bytes)});
  const auto rounds = nnodes > 1 ? pair_rounds(nnodes, true).size() : 0;
  pieces.insert(pieces.end(), rounds, {.kind = kLinks});
  return pieces;
}

// The steps of the measurement on rank 0, and what they are about.
class MeasuringProgress {
 public:
  explicit MeasuringProgress(bool shows)
      : live_(shows ? std::nullopt : std::optional(false), "topo --measure", "steps") {}

  void plan(std::vector<Piece> pieces) {
    live_.line().plan(0, {{.pieces = std::move(pieces)}});
    live_.start();
  }
  // A step begins, which ends the one before.
  void step(std::string_view what) {
    if (std::exchange(any_, true)) live_.line().done();
    live_.line().name(fmt::format("topo --measure: {}", what));
    live_.line().show();
  }

 private:
  LiveProgress live_;
  bool any_ = false;
};

MeasuredNode measure_here(const JoinedProcesses& job, const Clock& clock, int nnodes,
                          MeasuringProgress& progress) {
  const auto machine = describe_whole_machine();
  const auto host = make_cpu_device(0, clock);
  // Launchers bind a rank to a core or two: all of the node's are measured.
  const bool alone = job.all().nranks() == 1;
  auto threads = hardware_threads(alone ? ThreadScope::bound : ThreadScope::allowed);
  const auto plan = survey_plan(std::move(threads), machine.l3_bytes, host->free_bytes());
  progress.plan(pieces_of(plan, nnodes));
  return {.hostname = job.all().place().hostname,
          .hardware = hardware_text(),
          .survey = survey_machine(plan, *host, clock,
                                   [&](std::string_view what) { progress.step(what); })};
}

// What goes to rank 0 is what is kept: the reader is the same.
std::vector<MeasuredNode> gather(Bootstrap& leaders, const MeasuredNode& mine,
                                 const Deadline& deadline) {
  WireWriter out;
  out.put_text(mine.hostname);
  out.put_text(facts_text({.hardware = mine.hardware, .survey = mine.survey}));
  std::vector<MeasuredNode> nodes;
  for (const auto& bytes : leaders.gather(out.bytes(), deadline)) {
    WireReader in(bytes);
    auto hostname = in.get_text();
    auto facts = parse_facts(in.get_text(), hostname);
    if (!facts) throw Error(facts.sentence());
    auto told = std::move(facts).value();
    nodes.push_back({std::move(hostname), std::move(told.hardware), std::move(told.survey)});
  }
  return nodes;
}

// Yields a note; where the facts cannot be kept, later runs do without. What some of the cores gave
// holds for them alone.
std::string keep(const CommandInput& input, const MeasuredNode& node) {
  const auto path = facts_path(input.environment, node.hardware);
  if (!path) return "note: neither XDG_CACHE_HOME nor HOME is set: nothing is kept.";
  if (node.survey.nthreads < describe_whole_machine().threads)
    return "note: some cores of this machine were left out, so nothing is kept.";
  std::string complaint;
  (void)find_facts(input.environment, complaint);
  const MachineFacts facts{.hardware = node.hardware,
                           .measured = utc_text(std::chrono::system_clock::now()),
                           .survey = node.survey};
  try {
    if (const auto failed = write_whole_file(*path, facts_text(facts)))
      return fmt::format("note: nothing is kept in {}: {}.", path->string(), *failed);
  } catch (const SystemError& error) {
    return fmt::format("note: nothing is kept: {}.", error.what());
  }
  return complaint.empty() ? "" : fmt::format("note: {} It is replaced.", complaint);
}

void print_measured(const TopoConfig& config, const std::vector<MeasuredNode>& nodes,
                    const std::vector<NodeLink>& links) {
  if (nodes.empty()) return;  // not on rank 0
  fmt::print("{}", config.as_json ? measured_json(nodes, links)
                                  : survey_text(nodes) + links_text(links, nodes));
}

// On the first process of each node; each keeps what its own gave. What the machines gave is
// printed also where their network then fails.
void measure_as_leader(const CommandInput& input, const TopoConfig& config,
                       const JoinedProcesses& job, Bootstrap& leaders) {
  const SteadyClock clock;
  std::vector<MeasuredNode> nodes;
  std::vector<NodeLink> links;
  std::string note;
  try {
    MeasuringProgress progress(leaders.rank() == 0);
    const auto mine = measure_here(job, clock, leaders.nranks(), progress);
    note = keep(input, mine);
    nodes = gather(leaders, mine, Deadline::after(clock, kJobTimeoutS));
    links = measure_links(leaders, clock, [&](std::string_view what) { progress.step(what); });
  } catch (const Error&) {
    print_measured(config, nodes, {});
    throw;
  }
  print_measured(config, nodes, links);
  if (leaders.rank() == 0 && !note.empty()) say(note);
}

}  // namespace

ExitCode measure_machine(const CommandInput& input, const TopoConfig& config) {
  const auto identity = identify({}, input.environment);
  if (!identity) return refuse(identity.sentence());
  if (identity->rank == 0)
    for (const auto& note : identity->notes) say(note);
  const SteadyClock clock;
  const auto deadline = Deadline::after(clock, kJobTimeoutS);
  const auto job = join_processes(*identity, input.environment, {clock, deadline});
  auto& process = job.all();
  const bool leads = process.place().local_rank == 0;
  const auto leaders = process.split(leads ? 0 : -1, 0, deadline);
  if (leaders) measure_as_leader(input, config, job, *leaders);
  // The others of each node wait here all the time.
  const double measured_s = 2 * kJobTimeoutS + links_timeout_s(process.place().nnodes);
  process.barrier(Deadline::after(clock, measured_s));
  return ExitCode::ok;
}

}  // namespace linerate
