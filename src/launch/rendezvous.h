// Where the processes of a job meet before each generation of it, and agree on who takes part:
// those of RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, of which some may be lost between two
// generations, and some may come back. torchrun's agents do the same.
//
// Process 0 keeps the store, at the master's address: without it nobody can agree, and the job
// ends. A process that cannot reach it, because its host is cut off, ends too: there are never two
// jobs.
#pragma once

#include "base/clock.h"
#include "launch/identity.h"
#include "launch/net/socket.h"
#include "launch/store/store.h"

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace linerate {

// What a process says when it comes. Processes are numbered as they were started, by RANK.
struct Coming {
  std::vector<int> lost{};    // ranks of the generation before that it knows to be lost
  bool lost_its_own = false;  // its own rank died, or failed
  bool out_of_memory = false;
  std::int64_t steps = 0;      // that its rank has made
  SocketAddress listens_at{};  // where its rank would listen as rank 0

  static auto members(auto& self) {
    return std::tie(self.lost_its_own, self.out_of_memory, self.steps, self.listens_at);
  }
};

// What all agree on.
struct Meeting {
  int generation = 0;
  std::vector<int> processes{};  // that take part, ascending
  std::vector<int> lost{};       // ranks of the generation before that died
  int nranks_before = 0;
  int halvings =
      0;  // of micro-batches, one for each generation that ended because memory was short
  bool out_of_memory = false;  // the last one did
  std::int64_t steps = 0;      // that some rank has made
  SocketAddress master{};      // of rank 0

  static auto members(auto& self) {
    return std::tie(self.generation, self.processes, self.lost, self.nranks_before, self.halvings,
                    self.out_of_memory, self.steps, self.master);
  }
};

// Of one process. Not for several threads at once.
class Rendezvous {
 public:
  static constexpr int kMaxProcesses = 512;
  // From when process 0 comes until those that have not come are lost: longer than the grace that a
  // fork gives them. Those that it knows to be lost have a moment, because it may be their rank
  // alone.
  static constexpr double kLastCallS = 15, kMomentS = 0.5;
  static constexpr double kGoneS = 5;  // that the store cannot be reached any more

  // Process 0 listens from now on. REQUIRES: 1 to kMaxProcesses of them.
  explicit Rendezvous(const Identity& started_as);

  // Waits for the next meeting that this process is in time for. Process 0 begins it: the first one
  // once all have come, later ones once those that are left have. Throws TimeoutError where some
  // have not come to the first one after `timeout_s`, where the store cannot be reached so long, or
  // is gone.
  Meeting meet(const Coming& mine, double timeout_s);

  // Of this process.
  int rank_in(const Meeting& meeting) const;
  // As which this process takes part; where that is rank 0, with a socket that listens, once.
  Identity identity_in(const Meeting& meeting);

 private:
  void await_all(const StoreServer& store, const Deadline& deadline) const;
  void await_those_left(const StoreServer& store, const Coming& mine) const;
  std::vector<int> come(const StoreServer& store) const;
  Meeting keep(Coming mine, const Deadline& deadline);
  std::optional<Meeting> take_part(Coming mine);
  Meeting agree(StoreClient& client, const std::vector<int>& here);

  const Identity started_as_;
  const SocketAddress master_;
  SteadyClock clock_;
  Listener store_;               // of process 0, from one meeting to the next
  Listener own_;                 // for its rank as rank 0
  std::optional<Meeting> last_;  // that this process took part in
};

}  // namespace linerate
