#include "trainers/programs/trace_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

using trainers::CallSpan;
using trainers::StepSpans;
using trainers::TimeSpan;
using trainers::WaitSpan;
using trainers::Work;
using trainers::WorkSpan;
using TraceArguments = nlohmann::ordered_json;

constexpr int kSteps = 1, kCompute = 2, kFirstAxis = 3;  // threads

// The purposes of the calls that are under way, or were, while compute waits.
std::string waited_for(const WaitSpan& wait, const StepSpans& spans) {
  std::vector<std::string_view> purposes;
  for (const auto& call : spans.calls)
    if (call.start_ns < wait.at.second && wait.at.first < call.end_ns && is_awaited(call, wait) &&
        std::ranges::find(purposes, call.purpose) == purposes.end())
      purposes.push_back(call.purpose);
  return fmt::format("{}", fmt::join(purposes, ", "));
}

std::string_view name_of(Work work) {
  switch (work) {
    case Work::data:
      return "data";
    case Work::forward:
      return "forward";
    case Work::backward:
      return "backward";
    case Work::loss:
      return "loss";
    case Work::norm:
      return "gradient norm";
    case Work::optimizer:
      return "optimizer";
    case Work::sleep:
      return "sleep";
  }
  __builtin_unreachable();
}

bool is_of_unit(Work work) { return work == Work::forward || work == Work::backward; }

}  // namespace

std::string trace_head(std::string_view other_data) {
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n",
                     other_data);
}

// Appends events of a rank.
class TraceEvents::Writer {
 public:
  Writer(int rank, std::int64_t origin_ns) : process_(rank + 1), origin_ns_(origin_ns) {}

  // A process or thread gets a name, or a place in the order.
  void tell(std::string_view what, int thread, const TraceArguments& args) {
    put(fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{}}})", what, process_,
                    thread, args.dump()));
  }

  struct Event {
    std::string name;
    std::string_view category;
    int thread = 0;
    TimeSpan at{};
    TraceArguments args = TraceArguments::object();
  };
  void put(const Event& event) {
    const auto us = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
    put(fmt::format(
        "{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},"
        "\"tid\":{},\"args\":{}}}",
        event.name, event.category, us(event.at.first - origin_ns_),
        us(event.at.second - event.at.first), process_, event.thread, event.args.dump()));
  }

  std::string text() && { return std::move(text_); }

 private:
  void put(std::string_view event) {
    if (!text_.empty()) text_ += kBetweenEvents;
    text_ += event;
  }

  const int process_;
  const std::int64_t origin_ns_;
  std::string text_;
};

TraceEvents::TraceEvents(int rank, std::string hostname, std::vector<std::string> units)
    : rank_(rank), hostname_(std::move(hostname)), units_(std::move(units)) {}

std::string TraceEvents::of(const trainers::StepResult& result, const StepSpans& spans,
                            std::int64_t origin_ns) {
  Writer to(rank_, origin_ns);
  if (!std::exchange(named_, true)) {
    to.tell("process_name", kSteps, {{"name", fmt::format("rank {}", rank_)}});
    to.tell("process_labels", kSteps, {{"labels", hostname_}});
    to.tell("process_sort_index", kSteps, {{"sort_index", rank_}});
    to.tell("thread_name", kSteps, {{"name", "steps"}});
    to.tell("thread_name", kCompute, {{"name", "compute"}});
  }
  to.put({.name = fmt::format("step {}", result.step),
          .category = "step",
          .thread = kSteps,
          .at = spans.step,
          .args = {{"step", result.step}, {"loss", result.loss}, {"tokens", result.tokens}}});
  for (const auto& [what, at] : spans.work) {
    Writer::Event event{.name = std::string(name_of(what.work)),
                        .category = "compute",
                        .thread = kCompute,
                        .at = at,
                        .args = {{"step", result.step}}};
    if (is_of_unit(what.work)) event.name += ' ' + units_[what.unit];
    if (is_of_unit(what.work) || what.work == Work::data)
      event.args["micro_batch"] = what.micro_batch;
    to.put(event);
  }
  for (const auto& wait : spans.waits)
    to.put({.name = "wait",
            .category = "wait",
            .thread = kCompute,
            .at = wait.at,
            .args = {{"step", result.step}, {"for", waited_for(wait, spans)}}});
  for (const auto& call : spans.calls) put_call(call, result.step, to);
  return std::move(to).text();
}

int TraceEvents::thread_of(std::string_view stream, Writer& to) {
  const auto found = std::ranges::find(streams_, stream);
  const int thread = kFirstAxis + static_cast<int>(found - streams_.begin());
  if (found != streams_.end()) return thread;
  streams_.emplace_back(stream);
  to.tell("thread_name", thread, {{"name", fmt::format("communication, axis {}", stream)}});
  return thread;
}

void TraceEvents::put_call(const CallSpan& call, std::int64_t step, Writer& to) {
  const int thread = thread_of(call.stream, to);
  to.put({.name = std::string(call.purpose),
          .category = "communication",
          .thread = thread,
          .at = {call.start_ns, call.end_ns},
          .args = {{"step", step},
                   {"axis", call.axis},
                   {"bytes", call.bytes},
                   {"last_rank", call.last_rank}}});
  const auto arrived_ns = std::min(call.last_start_ns, call.end_ns);
  if (arrived_ns <= call.start_ns) return;
  to.put({.name = fmt::format("wait for rank {}", call.last_rank),
          .category = "wait",
          .thread = thread,
          .at = {call.start_ns, arrived_ns},
          .args = {{"step", step}}});
}

}  // namespace linerate
