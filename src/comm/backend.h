// What moves the data: host memory, MPI, NCCL, Gloo, or the fake.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"
#include "comm/communicator.h"
#include "comm/device.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What a backend can do and what not all can; the same on all ranks.
struct Capabilities {
  bool device_memory = false;  // buffers are a GPU's, and calls go on after they return
  bool abortable = true;       // abort() ends pending calls of this process
  bool async = true;           // calls on async streams run beside the calling thread
  bool direct = false;         // ranks read each other's memory: nothing is copied on its way
  bool loose_barrier = false;  // ranks leave barrier() microseconds apart: it goes over sockets
  bool ranks_share_thread = false;  // one thread drives several ranks (NCCL); else a thread a rank
};

// A node as results name it.
struct NodeName {
  int node = 0;  // counted from 0
  std::string hostname{};
};

struct ConnectOptions {
  Deadline deadline;  // of the whole initialisation
};

// What one rank says in a split; see Communicator::split().
struct SplitRequest {
  Communicator& comm;
  int color = 0;
  int key = 0;
};

// Fuses the calls of all communicators of this thread between start() and end().
class Group {
 public:
  virtual ~Group() = default;
  virtual void start() = 0;
  virtual void end() = 0;
};

// One backend of one process; connect() may be called by several threads at once.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  virtual std::string version() const = 0;  // of its library; empty: a part of linerate
  // The version as NCCL counts it (22809 is 2.28.9); 0 where it is not NCCL.
  virtual int nccl_version() const { return 0; }
  virtual Capabilities capabilities() const = 0;
  // What its choice of algorithms rests on, for records; empty: it does not tell. After connect().
  virtual std::string tuning() const { return {}; }

  // The node on which `rank` seems to be, where the backend emulates a network; nothing: where it
  // is.
  virtual std::optional<NodeName> node_of(int) const { return std::nullopt; }

  // The device of local rank `local_index` of this process, counted over all its threads.
  virtual std::unique_ptr<Device> open_device(int local_index) = 0;

  // Joins this thread's ranks to the group of all members' ranks: rank is
  // member's rank * local.size() + index.
  // Collective over `bootstrap`, in which each thread of each process is one member.
  // Throws Unavailable where the backend cannot span these members (host across nodes).
  // REQUIRES: local.size() is 1, unless ranks share threads.
  virtual std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& bootstrap,
                                                             std::span<Device* const> local,
                                                             const ConnectOptions& options) = 0;

  // Communicator::split() for all ranks of this thread, each of which waits for the others.
  // Collective over all ranks.
  virtual std::vector<std::unique_ptr<Communicator>> split(std::span<const SplitRequest> local) {
    std::vector<std::unique_ptr<Communicator>> parts;
    for (const SplitRequest& request : local)
      parts.push_back(request.comm.split(request.color, request.key));
    return parts;
  }

  // What the library itself says when its calls do not end; empty: nothing. Any thread; within 3 s.
  virtual std::string hang_report() { return {}; }

  // Null where every call stands alone.
  virtual std::unique_ptr<Group> group() { return nullptr; }
};

}  // namespace linerate
