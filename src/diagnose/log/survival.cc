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
  constexpr std::array<std::string_view, 9> kEnds{
      "job-preempted", "terminal-closed", "rank-killed",      "node-failed", "job-ended",
      "wrong-results", "illegal-access",  "device-assertion", "gpu-hardware"};
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

constexpr std::size_t kFew = 5;  // steps, each later than the one before it

bool may_be_survived(const Fault& fault) {
  return fault.role() <= Role::report || fault.role() == Role::complaint ||
         fault.role() == Role::waiting;
}

// Whether a step, which is later than the one before it, shows that its process goes on. One is
// enough after a warning of NCCL. What a program wrote before an error ended it may be flushed
// behind that, and other ranks get a step or two further: after an error several are needed, and
// after an exception they have to be written at once, to have a later time than it, or to be more
// than buffers hold.
bool shows_survival(Fault& fault, const Message& step) {
  constexpr std::size_t kMostBuffered = 16384;  // twice what Python keeps of its output
  fault.stepped_bytes += step.whole.size();
  if (!fault.thrown && !fault.reported) return may_be_survived(fault);
  if (!fault.thrown) return may_be_survived(fault) && ++fault.steps_behind >= kFew;
  if (is_unbuffered(step.whole) || is_before(fault.last_time, step.time)) ++fault.steps_behind;
  return may_be_survived(fault) &&
         (fault.steps_behind >= kFew || fault.stepped_bytes > kMostBuffered);
}

// Whether several steps of anyone have come since the job began again.
bool goes_on_again(Fault& fault, double step) {
  const auto last = std::exchange(fault.resumed_step, std::max(fault.resumed_step, step));
  fault.steps_behind += last >= 0 && last < step ? 1 : 0;
  return fault.steps_behind >= kFew;
}

}  // namespace

std::size_t close_all(Fault& fault) {
  const auto closed = fault.pending.size();
  fault.pending.clear();
  return closed;
}

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
    if (!may_be_survived(fault) && !fault.thrown) return std::size_t{0};
    const auto goes_on = [&](auto& one) {
      const auto last = std::exchange(one.second, std::max(one.second, *step));
      const bool later = last >= 0 && last < *step;
      const bool survived = later && shows_survival(fault, message);
      fault.passed = fault.passed || (later && !survived);
      return survived;
    };
    auto closed = close_range(fault.pending, process, goes_on);
    if (process == Place()) closed += close_range(fault.pending, speaker_, goes_on);
    return closed;
  });
}

// All ranks have got results.
void LogFaults::take_results() {
  close_faults([](Fault& fault) {
    return !fault.thrown && may_be_survived(fault) ? close_all(fault) : std::size_t{0};
  });
}

// What ended an earlier run of the job is no end of this one. A line of the program itself has to
// have a later time: it may have been kept in a buffer.
void LogFaults::take_new_run(const Message& message, std::string_view file) {
  const bool by_launcher = message.text.find("restart worker group") != std::string_view::npos;
  for (auto& [key, fault] : faults_) {
    const bool here = fault.last_file == file && !fault.in_files;
    const bool waits = fault.resumed && fault.resumed_step < 0;  // since the last such line
    if (!here || waits || fault.survived || fault.role() >= Role::waiting) continue;
    if (!by_launcher && !is_before(fault.last_time, message.time)) continue;
    entries_ -= fault.pending.size();
    fault.pending = {{Place(), -1.0}};
    ++entries_;
    fault.ended = false;
    fault.resumed = true;
    fault.resumed_step = -1;
    fault.steps_behind = 0;
    if (std::ranges::find(open_, &fault) == open_.end()) open_.push_back(&fault);
  }
}

// A launcher speaks of its own node alone: what ended the run before ended on all of them.
void LogFaults::take_good_end() {
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
  fault.reported = fault.reported || message.level == Level::error;
  constexpr std::size_t kMostPending = 10'000;  // close_range() looks at all of a process
  fault.ended = fault.ended || entries_ >= kMostPlaces || fault.pending.size() >= kMostPending ||
                (row != nullptr && is_end(*row, message));
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
