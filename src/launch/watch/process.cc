// A process is told from a later one of the same pid by its start time in /proc.
#include "launch/watch/process.h"

#include "base/error.h"
#include "base/unix_socket.h"
#include "comm/bootstrap.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <numeric>

namespace linerate {
namespace {

// Field 22 of /proc/PID/stat, in clock ticks since boot; 0 where it cannot be read.
std::uint64_t start_time(std::int64_t pid) {
  constexpr int kFieldsBefore = 19;  // from the state to the start time
  auto fields = fields_of_stat(fmt::format("/proc/{}/stat", pid));
  std::string skipped;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
  std::uint64_t ticks = 0;
  return fields >> ticks ? ticks : 0;
}

std::uint64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

std::istringstream fields_of_stat(const std::filesystem::path& stat) {
  std::ifstream file(stat);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = text.rfind(')');  // the name may hold blanks and brackets itself
  return std::istringstream(name_end == std::string::npos ? "" : text.substr(name_end + 1));
}

ControlProcess own_process(const Bootstrap& process, const Watch::Options& options) {
  const auto& place = process.place();
  return {.process = process.rank(),
          .nthreads = options.nthreads,
          .ranks_per_thread = options.ranks_per_thread,
          .node = place.node,
          .slot = place.local_rank,
          .hostname = place.hostname,
          .pid = ::getpid(),
          .started = start_time(::getpid()),
          .pid_namespace = own_pid_namespace()};
}

std::vector<ControlProcess> share_processes(Bootstrap& process, const ControlProcess& mine,
                                            const Deadline& deadline) {
  auto all = all_values(process, mine, deadline);
  int next_rank = 0;
  for (auto& other : all) {
    other.first_rank = next_rank;
    next_rank += other.nthreads * other.ranks_per_thread;
  }
  return all;
}

std::vector<int> ranks_of(const ControlProcess& process) {
  std::vector<int> ranks(static_cast<std::size_t>(process.nthreads * process.ranks_per_thread));
  std::iota(ranks.begin(), ranks.end(), process.first_rank);
  return ranks;
}

std::vector<int> ranks_of(const ControlProcess& process, int thread) {
  std::vector<int> ranks(static_cast<std::size_t>(process.ranks_per_thread));
  std::iota(ranks.begin(), ranks.end(), process.first_rank + thread * process.ranks_per_thread);
  return ranks;
}

std::string rank_list(std::span<const int> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    auto end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text +=
        end - i == 1 ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[end - 1]);
    i = end;
  }
  return text;
}

std::string subject(const ControlProcess& process, std::span<const int> ranks) {
  return fmt::format("{} {} ({}, pid {})", ranks.size() == 1 ? "rank" : "ranks", rank_list(ranks),
                     process.hostname, process.pid);
}

ExitNotice watch_exit(const ControlProcess& other, const ControlProcess& mine) {
  if (other.started == 0 || mine.pid_namespace == 0 || other.pid_namespace != mine.pid_namespace)
    return {};
  auto pidfd = above_stdio(static_cast<int>(::syscall(SYS_pidfd_open, other.pid, 0)));
  if (!pidfd) return {.pidfd = {}, .gone = errno == ESRCH};
  // Read after the opening: the same start time now means that the descriptor is of that process.
  const auto started = start_time(other.pid);
  if (started == 0) return {.pidfd = {}, .gone = false};
  if (started != other.started) return {.pidfd = {}, .gone = true};
  return {.pidfd = std::move(pidfd), .gone = false};
}

std::vector<int> control_neighbours(int process, int nprocesses) {
  std::vector<int> neighbours{2 * process + 1, 2 * process + 2, (process + 1) % nprocesses,
                              (process + nprocesses - 1) % nprocesses};
  if (process > 0) neighbours.push_back(tree_parent(process));
  std::erase_if(neighbours, [&](int other) { return other >= nprocesses || other == process; });
  std::ranges::sort(neighbours);
  const auto repeated = std::ranges::unique(neighbours);
  neighbours.erase(repeated.begin(), repeated.end());
  return neighbours;
}

}  // namespace linerate
