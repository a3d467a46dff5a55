// The processes of a job as the watch names and finds them.
#pragma once

#include "base/handle.h"
#include "comm/bootstrap.h"
#include "launch/watch/watch.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace linerate {

// One process of the job, as all others hear of it.
struct ControlProcess {
  int process = 0;  // rank among the processes
  int first_rank = 0;
  int nthreads = 1;
  int ranks_per_thread = 1;
  int node = 0;
  int slot = 0;  // index among the processes of its node
  std::string hostname;
  std::int64_t pid = 0;
  std::uint64_t started = 0;        // by /proc: tells a process from a later one of the same pid
  std::uint64_t pid_namespace = 0;  // a pid means something only within it; 0: unknown
  // Where it listens for other nodes, numeric; none: it cannot be reached by TCP.
  std::vector<std::string> hosts{};
  std::vector<std::uint16_t> ports{};  // of each host

  // All but first_rank, which follows from the others'.
  static auto members(auto& p) {
    return std::tie(p.process, p.nthreads, p.ranks_per_thread, p.node, p.slot, p.hostname, p.pid,
                    p.started, p.pid_namespace, p.hosts, p.ports);
  }
};

// What /proc/PID/stat says behind the name, from the state on; empty where it cannot be read.
std::istringstream fields_of_stat(const std::filesystem::path& stat);

// This process, as far as it knows itself.
ControlProcess own_process(const Bootstrap& process, const Watch::Options& options);

// All processes, in order, with their first ranks filled in. Collective.
std::vector<ControlProcess> share_processes(Bootstrap& process, const ControlProcess& mine,
                                            const Deadline& deadline);

// Ranks of one thread, or of all.
std::vector<int> ranks_of(const ControlProcess& process);
std::vector<int> ranks_of(const ControlProcess& process, int thread);

// "0", "4-7", "0, 2, 8-11"
std::string rank_list(std::span<const int> ranks);
// "rank 1 (node07, pid 4711)", "ranks 4-7 (node07, pid 4711)"
std::string subject(const ControlProcess& process, std::span<const int> ranks);

// Becomes readable when `other` ends, also when nobody waits for it. None where the system cannot
// say, or where its pid means nothing here. A process that is gone already yields `gone`.
struct ExitNotice {
  FileDescriptor pidfd;
  bool gone = false;
};
ExitNotice watch_exit(const ControlProcess& other, const ControlProcess& mine);

// At most five, ascending: parent and children in the tree, and the two beside it in the ring. Of
// two neighbours the higher one connects to the lower one.
std::vector<int> control_neighbours(int process, int nprocesses);

}  // namespace linerate
