// One thread of ranks in a job: devices, communicators, streams, and the exchange with the others.
#pragma once

#include "comm/backend.h"
#include "job/config.h"
#include "job/watched_comms.h"
#include "launch/common_clock.h"
#include "launch/watch/watch.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace linerate {

// One rank driven by this thread. Other ranks' calls may use its buffers until the thread has
// closed or reported its failure, so that they live here.
struct LocalRank {
  std::unique_ptr<Device> device;
  std::unique_ptr<Communicator> world;
  std::unique_ptr<Communicator> part;  // of its group; null when there is one group only
  std::unique_ptr<Stream> stream;
  Buffer send, recv, spare;                                  // empty until somebody allocates them
  std::vector<std::unique_ptr<Registration>> registrations;  // of buffers
  int rank = 0;                                              // global
  int group = 0;                                             // the colour of its group

  Communicator& comm() { return part ? *part : *world; }
};

// What a thread needs to take part; all outlive the context.
struct RankInput {
  Bootstrap& bootstrap;  // over the rank threads of all processes
  Backend& backend;
  Watch& watch;
  const JobConfig& config;
  const Clock& clock;                   // of the host
  const Clock& start_clock;             // for the deadlines of the start: StartGuard::clock()
  std::function<bool()> interrupted{};  // asked by any thread; null: never
};

// What the body of a job works with. Each rank has a thread, but for NCCL with -g, where a thread
// drives several. Used by its thread alone. "Collective" is over all rank threads of the job.
class RankContext {
 public:
  // Opens devices and connects. Collective.
  explicit RankContext(const RankInput& input);
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  // The ranks of this thread; the first of them by itself.
  std::vector<LocalRank>& ranks() { return ranks_; }
  const std::vector<LocalRank>& ranks() const { return ranks_; }
  int rank() const { return ranks_.front().rank; }
  int nranks() const { return static_cast<int>(infos_.size()); }
  bool is_first() const { return input_.bootstrap.rank() == 0; }
  Communicator& world() { return *ranks_.front().world; }
  Stream& stream() { return *ranks_.front().stream; }
  Device& device() { return *ranks_.front().device; }
  // Fuses the calls of the ranks of this thread; null where each has a thread.
  Group* group() { return group_.get(); }

  const JobConfig& config() const { return input_.config; }
  Bootstrap& bootstrap() const { return input_.bootstrap; }
  const Backend& backend() const { return input_.backend; }
  const Capabilities& capabilities() const { return capabilities_; }
  // The time line of this thread's measurements: its first device's.
  const Clock& clock() const { return ranks_.front().device->clock(); }
  Deadline init_deadline() const;

  // Every rank of the job, by rank; the same on all threads.
  const std::vector<RankInfo>& infos() const { return infos_; }
  // The thread that drives each rank.
  int thread_of(int rank) const { return rank / static_cast<int>(ranks_.size()); }
  int nprocesses() const { return nranks() / config().ranks_per_process(); }
  int ngroups() const { return ngroups_; }
  // On the first thread of each of several nodes, a member for each node in their order; else null.
  Bootstrap* node_leaders() { return node_leaders_.get(); }
  double init_us() const { return init_us_; }  // of the communicators
  // Of the first rank's device, before the communicators were made.
  std::size_t free_before_init() const { return free_before_init_; }

  // What the watch says where this thread is lost or hangs.
  void enter(Stage stage);
  // The same for work of this thread alone, which -T does not bound: others wait for it in a stage
  // that is bounded. Nothing that waits for another thread may follow before the next enter().
  void enter_local(Stage stage);
  // What is told each stage that this thread enters: outside of all that is timed. Of one thread.
  void tell_stages(std::function<void(const Stage&)> listener) { listener_ = std::move(listener); }
  // The same for a probe of the machine, in which threads wait for each other: bounded as
  // initialisation is, but never by less than `floor_s`, which a sound probe may take.
  void enter_probe(const char* what, double floor_s);

  // Memory of this thread's first rank, which lives as long as this.
  View allocate(std::size_t bytes);

  // Ranks of one colour become a group: LocalRank::part, group, and infos(). Once. Collective.
  // `color` is the same function on all threads.
  void split(const std::function<int(int rank)>& color);
  bool is_split() const { return ranks_.front().part != nullptr; }

  // A further communicator among the ranks of one colour, in the order of their keys: an axis of a
  // parallel program. The watch ends its calls too. Lives until close(). Collective. REQUIRES: this
  // thread drives one rank, and its colour is not negative.
  Communicator& add_axis(int color, int key);
  // What is put around the communicators of add_axis() from now on.
  using Decorate = std::function<std::unique_ptr<Communicator>(std::unique_ptr<Communicator> axis)>;
  void decorate_axes(Decorate decorate) { decorate_ = std::move(decorate); }

  // Whether this thread was asked to end; whether any was, the same on all (collective).
  bool interrupted() const { return input_.interrupted && input_.interrupted(); }
  bool any_interrupted() { return any_thread(interrupted()); }
  // Whether any thread says so, the largest value, the sum; the same on all. Collective.
  bool any_thread(bool says);
  double max_of_threads(double mine);
  int sum_of_threads(int mine);

  // The tightest barrier that all threads have: the communicators', and where that is loose, a
  // common start. Collective.
  void barrier();
  // The same where threads may come from far apart: they sleep in the bootstrap's barrier first.
  // For starts on several nodes it measures clock_offset() when the latest is too old.
  void align();

  // This node's clock against the first node's, the same on all threads of a node. Measured between
  // the first threads of the nodes, because threads of several processes cannot exchange.
  // Collective.
  ClockOffset clock_offset(const Deadline& deadline);

  // Inspector::modeled_time() of this thread's first rank.
  std::optional<ModeledTime> modeled_time() const {
    return ranks_.front().world->inspector().modeled_time();
  }

  // Frees the buffers of LocalRank, with their registrations, once no call uses them. Collective.
  void release_buffers();

  // Ends registrations and communicators, in this order; nothing but the bootstrap works
  // afterwards. Collective. Yields the microseconds that it took this thread; 0 once it is closed.
  double close();

 private:
  void connect();
  void gather_node_leaders();
  ClockOffset measured_offset(const Deadline& deadline);
  void prepare_starts();
  void refresh_common_clock();
  int device_index(int local) const;
  RankInfo info_of(const LocalRank& local) const;

  RankInput input_;
  std::function<void(const Stage&)> listener_;  // null: nobody
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
  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<Communicator>> axes_;
  Decorate decorate_;  // null: nothing
  Forget forget_{.watched = watched_};
  std::unique_ptr<Group> group_;
  std::unique_ptr<Bootstrap> node_leaders_;
  std::vector<RankInfo> infos_;
  int ngroups_ = 1;
  double init_us_ = 0;
  CommonClock common_clock_{input_.clock};  // a backend whose barrier is loose has no other clock
  std::int64_t lead_ns_ = 0;                // of common starts; 0: there are none
  std::size_t free_before_init_ = 0;
  bool closed_ = false;
};

}  // namespace linerate
