// What a program does after a complaint: whether every process that told of a fault goes on.
#include "diagnose/log/faults.h"
#include "diagnose/log/progress.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace linerate::logs {
namespace {

// What a process is known by: the rank that a launcher puts before its lines, or what NCCL says.
Place process_of(const Message& message) {
  return message.rank >= 0 ? Place{.rank = message.rank} : place_of(message);
}

// Whether no later line makes good what this one says: a process has ended, its calls failed, its
// results are wrong, or its GPU runs no more kernels.
bool is_end(const Signature& row, const Message& message) {
  const bool ended = row.role == Role::killed || row.role == Role::crash ||
                     row.role == Role::signalled || row.role == Role::exit ||
                     row.role == Role::relay;
  // Not every Xid ends what runs there.
  const bool is_off =
      row.name == "gpu-xid" && message.whole.find("fallen off") != std::string_view::npos;
  constexpr std::array<std::string_view, 7> kEnds{
      "rank-killed",    "node-failed",      "job-ended",   "wrong-results",
      "illegal-access", "device-assertion", "gpu-hardware"};
  return ended || is_off || (row.role == Role::trace && message.host.empty()) ||
         std::ranges::find(kEnds, row.name) != kEnds.end();
}

// Erases what `goes_on(place and step)` of the places of a process, whatever their GPU.
template <typename GoesOn>
std::size_t close_range(std::map<Place, double>& pending, const Place& process,
                        const GoesOn& goes_on) {
  std::size_t closed = 0;
  for (auto at = pending.lower_bound(process); at != pending.end();) {
    auto place = at->first;
    place.device = process.device;
    if (place != process) break;
    const bool erase = goes_on(*at);
    at = erase ? pending.erase(at) : std::next(at);
    closed += erase ? 1 : 0;
  }
  return closed;
}

std::size_t close_all(Fault& fault) {
  const auto closed = fault.pending.size();
  fault.pending.clear();
  return closed;
}

// Whether steps after it show that it was survived. What a program wrote before an exception ended
// it may be flushed behind that, unless it is written at once or a later time says otherwise; of
// other errors this is not known. `step`: one such line; null: results.
bool steps_prove(const Fault& fault, const Message* step) {
  const bool told_later =
      step != nullptr && (is_unbuffered(step->whole) ||
                          (!fault.last_time.empty() && is_before(fault.last_time, step->time)));
  if (fault.thrown && !told_later) return false;
  return fault.role() <= Role::report || fault.role() == Role::complaint ||
         fault.role() == Role::waiting;
}

// Whether more steps came behind an exception than a buffer holds: some were written after it.
bool is_more_than_buffered(const Fault& fault) {
  constexpr std::size_t kMostBuffered = 16384;  // twice what Python keeps of its output
  return fault.role() <= Role::report && fault.stepped_bytes > kMostBuffered;
}

// Whether two steps of anyone have come since the job began again.
bool goes_on_again(Fault& fault, double step) {
  const auto last = std::exchange(fault.resumed_step, std::max(fault.resumed_step, step));
  return last >= 0 && last < step;
}

}  // namespace

// Calls `close(fault)` for each that is open; it answers how many places it has closed.
template <typename Close>
void LogFaults::close_faults(const Close& close) {
  std::erase_if(open_, [&](Fault* fault) {
    const std::size_t closed = close(*fault);
    entries_ -= closed;
    fault->survived = fault->pending.empty();
    if (fault->survived && fault->row != nullptr && tells_call(*fault->row)) called_.clear();
    return fault->survived;
  });
}

// Initialisation completes if all ranks take part: what came before stopped none of them.
void LogFaults::take_progress(const Message& message) {
  if (message.pid != speaker_.pid) note_speaker(message);
  if (open_.empty()) return;
  const bool complete = message.text.ends_with("Init COMPLETE");
  const auto process = process_of(message), place = place_of(message);
  close_faults([&](Fault& fault) {
    const bool proves = complete || (fault.role() == Role::vague && message.pid >= 0);
    std::size_t closed = proves ? fault.pending.erase(process) + fault.pending.erase(place) : 0;
    return closed + (complete ? fault.pending.erase(Place()) : 0);
  });
}

// Two steps of a process, the second later than the first. Lines that name none are those of the
// only process of their file.
void LogFaults::take_step(const Message& message) {
  const auto process = process_of(message);
  const auto step = step_in(message.text);
  if (!step || (process == Place() && speakers_differ_)) return;
  close_faults([&](Fault& fault) {
    if (fault.resumed) return goes_on_again(fault, *step) ? close_all(fault) : std::size_t{0};
    const bool proves = steps_prove(fault, &message);
    if (!proves && !fault.thrown) return std::size_t{0};
    const auto goes_on = [&](auto& one) {
      const auto last = std::exchange(one.second, std::max(one.second, *step));
      const bool later = last >= 0 && last < *step;
      if (later) fault.stepped_bytes += message.whole.size();
      fault.passed = fault.passed || (later && !proves);
      return later && (proves || is_more_than_buffered(fault));
    };
    auto closed = close_range(fault.pending, process, goes_on);
    if (process == Place()) closed += close_range(fault.pending, speaker_, goes_on);
    return closed;
  });
}

// All ranks have got results.
void LogFaults::take_results() {
  close_faults(
      [](Fault& fault) { return steps_prove(fault, nullptr) ? close_all(fault) : std::size_t{0}; });
}

// What ended an earlier run of the job is no end of this one.
void LogFaults::take_new_run(std::string_view file) {
  for (auto& [key, fault] : faults_) {
    if (fault.last_file != file || fault.survived || fault.role() >= Role::waiting) continue;
    entries_ -= fault.pending.size();
    fault.pending = {{Place(), -1.0}};
    ++entries_;
    fault.ended = false;
    fault.resumed = true;
    fault.resumed_step = -1;
    if (std::ranges::find(open_, &fault) == open_.end()) open_.push_back(&fault);
  }
}

void LogFaults::take_good_end(std::string_view file) {
  take_new_run(file);
  close_faults([](Fault& fault) { return fault.resumed ? close_all(fault) : std::size_t{0}; });
}

// Which process writes to this file, as long as it is one.
void LogFaults::note_speaker(const Message& message) {
  if (speakers_differ_ || (message.rank < 0 && message.pid < 0)) return;
  const bool by_rank = message.rank >= 0;
  const auto host = by_rank ? std::string_view() : message.host;
  const int pid = by_rank ? -1 : message.pid;
  if (speaker_ == Place()) speaker_ = {.host = std::string(host), .pid = pid, .rank = message.rank};
  speakers_differ_ = speaker_.rank != message.rank || speaker_.pid != pid || speaker_.host != host;
}

void LogFaults::open_fault(Fault& fault, const Signature* row, const Message& message) {
  if (row != nullptr && row->role > Role::waiting) return;
  fault.thrown = fault.thrown || message.level == Level::exception;
  fault.ended = fault.ended || entries_ >= kMostPlaces || (row != nullptr && is_end(*row, message));
  if (fault.ended) {
    std::erase(open_, &fault);
  } else {
    entries_ += fault.pending.insert_or_assign(process_of(message), -1.0).second ? 1 : 0;
    if (fault.pending.size() == 1 && std::ranges::find(open_, &fault) == open_.end())
      open_.push_back(&fault);
  }
  fault.survived = false;
}

}  // namespace linerate::logs
