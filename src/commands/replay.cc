// linerate replay: rank 0 reads the trace, each rank makes its calls again.
#include "base/units.h"
#include "base/wait.h"
#include "bench/plan.h"
#include "cli/replay_config.h"
#include "commands/command.h"
#include "job/job.h"
#include "output/file_sinks.h"
#include "output/text_file.h"
#include "replay/files.h"
#include "replay/outcome.h"
#include "replay/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kAlignment = 256;  // of a call's part of a buffer

// What the process of rank 0 has read before the ranks meet; others have the settings alone.
struct AskedReplay {
  const ReplayConfig& config;
  replay::Plan plan{};
  replay::Outcome outcome{};
  std::optional<TextFile> jsonl{};
};

// Where a unit's calls find their data in the memory of their group.
struct Room {
  std::vector<Extent> extents{};
  std::size_t bytes = 0;
};

// Calls that frameworks make in place have one buffer.
bool in_place(OpKind kind) {
  return kind == OpKind::all_reduce || kind == OpKind::broadcast || kind == OpKind::reduce;
}

Room room_of(const replay::Unit& unit, int rank, int nranks) {
  Room room;
  for (const auto& call : unit.calls) {
    replay::Ranges ranges;
    auto extent = extent_of(replay::request_of(call, ranges), rank, nranks);
    if (in_place(call.kind)) extent = {0, std::max(extent.send, extent.recv)};
    for (auto* bytes : {&extent.send, &extent.recv}) {
      *bytes = (*bytes + kAlignment - 1) / kAlignment * kAlignment;
      if (room.bytes < std::numeric_limits<std::size_t>::max() / 2) room.bytes += *bytes;
    }
    room.extents.push_back(extent);
  }
  return room;
}

// A unit as it is asked for.
struct Request {
  std::vector<replay::Ranges> ranges{};  // that `ops` refer to
  std::vector<Op> ops{};
};

Request request_in(View memory, const replay::Unit& unit, const Room& room) {
  Request request{.ranges = std::vector<replay::Ranges>(unit.calls.size())};
  std::size_t at = 0;
  for (std::size_t i = 0; i < unit.calls.size(); ++i) {
    auto& op = request.ops.emplace_back(replay::request_of(unit.calls[i], request.ranges[i]));
    const auto& extent = room.extents[i];
    op.send = memory.subspan(at, extent.send);
    op.recv = memory.subspan(at + extent.send, extent.recv);
    if (in_place(op.kind)) op.send = op.recv;
    at += extent.send + extent.recv;
  }
  return request;
}

// Gaps are no longer than replay::plan_of() lets them be.
void wait_us(const Clock& clock, double us) {
  constexpr std::int64_t kAwakeNs = 100'000;  // about what a sleep may end late
  wait_until(clock, clock.now_ns() + static_cast<std::int64_t>(us * kNsPerUs), kAwakeNs,
             std::this_thread::yield);
}

// On one rank's thread.
class Replay {
 public:
  Replay(RankContext& rank, AskedReplay& asked) : rank_(rank), asked_(asked) {}

  ExitCode run();

 private:
  struct Member {
    Communicator* comm = nullptr;
    std::unique_ptr<Stream> stream{};
    View memory{};
    std::size_t bytes = 0;
  };
  struct Done {
    Event start{}, end{};
  };

  void check_ranks() const;
  void share_plan();
  void split();
  void allocate();
  std::size_t own_memory() const;
  void issue(std::size_t unit);
  double replay_once();
  void keep(double whole_us);
  ExitCode report(bool interrupted);

  RankContext& rank_;
  AskedReplay& asked_;
  const SteadyClock clock_;  // of gaps: a modelled one stands still while nobody calls
  std::vector<replay::Group> groups_;
  std::vector<replay::Unit> units_;
  std::vector<Request> requests_;          // of the units
  std::map<std::size_t, Member> members_;  // by group, of those that this rank is in
  std::vector<Done> done_;
};

void Replay::check_ranks() const {
  if (!rank_.is_first()) return;
  const auto nranks = static_cast<int>(asked_.plan.ranks.size());
  if (rank_.ranks().size() > 1)
    throw Error("A replay needs a thread for each rank: give -t or --nprocs in the place of -g.",
                ExitCode::usage);
  if (nranks != rank_.nranks())
    throw Error(
        fmt::format("The trace is of {} rank{}, and this job has {}: start {}, such as with "
                    "--nprocs {}, or under mpirun or srun.",
                    nranks, nranks == 1 ? "" : "s", rank_.nranks(), nranks, nranks),
        ExitCode::usage);
}

// Rank 0's, on all.
void Replay::share_plan() {
  WireWriter to;
  if (rank_.is_first()) {
    to.put(asked_.plan.groups);
    for (const auto& units : asked_.plan.ranks) {
      const auto bytes = WireWriter().put(units).take();
      to.put_all(std::span<const std::byte>(bytes));
    }
  }
  const auto told = rank_.bootstrap().broadcast(to.bytes(), 0, Deadline::never());
  WireReader from(told);
  groups_ = from.get<std::vector<replay::Group>>();
  for (int rank = 0; rank < rank_.nranks(); ++rank) {
    const auto bytes = from.get_all<std::byte>();
    if (rank == rank_.rank()) units_ = read_whole<std::vector<replay::Unit>>(bytes);
  }
  done_.resize(units_.size());
}

void Replay::split() {
  const auto rank = static_cast<std::size_t>(rank_.rank());
  for (const auto& split : replay::splits_of(groups_, rank_.nranks())) {
    const auto group = split[rank];
    if (group < 0) {
      (void)rank_.add_axis(static_cast<int>(groups_.size()), rank_.rank());
      continue;
    }
    const auto index = static_cast<std::size_t>(group);
    const auto& ranks = groups_[index].ranks;
    const auto place = std::ranges::find(ranks, rank_.rank()) - ranks.begin();
    members_[index] = {.comm = &rank_.add_axis(static_cast<int>(group), static_cast<int>(place)),
                       .stream = rank_.device().open_stream(StreamKind::async)};
  }
}

// Of the ranks that share the memory of this one's device.
std::size_t Replay::own_memory() const {
  const auto& infos = rank_.infos();
  const auto& mine = infos[static_cast<std::size_t>(rank_.rank())];
  const auto sharers = std::ranges::count_if(infos, [&](const RankInfo& other) {
    return other.node == mine.node && other.bus_id == mine.bus_id;
  });
  return rank_bytes_of(rank_.ranks().front().device->free_bytes(),
                       static_cast<std::size_t>(sharers));
}

void Replay::allocate() {
  double bytes = 0;
  std::vector<Room> rooms;
  for (const auto& unit : units_) {
    auto& member = members_.at(unit.group());
    rooms.push_back(room_of(unit, member.comm->rank(), member.comm->nranks()));
    member.bytes = std::max(member.bytes, rooms.back().bytes);
  }
  for (const auto& [group, member] : members_) bytes += static_cast<double>(member.bytes);
  const auto memory = static_cast<double>(own_memory());
  const double worst = rank_.max_of_threads(bytes / memory);
  if (worst > 1 && rank_.is_first())
    throw Error(fmt::format("The calls of the trace do not fit: a rank needs {:.1f} times the {} "
                            "that it has for buffers. Replay it on fewer ranks of each host, or "
                            "on hosts with more memory.",
                            worst, about_bytes_text(static_cast<std::size_t>(memory))),
                ExitCode::usage);
  rank_.bootstrap().barrier(Deadline::never());  // nobody allocates what does not fit
  for (auto& [group, member] : members_) {
    if (member.bytes == 0) continue;
    member.memory = rank_.allocate(member.bytes);
    rank_.device().zero(member.memory, rank_.stream());
  }
  rank_.stream().synchronize(Deadline::never());
  for (std::size_t i = 0; i < units_.size(); ++i)
    requests_.push_back(request_in(members_.at(units_[i].group()).memory, units_[i], rooms[i]));
}

// Nothing is allocated here but what the stream's events need.
void Replay::issue(std::size_t unit) {
  auto& member = members_.at(units_[unit].group());
  const auto& ops = requests_[unit].ops;
  auto& done = done_[unit];
  done.start = member.stream->record();
  if (ops.size() == 1) {
    member.comm->enqueue(ops.front(), *member.stream);
  } else {
    member.comm->enqueue_batch(ops, *member.stream);
  }
  done.end = member.stream->record();
}

// Yields how long it took this rank.
double Replay::replay_once() {
  rank_.enter({.what = "replay"});
  rank_.align();
  const auto start_ns = clock_.now_ns();
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const auto& unit = units_[i];
    if (unit.after >= 0) done_[static_cast<std::size_t>(unit.after)].end.wait(Deadline::never());
    if (asked_.config.keeps_gaps) wait_us(clock_, unit.gap_us);
    issue(i);
  }
  for (auto& [group, member] : members_) member.stream->synchronize(Deadline::never());
  return static_cast<double>(clock_.now_ns() - start_ns) / kNsPerUs;
}

// Brings the times of all ranks to rank 0.
void Replay::keep(double whole_us) {
  std::vector<double> mine;
  for (const auto& done : done_) mine.push_back(elapsed_us(done.start, done.end));
  mine.push_back(whole_us);
  const auto bytes = std::as_bytes(std::span(mine));
  replay::UnitTimes times;
  double longest_us = 0;
  for (const auto& theirs : rank_.bootstrap().gather(bytes, Deadline::never())) {
    auto& of_rank = times.emplace_back(theirs.size() / sizeof(double));
    std::memcpy(of_rank.data(), theirs.data(), theirs.size());
    longest_us = std::max(longest_us, of_rank.back());
  }
  if (!rank_.is_first()) return;
  asked_.outcome.replays.push_back(replay::times_of(asked_.plan, times));
  asked_.outcome.whole_us.push_back(longest_us);
}

ExitCode Replay::run() {
  check_ranks();
  rank_.enter({.what = "communicators of the trace"});
  share_plan();
  split();
  allocate();
  (void)replay_once();
  bool interrupted = rank_.any_interrupted();
  for (int i = 0; i < asked_.config.repeats && !interrupted; ++i) {
    keep(replay_once());
    interrupted = rank_.any_interrupted();
  }
  for (auto& [group, member] : members_) member.stream.reset();
  rank_.close();
  return rank_.is_first() ? report(interrupted) : ExitCode::ok;
}

ExitCode Replay::report(bool interrupted) {
  auto& outcome = asked_.outcome;
  outcome.backend = rank_.backend().name();
  if (outcome.replays.empty()) return ExitCode::interrupted;
  TextFile::standard_output().write(text_of(asked_.plan, outcome));
  if (asked_.jsonl) asked_.jsonl->write(json_lines_of(asked_.plan, outcome));
  return interrupted ? ExitCode::interrupted : ExitCode::ok;
}

// Reads the trace; yields why it cannot be replayed.
std::optional<std::string> read_into(AskedReplay& asked) {
  const auto& files = asked.config.files;
  auto trace = replay::read_traces(files);
  if (!trace) return trace.sentence();
  auto& outcome = asked.outcome;
  outcome.trace = files.size() == 1 ? files.front() : fmt::format("{} files", files.size());
  outcome.origin = trace->origin;
  outcome.left_out = trace->left_out;
  outcome.assumed = trace->assumed;
  outcome.keeps_gaps = asked.config.keeps_gaps;
  for (const auto& rank : trace->ranks)
    for (const auto& step : rank.steps)
      outcome.steps_us += step.time_us / static_cast<double>(trace->ranks.size());
  auto plan = replay::plan_of(*std::move(trace));
  if (!plan) return plan.sentence();
  asked.plan = *std::move(plan);
  outcome.recorded = replay::times_of(asked.plan, replay::recorded_times(asked.plan));
  return std::nullopt;
}

}  // namespace

ExitCode replay_command(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::replay)) return ExitCode::ok;
  const auto config = parse_replay(input.call.words);
  if (!config) return refuse(config.sentence());
  AskedReplay asked{.config = *config};
  const auto identity = identify(*config, input.environment);
  const bool reads = identity && identity->rank == 0;
  if (config->dry_run || reads)
    if (const auto refusal = read_into(asked)) return refuse(*refusal);
  if (config->dry_run) {
    fmt::print("{}", text_of(asked.plan, asked.outcome));
    return ExitCode::ok;
  }
  if (reads && !config->jsonl_file.empty()) {
    auto file = open_json_lines(config->jsonl_file, input.interrupted);
    if (!file) return refuse(file.sentence());
    asked.jsonl = *std::move(file);
  }
  const std::vector<Setting> settings{{"--gaps", config->keeps_gaps ? "keep" : "none"},
                                      {"--repeat", fmt::to_string(config->repeats)}};
  return run_job({.config = *config,
                  .environment = input.environment,
                  .interrupted = input.interrupted,
                  .answer_interrupts = input.answer_interrupts,
                  .settings = settings},
                 [&](RankContext& rank) { return Replay(rank, asked).run(); });
}

}  // namespace linerate
