#include "trainers/programs/comm_trace.h"

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "base/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

replay::Call call_of(const Op& op) {
  replay::Call call{.kind = op.kind,
                    .type = op.type,
                    .op = op.op,
                    .count = op.count,
                    .peer = op.peer,
                    .source = op.source};
  for (const auto& range : op.send_ranges) call.send_counts.push_back(range.count);
  for (const auto& range : op.recv_ranges) call.recv_counts.push_back(range.count);
  return call;
}

// The ranks of the job that a new communicator is of, in its order. Collective over them.
std::vector<int> ranks_of(Communicator& comm, int rank, Stream& stream) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(comm.nranks()));
  const std::int32_t mine = rank;
  comm.all_gather({.send = std::as_bytes(std::span(&mine, 1)),
                   .recv = std::as_writable_bytes(std::span(all)),
                   .count = 1,
                   .type = DataType::int32},
                  stream);
  stream.synchronize(Deadline::never());
  return {all.begin(), all.end()};
}

}  // namespace

void KeptCalls::issue(std::span<const Op> ops, Stream& stream) {
  if (ops.front().tag.purpose == trainers::kMetricsPurpose)
    return CommDecorator::issue(ops, stream);
  const auto start = stream.record();
  CommDecorator::issue(ops, stream);
  const auto end = stream.record();
  for (const auto& op : ops)
    into_.push_back({.call = call_of(op),
                     .axis = std::string(op.tag.axis),
                     .purpose = std::string(op.tag.purpose),
                     .start = start,
                     .end = end});
}

CommTraceFile::CommTraceFile(RankContext& rank, const TrainOptions& options,
                             const std::string& program)
    : rank_(rank), options_(options) {
  if (!on()) return;
  if (rank.is_first()) {
    auto file = TextFile::create_new(options.trace_comm_file);
    if (!file) throw Error(file.sentence(), ExitCode::usage);
    file_.emplace(*std::move(file));
    if (file_->path() != options.trace_comm_file)
      say(fmt::format("note: '{}' is there already: the calls go to '{}'", options.trace_comm_file,
                      file_->path()));
    file_->write(replay::line_of({.nranks = rank.nranks(),
                                  .program = program,
                                  .backend = std::string(rank.backend().name())}));
  }
  rank.decorate_axes([this](std::unique_ptr<Communicator> comm) { return keep(std::move(comm)); });
}

// All ranks add their axes in the same order, so that place and first rank name a group.
std::unique_ptr<Communicator> CommTraceFile::keep(std::unique_ptr<Communicator> comm) {
  const auto ranks = ranks_of(*comm, rank_.rank(), rank_.stream());
  auto& axis = *axes_.emplace_back(std::make_unique<Axis>());
  axis.number = std::ssize(axes_) * rank_.nranks() + std::ranges::min(ranks);
  if (comm->rank() == 0) groups_ += replay::group_line(axis.number, ranks);
  return std::make_unique<KeptCalls>(std::move(comm), axis.kept);
}

void CommTraceFile::begin() {
  for (auto& axis : axes_) axis->kept.clear();
}

std::string CommTraceFile::lines_of(const trainers::StepSpans& spans, const Event& start) {
  const auto& [step_start_ns, step_end_ns] = spans.step;
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; };
  const double start_us = us(step_start_ns - *origin_ns_);
  std::string lines = replay::step_line(
      rank_.rank(), {.start_us = start_us, .time_us = us(step_end_ns - step_start_ns)});
  for (auto& axis : axes_)
    for (auto& kept : axis->kept) {
      kept.call.start_us = start_us + elapsed_us(start, kept.start);
      kept.call.time_us = elapsed_us(kept.start, kept.end);
      lines += replay::call_line(rank_.rank(), axis->number, kept.call,
                                 {.axis = kept.axis, .purpose = kept.purpose});
    }
  return lines;
}

// Groups come before the calls in them, and those of all ranks before all calls.
void CommTraceFile::step(const trainers::StepResult& result, const trainers::Trainer& trainer) {
  if (!on() || result.step < options_.trace.first || result.step > options_.trace.last) return;
  auto& process = rank_.bootstrap();
  if (value_of_rank_0(process, full_, Deadline::never())) return;
  const auto& spans = trainer.spans();
  if (!origin_ns_)
    origin_ns_ = std::ranges::min(all_values(process, spans.step.first, Deadline::never()));
  std::string text;
  const auto lines = lines_of(spans, trainer.recorder().start());
  for (const auto& mine : {std::exchange(groups_, {}), lines})
    for (const auto& theirs : process.gather(std::as_bytes(std::span(mine)), Deadline::never()))
      text.append(reinterpret_cast<const char*>(theirs.data()), theirs.size());
  if (!file_) return;
  full_ = bytes_ + text.size() > kMostBytes;
  if (full_)
    return say(
        fmt::format("note: the trace of calls ends before step {}, because it would be "
                    "larger than {}",
                    result.step, bytes_text(kMostBytes)));
  file_->write(text);
  bytes_ += text.size();
}

}  // namespace linerate
