// One thread's part of a run: its ranks with devices, communicators, streams and buffers.
#pragma once

#include "bench/config.h"
#include "bench/watched_comms.h"
#include "comm/backend.h"
#include "launch/common_clock.h"
#include "launch/watch/watch.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace linerate {

// Bytes of one rank's buffers, without the lead that -u puts in front.
struct BufferSizes {
  std::size_t bytes = 0;        // of the send buffer, and of the recv buffer
  std::size_t spare_bytes = 0;  // of the spare buffer; 0: there is none
};

// One rank driven by this thread. `comm` is the group's communicator when the ranks are split.
struct LocalRank {
  std::unique_ptr<Device> device;
  std::unique_ptr<Communicator> world;
  std::unique_ptr<Communicator> part;  // of its group; null when there is one group only
  std::unique_ptr<Stream> stream;
  Buffer send, recv;
  Buffer spare;                                              // see Layout; may be empty
  std::vector<std::unique_ptr<Registration>> registrations;  // of the buffers (-R)
  int rank = 0;                                              // global
  int group = 0;                                             // colour, as the device lines print it

  Communicator& comm() { return part ? *part : *world; }
};

// What a thread needs to be set up; all outlive the session.
struct SessionInput {
  Bootstrap& members;
  Backend& backend;
  Watch& watch;
  const RunConfig& config;
  const Clock& clock;              // of the host, for deadlines
  std::function<void()> report{};  // of ReportingBody; null: nobody wants to know
  std::function<void()> set_up{};  // called once the session is made; null: nobody wants to know
};

// Calls `body`. What it throws is reported while everything that it holds still lives: calls of
// other threads may use it, and are ended first.
template <typename Body>
auto reporting(const SessionInput& input, const Body& body) {
  try {
    return body();
  } catch (...) {
    if (input.report) input.report();
    throw;
  }
}

// The ranks of one thread and the exchange with the other threads. Used by one thread.
class Session {
 public:
  // Opens devices, connects, splits. Collective over all threads.
  explicit Session(const SessionInput& input);
  ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::vector<LocalRank>& ranks() { return ranks_; }
  const std::vector<LocalRank>& ranks() const { return ranks_; }
  Group* group() { return group_.get(); }
  Bootstrap& members() { return input_.members; }
  const RunConfig& config() const { return input_.config; }
  // The time line of this thread's measurements: its first device's.
  const Clock& clock() const { return ranks_.front().device->clock(); }
  const Capabilities& capabilities() const { return capabilities_; }
  bool is_first() const { return input_.members.rank() == 0; }
  int nranks() const { return static_cast<int>(infos_.size()); }
  int nprocesses() const { return nranks() / (config().nthreads * config().ngpus); }
  double init_us() const { return init_us_; }
  // Of the first rank's device, before the communicators were made.
  std::size_t free_before_init() const { return free_before_init_; }
  Deadline init_deadline() const;

  // Every rank of the run, by rank; the same on all threads.
  const std::vector<RankInfo>& infos() const { return infos_; }
  // The thread that drives each rank.
  int thread_of(int rank) const { return rank / static_cast<int>(ranks_.size()); }
  int ngroups() const { return ngroups_; }
  // On the first thread of each of several nodes, a member for each node in their order; else null.
  Bootstrap* node_leaders() { return node_leaders_.get(); }

  // Allocates the buffers of every local rank: send and recv, touched by this thread and filled
  // with inputs, so that no page fault and no zero page is in a timing; registers them (-R), which
  // is collective over all threads. The spare buffer is filled by who uses it. Each buffer is
  // `lead` bytes longer.
  void allocate(const BufferSizes& sizes, std::size_t lead = 0);

  // Ends registrations and communicators, in this order; nothing but the bootstrap works
  // afterwards. Collective over all threads. Yields the microseconds that it took this thread.
  double close();

  // Communicator::modeled_time() of this thread's first rank.
  std::optional<ModeledTime> modeled_time() const {
    return ranks_.front().world->inspector().modeled_time();
  }

  // The largest of the values that the threads say; the same on all. Collective.
  double most_of_threads(double mine);

  // The bytes that each of this thread's ranks may use for buffers, minimum over all ranks.
  std::size_t rank_memory();

  // Whether any thread says so; the same on all. Collective.
  bool any_thread(bool says);

  // This node's clock against the first node's, the same on all threads of a node. Measured between
  // the first threads of the nodes, because threads of several processes cannot exchange.
  // Collective.
  ClockOffset clock_offset(const Deadline& deadline);

  // Fills in what this session knows: ranks, nodes, groups, transport, initialisation time.
  void describe(RunInfo& info) const;

  // Aligns all threads: bootstrap barrier, then the tighter one of the communicators.
  void align();
  void enter(Stage stage);
  // The same for work of this thread alone, which -T does not bound: others wait for it in a stage
  // that is bounded. Nothing that waits for another thread may follow before the next enter().
  void enter_local(Stage stage);
  // The same for a probe of the machine, in which threads wait for each other: bounded as
  // initialisation is, but never by less than `floor_s`, which a sound probe may take.
  void enter_probe(const char* what, double floor_s);

 private:
  void connect();
  void split();
  void force_algorithm();
  void exchange_infos();
  void gather_node_leaders();
  void register_buffers();
  int sum_of_threads(std::ptrdiff_t mine);
  std::size_t sharers_of(const LocalRank& local) const;
  int device_index(int local) const;
  RankInfo info_of(const LocalRank& local) const;

  SessionInput input_;
  Capabilities capabilities_;
  int thread_index_ = 0;  // among the threads of this process
  // Forgets the communicators before they end, also when the constructor throws. Without close() a
  // device may hold work whose peers are gone: freeing its memory would wait for ever, so that work
  // is ended first.
  struct Forget {
    std::shared_ptr<WatchedComms> watched;
    bool queues_work = false;
    ~Forget() {
      if (queues_work) watched->abort_all();
      watched->clear();
    }
  };
  std::shared_ptr<WatchedComms> watched_ = std::make_shared<WatchedComms>();
  std::vector<LocalRank> ranks_;
  Forget forget_{.watched = watched_};
  std::unique_ptr<Group> group_;
  std::unique_ptr<Bootstrap> node_leaders_;  // on the first thread of each of several nodes
  std::vector<RankInfo> infos_;
  int ngroups_ = 1;
  double init_us_ = 0;
  std::optional<int> registered_ranks_;  // of all, with -R
  std::size_t free_before_init_ = 0;
};

}  // namespace linerate
