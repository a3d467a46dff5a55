// Ranks are compared by the stages that they entered, then by the calls that they began.
#include "launch/watch/verdict.h"

#include "launch/watch/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

namespace linerate {

bool LostProcesses::add(const LostProcess& loss) {
  const auto known = std::ranges::find_if(losses_, [&](const LostProcess& other) {
    return other.kind == loss.kind && other.process == loss.process;
  });
  if (known == losses_.end()) {
    losses_.push_back(loss);
    return true;
  }
  if (known->origin <= loss.origin) return false;
  *known = loss;
  return true;
}

std::vector<LostProcess> LostProcesses::verdict() const {
  if (losses_.empty()) return {};
  const auto kind = std::ranges::min(losses_, {}, &LostProcess::kind).kind;
  std::vector<LostProcess> chosen;
  std::ranges::copy_if(losses_, std::back_inserter(chosen),
                       [&](const LostProcess& loss) { return loss.kind == kind; });
  if (kind == LostProcessKind::missing) {
    const int origin = std::ranges::min(chosen, {}, &LostProcess::origin).origin;
    std::erase_if(chosen, [&](const LostProcess& loss) { return loss.origin != origin; });
  } else {
    std::ranges::sort(chosen, {}, &LostProcess::process);
  }
  return chosen;
}

namespace {

const ControlProcess& at(const Inquiry& inquiry, int process) {
  return inquiry.processes[static_cast<std::size_t>(process)];
}
const ProcessStatus& status_of(const Inquiry& inquiry, int process) {
  return inquiry.statuses[static_cast<std::size_t>(process)];
}

// Asked by a neighbour that answers itself, and yet silent.
bool silent(const Inquiry& inquiry, int process) {
  const auto& status = status_of(inquiry, process);
  if (status.answered || status.left) return false;
  const auto asked_by = [&](int neighbour) {
    const auto& asker = status_of(inquiry, neighbour);
    return asker.answered && std::ranges::find(asker.unlinked, process) == asker.unlinked.end();
  };
  const auto nprocesses = static_cast<int>(inquiry.statuses.size());
  return std::ranges::any_of(control_neighbours(process, nprocesses), asked_by);
}

// Of the threads that count: those of processes that have not left.
struct Progress {
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t fewest_silent = std::numeric_limits<std::uint64_t>::max();
  const ThreadStatus* furthest = nullptr;  // where it waits the longest
};

Progress progress(const Inquiry& inquiry) {
  Progress result;
  for (int p = 0; p < static_cast<int>(inquiry.statuses.size()); ++p) {
    const auto& status = status_of(inquiry, p);
    if (status.left) continue;
    const bool is_silent = silent(inquiry, p);
    for (const auto& thread : status.threads) {
      auto& fewest = is_silent ? result.fewest_silent : result.fewest;
      fewest = std::min(fewest, thread.counter);
      const auto* best = result.furthest;
      if (is_silent && best != nullptr && best->counter >= thread.counter) continue;
      if (best == nullptr || thread.counter > best->counter ||
          (thread.counter == best->counter && thread.entered_ns > best->entered_ns))
        result.furthest = &thread;
    }
  }
  return result;
}

std::string waiting(const ThreadStatus& furthest) {
  return fmt::format("{}: the others wait since {:.1f} s", stage_text(furthest),
                     static_cast<double>(furthest.entered_ns) * 1e-9);
}

// In short where only the stage differs from what the others do.
std::string where(const ThreadStatus& thread, const ThreadStatus& furthest) {
  if (thread.counter == 0) return "it has begun no stage";
  const bool same_case = thread.collective == furthest.collective &&
                         thread.bytes == furthest.bytes && thread.placement == furthest.placement;
  return fmt::format("it is in stage {}", same_case ? thread.what : stage_text(thread));
}

LostProcess missing(const Inquiry& inquiry, int process, std::vector<int> ranks,
                    const std::string& rest) {
  LostProcess loss{.kind = LostProcessKind::missing,
                   .origin = inquiry.origin,
                   .process = process,
                   .ranks = std::move(ranks),
                   .sentence = {}};
  loss.sentence =
      fmt::format("{} is missing from {}", subject(at(inquiry, process), loss.ranks), rest);
  return loss;
}

LostProcess silent_process(const Inquiry& inquiry, int process, const ThreadStatus& furthest) {
  auto text = waiting(furthest) + "; it does not answer (stopped, or its host hangs)";
  const auto& threads = status_of(inquiry, process).threads;
  if (!threads.empty()) text += fmt::format(", last seen in {}", stage_text(threads.front()));
  return missing(inquiry, process, ranks_of(at(inquiry, process)), text);
}

// The threads of one process that `is_late` says are; none: nothing. `how` says of the first where
// it is.
template <typename IsLate, typename How>
std::optional<LostProcess> late_threads(const Inquiry& inquiry, int process,
                                        const ThreadStatus& furthest, IsLate is_late, How how) {
  std::vector<int> ranks;
  const ThreadStatus* first = nullptr;
  const auto& threads = status_of(inquiry, process).threads;
  for (int thread = 0; thread < static_cast<int>(threads.size()); ++thread) {
    const auto& status = threads[static_cast<std::size_t>(thread)];
    if (!is_late(status)) continue;
    if (first == nullptr) first = &status;
    for (const int rank : ranks_of(at(inquiry, process), thread)) ranks.push_back(rank);
  }
  if (first == nullptr) return std::nullopt;
  return missing(inquiry, process, std::move(ranks), waiting(furthest) + "; " + how(*first));
}

// Those that have begun fewer calls than the others, if all are in one stage.
std::vector<LostProcess> late_in_calls(const Inquiry& inquiry) {
  const ThreadStatus* most = nullptr;
  for (const auto& status : inquiry.statuses) {
    if (status.left) continue;
    for (const auto& thread : status.threads) {
      if (most != nullptr && stage_text(thread) != stage_text(*most)) return {};
      if (most == nullptr || thread.calls > most->calls) most = &thread;
    }
  }
  std::vector<LostProcess> losses;
  const auto is_late = [&](const ThreadStatus& thread) { return thread.calls < most->calls; };
  const auto how = [&](const ThreadStatus& thread) {
    return fmt::format("it has begun {} calls of this stage, others {}", thread.calls, most->calls);
  };
  for (int p = 0; p < static_cast<int>(inquiry.statuses.size()); ++p) {
    if (status_of(inquiry, p).left) continue;
    if (auto late = late_threads(inquiry, p, *most, is_late, how))
      losses.push_back(std::move(*late));
  }
  return losses;
}

LostProcess nobody_missing(const Inquiry& inquiry, const ThreadStatus& furthest) {
  return {.kind = LostProcessKind::missing,
          .origin = inquiry.origin,
          .process = -1,
          .ranks = {},
          .sentence = fmt::format(
              "no rank is missing, but none has ended {}: all have been in it since {:.1f} s",
              stage_text(furthest), static_cast<double>(furthest.entered_ns) * 1e-9)};
}

}  // namespace

std::vector<LostProcess> missing_ranks(const Inquiry& inquiry) {
  const auto found = progress(inquiry);
  const ThreadStatus unknown;
  const auto& furthest = found.furthest != nullptr ? *found.furthest : unknown;
  const int nprocesses = static_cast<int>(inquiry.statuses.size());
  std::vector<LostProcess> losses;
  for (int p = 0; p < nprocesses; ++p)
    if (silent(inquiry, p)) losses.push_back(silent_process(inquiry, p, furthest));
  // Beside a silent process, only threads that are certainly behind it are named: the others may
  // wait for it.
  auto bound = found.fewest_silent;
  if (losses.empty()) bound = found.fewest < furthest.counter ? found.fewest + 1 : 0;
  if (!losses.empty() && bound == std::numeric_limits<std::uint64_t>::max()) bound = 0;
  const auto is_late = [&](const ThreadStatus& thread) { return thread.counter < bound; };
  const auto how = [&](const ThreadStatus& thread) { return where(thread, furthest); };
  for (int p = 0; p < nprocesses; ++p) {
    if (status_of(inquiry, p).left || silent(inquiry, p)) continue;
    if (auto late = late_threads(inquiry, p, furthest, is_late, how))
      losses.push_back(std::move(*late));
  }
  if (losses.empty()) losses = late_in_calls(inquiry);
  if (losses.empty()) losses.push_back(nobody_missing(inquiry, furthest));
  return losses;
}

LostProcess death(const ControlProcess& process, int origin, const ThreadStatus& last) {
  auto ranks = ranks_of(process);
  auto sentence = fmt::format("{} died during {}", subject(process, ranks), stage_text(last));
  return {LostProcessKind::died, origin, process.process, std::move(ranks), std::move(sentence)};
}

LostProcess unreachable(const ControlProcess& process, int origin, const ThreadStatus& here,
                        int reason) {
  auto ranks = ranks_of(process);
  auto sentence = fmt::format("{} cannot be reached any more ({}) during {}",
                              subject(process, ranks), std::strerror(reason), stage_text(here));
  return {LostProcessKind::died, origin, process.process, std::move(ranks), std::move(sentence)};
}

LostProcess own_failure(const ControlProcess& process, const std::string& sentence) {
  auto ranks = ranks_of(process);
  auto text = fmt::format("{}: {}", subject(process, ranks), sentence);
  return {LostProcessKind::failed, process.process, process.process, std::move(ranks),
          std::move(text)};
}

}  // namespace linerate
