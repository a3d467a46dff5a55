// How the ranks of a job come to share one arena.
#pragma once

#include "backends/host/arena.h"
#include "backends/host/host_backend.h"
#include "backends/host/waiting.h"
#include "comm/bootstrap.h"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace linerate::host {

// What a rank knows after it.
struct JobArena {
  std::shared_ptr<const Arena> arena;
  std::vector<int> processes;  // of each rank: equal numbers share an address space
  std::vector<pid_t> pids{};   // of each rank: reachable_processes()
  SpinPolicy spin_policy;
};

// The meeting place of one process' threads; any of them may call it at the same time.
class Rendezvous {
 public:
  explicit Rendezvous(const HostOptions& options);

  // Collective over `bootstrap`. Rank 0's process makes the arena; of every other process one
  // thread fetches it. When anything fails anywhere, every member throws the same sentence, with
  // the exit code of the one that failed.
  JobArena meet(Bootstrap& bootstrap, const Deadline& deadline);

 private:
  struct RankInfo;  // what each rank tells all others
  struct Published {
    std::shared_ptr<const Arena> arena;
    int waiting = 0;  // threads that have not fetched it
  };

  RankInfo own_info(int nranks);
  std::size_t wanted_bytes(int nranks) const;
  ArenaLayout layout_for(const std::vector<RankInfo>& infos) const;
  void publish(const std::string& name, std::shared_ptr<const Arena> arena, int nthreads);
  std::shared_ptr<const Arena> fetch(const std::string& name);

  const HostOptions options_;
  std::uint64_t process_mark_ = 0;  // tells apart processes of PID namespaces with equal pids
  std::mutex mutex_;
  std::map<std::string, Published> published_;
};

}  // namespace linerate::host
