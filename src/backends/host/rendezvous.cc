#include "backends/host/rendezvous.h"

#include "backends/host/control.h"
#include "backends/host/cores.h"
#include "backends/host/emulation/network.h"
#include "backends/host/emulation/shared.h"
#include "backends/host/fd_passing.h"
#include "backends/host/peer_memory.h"
#include "base/error.h"
#include "base/units.h"
#include "base/wire.h"

#include <fmt/format.h>

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <map>
#include <optional>

namespace linerate::host {

struct Rendezvous::RankInfo {
  std::uint64_t process_mark = 0;
  std::int64_t pid = 0;
  std::uint64_t reservable = 0;
  std::uint64_t network = 0;  // fingerprint of the emulated one, if any
  CoreSet cores;

  bool same_process(const RankInfo& other) const {
    return process_mark == other.process_mark && pid == other.pid;
  }
};

namespace {

constexpr std::size_t kMinRegionBytes = std::size_t{16} << 20;
// ThreadSanitizer leaves about 1 TiB of address space to the program.
#if defined(LINERATE_TSAN)
constexpr std::size_t kMaxReserveBytes = std::size_t{64} << 30;
#else
constexpr std::size_t kMaxReserveBytes = std::size_t{16} << 40;
#endif

std::size_t control_bytes(int nranks, const Network* network) {
  std::size_t bytes = ControlBlock::bytes(nranks);
  if (network != nullptr)
    bytes = EmulationBlock::offset(nranks) + EmulationBlock::world_bytes(nranks, network->nlinks());
  return round_up(bytes, kHugePageBytes);
}

// Numbers processes by their lowest rank.
template <typename RankInfo>
std::vector<int> number_processes(const std::vector<RankInfo>& infos) {
  std::vector<int> processes;
  for (const RankInfo& info : infos) {
    const auto first = std::ranges::find_if(
        infos, [&](const RankInfo& other) { return info.same_process(other); });
    processes.push_back(static_cast<int>(first - infos.begin()));
  }
  return processes;
}

// Hosts are told apart by the bootstrap; shared memory ends at the host's edge.
void refuse_several_hosts(Bootstrap& bootstrap, const Deadline& deadline) {
  if (bootstrap.place().nnodes <= 1) return;
  const auto mine =
      WireWriter().put(bootstrap.place().node).put_text(bootstrap.place().hostname).take();
  std::map<int, std::string> names;  // by node
  for (const Bytes& bytes : bootstrap.all_gather(mine, deadline)) {
    WireReader in(bytes);
    const int node = in.get<int>();
    names.emplace(node, in.get_text());
  }
  throw Unavailable(fmt::format(
      "The host backend works within one host, but these ranks run on several ({} and {}): use "
      "--backend gloo, or start them with mpirun and use --backend mpi.",
      names.begin()->second, names.rbegin()->second));
}

// They would disagree about where everything lies.
template <typename RankInfo>
void refuse_other_networks(const std::vector<RankInfo>& infos) {
  for (const RankInfo& info : infos)
    if (info.network != infos.front().network)
      throw Error("The ranks of this job were given different --emulate files: give all the same.",
                  ExitCode::usage);
}

// Throws on all members the first failure that one of them has: its sentence and exit code.
void agree(Bootstrap& bootstrap, const std::optional<Error>& failure, const Deadline& deadline) {
  WireWriter mine;
  if (failure) mine.put(failure->exit_code()).put_text(failure->what());
  for (const Bytes& bytes : bootstrap.all_gather(mine.bytes(), deadline)) {
    if (bytes.empty()) continue;
    WireReader in(bytes);
    const auto exit_code = in.get<ExitCode>();
    throw Error(in.get_text(), exit_code);
  }
}

// One rank's part in making the arena of a job: what goes wrong is kept until all can throw it.
struct Making {
  int rank = 0;
  std::vector<int> processes;  // of each rank
  ArenaLayout layout;
  Deadline deadline;
  std::string name{};                // of this job: on all ranks after announce()
  std::optional<FdServer> server{};  // on rank 0, when there are other processes
  std::optional<Error> failure{};

  // The lowest rank of a process makes its mapping.
  bool leads() const { return processes[static_cast<std::size_t>(rank)] == rank; }
  int nthreads() const { return static_cast<int>(std::ranges::count(processes, rank)); }
  int nclients() const {
    int nleaders = 0;
    for (std::size_t peer = 0; peer < processes.size(); ++peer)
      nleaders += processes[peer] == static_cast<int>(peer) ? 1 : 0;
    return nleaders - 1;
  }

  void announce(Bootstrap& bootstrap) {
    if (rank == 0) attempt([&] { listen(); });
    name = value_of_rank_0(bootstrap, name, deadline);
  }

  // Null, and `failure`, when it cannot be had.
  std::shared_ptr<const Arena> make() {
    std::shared_ptr<const Arena> arena;
    if (!name.empty()) attempt([&] { arena = rank == 0 ? create() : join(); });
    server.reset();
    return arena;
  }

 private:
  void listen() {
    std::string fresh = new_ticket();
    if (nclients() > 0) server.emplace(fresh);
    name = std::move(fresh);
  }

  std::shared_ptr<const Arena> create() {
    FileDescriptor file = server ? create_memory_file() : FileDescriptor();
    const int fd = file.get();
    auto arena = std::make_shared<const Arena>(std::move(file), layout);
    const ControlBlock control(arena->at(0), layout.nranks);
    control.header().attached.store(static_cast<std::uint64_t>(layout.nranks));
    if (server) server->serve(fd, nclients(), deadline);
    return arena;
  }

  std::shared_ptr<const Arena> join() const {
    return std::make_shared<const Arena>(fetch_file(name, deadline), layout);
  }

  template <typename Step>
  void attempt(Step&& step) {
    try {
      step();
    } catch (const Error& error) {
      failure = error;
    } catch (const std::exception& error) {
      failure.emplace(fmt::format("Shared memory: {}.", error.what()));
    }
  }
};

}  // namespace

Rendezvous::Rendezvous(const HostOptions& options) : options_(options) {
  const ssize_t got = getrandom(&process_mark_, sizeof(process_mark_), 0);
  if (got != static_cast<ssize_t>(sizeof(process_mark_))) throw SystemError(errno, "getrandom");
}

JobArena Rendezvous::meet(Bootstrap& bootstrap, const Deadline& deadline) {
  refuse_several_hosts(bootstrap, deadline);
  const auto infos = all_values(bootstrap, own_info(bootstrap.nranks()), deadline);
  refuse_other_networks(infos);
  Making making{.rank = bootstrap.rank(),
                .processes = number_processes(infos),
                .layout = layout_for(infos),
                .deadline = deadline};
  making.announce(bootstrap);
  if (making.leads()) publish(making.name, making.make(), making.nthreads());
  agree(bootstrap, making.failure, deadline);
  std::vector<CoreSet> cores;
  for (const RankInfo& info : infos) cores.push_back(info.cores);
  const bool too_few = options_.cores > 0 ? bootstrap.nranks() > options_.cores
                                          : oversubscribed(cores, making.processes);
  auto pids = reachable_processes(bootstrap, making.processes, deadline);
  return {.arena = fetch(making.name),
          .processes = std::move(making.processes),
          .pids = std::move(pids),
          .spin_policy = SpinPolicy::when(too_few)};
}

Rendezvous::RankInfo Rendezvous::own_info(int nranks) {
  const std::lock_guard lock(mutex_);  // probing twice at once would find half of the room
  return {.process_mark = process_mark_,
          .pid = getpid(),
          .reservable = reservable_bytes(wanted_bytes(nranks)),
          .network = options_.network ? options_.network->fingerprint() : 0,
          .cores = usable_cores()};
}

std::size_t Rendezvous::wanted_bytes(int nranks) const {
  const auto pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
  const std::size_t physical = round_up(pages * page_bytes(), kHugePageBytes);
  const std::size_t most = std::min(options_.reserve_bytes, kMaxReserveBytes);
  const std::size_t each = std::min(physical, most / static_cast<std::size_t>(nranks));
  return control_bytes(nranks, options_.network.get()) + each * static_cast<std::size_t>(nranks);
}

ArenaLayout Rendezvous::layout_for(const std::vector<RankInfo>& infos) const {
  const int nranks = static_cast<int>(infos.size());
  const std::size_t least = std::ranges::min(infos, {}, &RankInfo::reservable).reservable;
  const std::size_t control = control_bytes(nranks, options_.network.get());
  const std::size_t each = least > control ? (least - control) / infos.size() : 0;
  if (each < kMinRegionBytes)
    throw Error(fmt::format(
        "Shared memory: only {} can be reserved for {} ranks, which need {} each. "
        "Raise the limits of address space and file size (ulimit -v, -f), or use fewer ranks.",
        bytes_text(least), nranks, bytes_text(kMinRegionBytes)));
  return {.nranks = nranks,
          .control_bytes = control,
          .region_bytes = each / kHugePageBytes * kHugePageBytes};
}

void Rendezvous::publish(const std::string& name, std::shared_ptr<const Arena> arena,
                         int nthreads) {
  if (arena == nullptr) return;
  const std::lock_guard lock(mutex_);
  published_[name] = {std::move(arena), nthreads};
}

// The last thread of the process takes the entry away.
std::shared_ptr<const Arena> Rendezvous::fetch(const std::string& name) {
  const std::lock_guard lock(mutex_);
  Published& entry = published_.at(name);
  auto arena = entry.arena;
  if (--entry.waiting == 0) published_.erase(name);
  return arena;
}

}  // namespace linerate::host
