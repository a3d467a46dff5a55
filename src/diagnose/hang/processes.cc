// What processes do, by two looks at them: stopped, ended, in the kernel, spinning, waiting.
#include "base/text.h"
#include "diagnose/hang/hang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linerate::hang {
namespace {

// What is waited for in functions of Linux and in system calls, by how their names or words within
// begin, with | between them. The first row that fits holds.
struct WaitRow {
  std::string_view parts, what;
};
constexpr WaitRow kWaits[] = {
    {"futex", "a lock, or another thread of it"},
    {"nfs|rpc_", "a network file system"},
    {"fuse", "a file system in user space"},
    {"ptlrpc|ll_", "Lustre, a network file system"},
    {"nvme", "storage"},
    {"nv|uvm_", "NVIDIA's driver"},
    {"mlx|ib_", "an RDMA adapter's driver"},
    {"folio_|io_schedule|wait_on_page|fsync|bit_wait_io|jbd2|xfs", "storage"},
    {"pipe_", "another process, through a pipe"},
    {"unix_stream", "another process of this host, through a socket"},
    {"inet_csk_accept|accept", "a connection that another process is to make"},
    {"connect", "a connection to another process"},
    {"sk_|wait_woken", "data or room of a connection"},
    {"recv", "data of a connection"},
    {"send", "room of a connection"},
    {"epoll|ppoll|pselect|poll|select", "data or events of connections and pipes"},
    {"nanosleep", "a pause to end"},
    {"do_wait|wait4|waitid", "a child process to end"},
    {"sigtimedwait|sigsuspend", "a signal"},
};

std::string wait_text(const std::string& place) {
  if (place.empty()) return "in the kernel, where is not told";
  const auto row = std::ranges::find_if(kWaits, [&](const WaitRow& one) {
    return std::ranges::any_of(split(one.parts, '|'), [&](const std::string& part) {
      return ("_" + place).find("_" + part) != std::string::npos;
    });
  });
  return row == std::end(kWaits) ? fmt::format("in {}", place)
                                 : fmt::format("for {} (in {})", row->what, place);
}

// A thread over the time of observation.
struct Doing {
  const ThreadSeen* thread = nullptr;
  double user = 0, system = 0;  // shares of a processor
  double active = 0;            // of the time that it ran or could have
};

std::vector<Doing> doings_of(const Observed& process) {
  std::vector<Doing> list;
  for (const auto& after : process.after.threads) {
    const auto before = std::ranges::find(process.before.threads, after.tid, &ThreadSeen::tid);
    if (before == process.before.threads.end() || process.seconds <= 0) continue;
    list.push_back({.thread = &after,
                    .user = (after.user_s - before->user_s) / process.seconds,
                    .system = (after.system_s - before->system_s) / process.seconds});
    list.back().active = list.back().user + list.back().system +
                         (after.queued_s - before->queued_s) / process.seconds;
  }
  return list;
}

bool stays_in_kernel(const Observed& process, const ThreadSeen& after) {
  const auto before = std::ranges::find(process.before.threads, after.tid, &ThreadSeen::tid);
  return after.state == 'D' && before != process.before.threads.end() && before->state == 'D' &&
         before->waits_in == after.waits_in;
}

Finding stopped(const ProcessSeen& seen) {
  const auto by = seen.tracer == 0 ? std::string("a signal")
                                   : fmt::format("the debugger with pid {}", seen.tracer);
  auto finding =
      found("stopped", "", fmt::format("It is stopped by {} (state {}).", by, seen.state));
  if (seen.tracer != 0) finding.advice = "let the debugger go on or detach";
  return finding;
}

Finding spinning(const Doing& doing, bool is_main) {
  return found(
      "spins", "",
      fmt::format("{} keeps a processor busy, {}.",
                  is_main ? "Its main thread" : fmt::format("Its thread {}", doing.thread->name),
                  doing.system > doing.user ? "most of the time in the kernel" : "in its own code"),
      .7);
}

// What says most about a process.
Finding about(const Observed& process) {
  const auto& seen = process.after;
  if (seen.state == 'Z')
    return found("ended", "", "It has ended (a zombie, state Z), and its parent has not noticed.");
  if (seen.state == 'X') return found("ended", "", "It ended while it was looked at.");
  if (seen.state == 'T' || seen.state == 't') return stopped(seen);
  for (const auto& thread : seen.threads)
    if (stays_in_kernel(process, thread))
      return found("waits-in-kernel", "",
                   fmt::format("Thread {} waits {} and cannot be interrupted (state D).",
                               thread.name, wait_text(thread.waits_in)),
                   .9);
  constexpr double kBusy = .9, kIdle = .05;
  const auto doings = doings_of(process);
  double used = 0;
  for (const auto& doing : doings) used += doing.active;
  const auto busy =
      std::ranges::find_if(doings, [](const Doing& doing) { return doing.active >= kBusy; });
  if (busy != doings.end()) return spinning(*busy, busy->thread->tid == seen.pid);
  if (used < kIdle && !seen.threads.empty())
    return found("waits", "",
                 fmt::format("No thread does anything; the main one waits {}.",
                             wait_text(seen.threads.front().waits_in)),
                 .7);
  return found("works", "", "It works and waits in turns.");
}

std::string titles(const std::vector<const ProcessSeen*>& processes) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (const auto* one : processes)
    if (names.size() < kShown) names.push_back(one->title());
  const auto more = processes.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// Alike findings of several processes as one; those that few have where most do something else are
// warnings.
void add_activities(std::span<const Observed> processes, std::vector<Finding>& findings) {
  std::map<std::string, std::pair<Finding, std::vector<const ProcessSeen*>>> kinds;
  std::size_t most = 0;
  for (const auto& process : processes) {
    auto finding = about(process);
    auto& [kept, which] = kinds[finding.rule + finding.evidence];
    kept = std::move(finding);
    which.push_back(&process.after);
    most = std::max(most, which.size());
  }
  constexpr std::size_t kFewest = 3;
  const bool has_most = processes.size() >= kFewest && 2 * most > processes.size();
  for (auto& [key, kind] : kinds) {
    auto& [finding, which] = kind;
    finding.subject = titles(which);
    if (finding.severity == Severity::warning && has_most && which.size() < most)
      finding.evidence += fmt::format(" {} others do something else.", most);
    else if (finding.severity == Severity::warning)
      finding.severity = Severity::info;
    findings.push_back(std::move(finding));
  }
}

// The processes of one job have these alike, or each its own.
void add_variables(std::span<const Observed> processes, std::vector<Finding>& findings) {
  for (const auto* name : {"WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "RANK"}) {
    std::map<std::string, std::vector<const ProcessSeen*>> values;
    for (const auto& process : processes)
      if (const auto value = process.after.variables.find(name);
          value != process.after.variables.end())
        values[value->second].push_back(&process.after);
    const bool each_its_own = std::string_view(name) == "RANK";
    const auto wrong = std::ranges::find_if(
        values, [&](const auto& one) { return each_its_own && one.second.size() > 1; });
    if (each_its_own ? wrong == values.end() : values.size() < 2) continue;
    std::vector<std::string> list;
    for (const auto& [value, which] : values)
      if (!each_its_own || which.size() > 1)
        list.push_back(fmt::format("{} of {}", value, titles(which)));
    findings.push_back(found(each_its_own ? "same-rank" : "settings-differ", name,
                             fmt::format("It is {}.", fmt::join(list, "; ")), .8));
  }
}

void add_connection_findings(const ProcessSeen& seen, std::vector<Finding>& findings) {
  constexpr std::uint64_t kSeveral = 3;  // in a row: seconds without an answer
  const auto silent = std::ranges::count_if(
      seen.connections, [](const ConnectionSeen& one) { return one.retransmits >= kSeveral; });
  if (silent == 0) return;
  const auto worst = std::ranges::max_element(seen.connections, {}, &ConnectionSeen::retransmits);
  findings.push_back(found(
      "no-acknowledgement", seen.title(),
      fmt::format("{} of it {} unanswered: {} bytes to {} were sent again {} times.",
                  counted(static_cast<std::size_t>(silent), "connection"),
                  silent == 1 ? "is" : "are", worst->unsent_bytes, worst->peer, worst->retransmits),
      .9));
}

}  // namespace

std::string ProcessSeen::title() const {
  for (const auto* variable : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const auto rank = variables.find(variable); rank != variables.end())
      return fmt::format("rank {} (pid {}, {})", rank->second, pid, name);
  return fmt::format("pid {} ({})", pid, name);
}

std::vector<Finding> examine(std::span<const Observed> processes) {
  std::vector<Finding> findings;
  add_activities(processes, findings);
  add_variables(processes, findings);
  for (const auto& process : processes) add_connection_findings(process.after, findings);
  return findings;
}

}  // namespace linerate::hang
