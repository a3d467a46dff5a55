// What a run says of itself and of each result: one type, read by every sink.
#pragma once

#include "comm/content.h"
#include "comm/op.h"
#include "record/finding.h"
#include "record/health.h"
#include "stats/summary.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate {

inline constexpr int kSchemaVersion = 1;

enum class Placement : std::uint8_t { out_of_place, in_place };
std::string_view name_of(Placement placement);

// One rank as the device lines print it.
struct RankInfo {
  int rank = 0;
  int group = 0;
  int pid = 0;
  std::string hostname{};
  int node = 0;
  int device = 0;
  std::string bus_id{};  // "0000:00:00"
  std::string device_name{};
  std::string affinity{};  // hardware threads that its thread may use: "0-3,8"; empty: not known

  // For messages between ranks (base/wire.h).
  static auto members(auto& info) {
    return std::tie(info.rank, info.group, info.pid, info.hostname, info.node, info.device,
                    info.bus_id, info.device_name, info.affinity);
  }
};

// Clock and barrier facts, measured at start; all 0: they were not.
struct TimingInfo {
  double clock_cost_ns = 0;
  double clock_resolution_ns = 0;
  double barrier_cost_us = 0;   // median
  double barrier_least_us = 0;  // of the fastest
  double clock_error_us = 0;    // bound of the common clock over all processes

  bool operator==(const TimingInfo&) const = default;
};

// An option as the run used it; `json` is the text of a JSON value (8, true, "float").
struct Setting {
  std::string name{};
  std::string json{};

  static auto members(auto& setting) { return std::tie(setting.name, setting.json); }
};

// What memory gave to all ranks of a host together while they touched `bytes` of it again and
// again.
struct MemoryPoint {
  std::uint64_t bytes = 0;
  double read_gbps = 0;
  double write_gbps = 0;
  double copy_gbps = 0;    // bytes read plus bytes written
  double update_gbps = 0;  // likewise, of what is overwritten where it was read
  // Time of the median pass over that of the best one, which counts above; more where also that one
  // waited for its core (probe::pass_slack).
  double noise = 1;

  bool operator==(const MemoryPoint&) const = default;
};

// What the network gave to a node while it sent to one other node, or received from one, over TCP.
struct NetworkPoint {
  int node = 0;
  double send_gbps = 0;      // the best of its pairs
  double receive_gbps = 0;   // likewise
  double round_trip_us = 0;  // the shortest of its pairs

  bool operator==(const NetworkPoint&) const = default;
};

// Which build of linerate.
struct BuildInfo {
  std::string version{};
  std::string commit{};    // "84c4840f1b2a", "84c4840f1b2a-dirty"; empty: not built from a checkout
  std::string compiler{};  // "GNU 12.2.0"
  std::string build_type{};            // "Release"
  std::vector<std::string> modules{};  // backends whose modules lie beside the program

  bool operator==(const BuildInfo&) const = default;
};

// What of rank 0's host changes results; each is empty where it does not tell.
struct HostFacts {
  std::string kernel{};          // "6.1.0-18-amd64"
  std::string system{};          // "Debian GNU/Linux 12 (bookworm)"
  std::string governor{};        // of its cores' frequencies: "performance"
  std::string huge_pages{};      // transparent ones: "madvise"
  std::optional<double> load{};  // of the last minute, when the run started

  bool operator==(const HostFacts&) const = default;
};

// The `run` line.
struct RunInfo {
  std::string run_id{};
  std::string study{};  // an id that the runs of one suite or comparison share; empty: none
  int repeat = 0;       // which repetition of a study this is, from 1; 0: it is none
  // "windows": its windows took turns with those of the study's other side; empty: they did not.
  std::string turns{};
  std::string start_time{};  // ISO 8601, UTC
  std::string version{};     // linerate's
  std::string program{};     // argv[0]'s basename
  std::vector<std::string> args{};
  std::vector<std::string> environment{};  // NAME=VALUE, allow-list only
  std::string backend{}, backend_version{}, transport{};
  int nccl_version = 0;    // 22809; 0 where there is no NCCL
  std::string tuning{};    // what the choice of algorithms rests on; empty: not told
  std::string emulated{};  // the network of --emulate: its file and what it holds; empty: none
  std::string launcher{};  // threads, nprocs, env, mpirun, srun
  int nranks = 0, nnodes = 0, nprocs = 0, nthreads = 0, ngpus = 0, ngroups = 1;
  std::vector<Setting> settings{};
  std::vector<RankInfo> ranks{};
  TimingInfo timing{};
  double init_us = 0;                                // 0: nothing was connected
  std::optional<std::uint64_t> lowered_max_bytes{};  // what -e became to fit the memory
  std::optional<int> registered_ranks{};             // with -R: whose buffers the library took
  BuildInfo build{};
  HostFacts host{};
  std::string cpu_model{};
  int ncores = 0;
  std::vector<MemoryPoint> memory{};    // right before the first result
  std::vector<NetworkPoint> network{};  // likewise; files hold the slowest of many nodes
};

// Whether the ranks of host memory on the first node have fewer cores than they are, or, where they
// are bound to different hardware threads, fewer of those than they are. mpirun and srun refuse too
// many themselves.
bool shares_cores(const RunInfo& run, std::span<const RankInfo> ranks);

// Of a run's ranks, those on the node of the first.
int ranks_on_first_node(std::span<const RankInfo> ranks);
// How many of the ranks each node has, by its number.
std::map<int, int> ranks_by_node(std::span<const RankInfo> ranks);

struct CaseInfo {
  std::string collective{};
  std::string type{};
  std::string redop{};  // "none" where nothing is reduced
  int root = -1;        // -1: not rooted
  Placement placement = Placement::out_of_place;
  std::uint64_t bytes = 0;  // the size column
  std::uint64_t count = 0;
};

// Above this number of ranks, arrays with a number per rank are condensed in files.
inline constexpr std::size_t kMaxRanksListed = 64;
inline constexpr std::size_t kWorstRanks = 5;  // what is left of them

// A number per rank, condensed: the worst ranks, largest first, and quantiles over all.
struct RankSpread {
  std::vector<std::pair<int, double>> worst{};
  double median = 0, p95 = 0, p99 = 0, max = 0;
};
// `per_rank[i]` belongs to rank i. REQUIRES: not empty.
RankSpread condense(std::span<const double> per_rank);

struct WindowInfo {
  std::uint64_t iters = 0;
  int agg = 1;
  double time_us = 0;     // per call, combined over processes by -a
  double slowest_us = 0;  // per call, of the slowest rank: what a bound holds for; 0: time_us
  std::optional<double> cpu_us{};  // enqueue time per call of rank 0 (-C)
  // Of the slowest rank without what faults cost, where the backend knows it.
  std::optional<double> fault_free_us{};
  // Per rank thread and call: how long it was ready to run while others had its core. Empty: nobody
  // tells. Files condense it, as late_us.
  std::vector<double> core_wait_us{};
  std::optional<RankSpread> core_wait_spread{};

  // What the time column shows.
  double shown_us(bool cputime) const { return cputime ? cpu_us.value_or(time_us) : time_us; }
};

struct SampleInfo {
  stats::Summary us{};  // of the maximum over ranks
  int batch = 1;        // calls per sample
  // Median over samples of last entry - first entry; nothing where devices stamped the samples,
  // each on a clock of its own.
  std::optional<double> arrival_skew_us{};
  std::optional<double> exit_skew_us{};
  // Median over samples of last exit - last entry: how long it took once all were there.
  std::optional<double> last_to_last_us{};
  // Per rank thread, means over samples: its lateness at entry; how long it waited within the call
  // for the last one to enter; the rest of its time. The spread instead, where a file was
  // condensed.
  std::vector<double> late_us{}, wait_us{}, transfer_us{};
  std::optional<RankSpread> late_spread{}, wait_spread{}, transfer_spread{};
  std::vector<double> raw_us{};  // with --samples
  // With -I for the nccl-tests JSON only: per process, the maximum over its ranks of each sample.
  std::vector<std::vector<double>> per_process_us{};
  std::uint64_t skipped = 0;  // dropped by -K
};

// How much longer something took beside something else than alone: medians over blocks, and the
// ratio with its 95 % interval.
struct SlowDown {
  double alone_us = 0, beside_us = 0;
  double ratio = 1;
  std::optional<double> low{}, high{};  // nothing of fewer than 6 blocks
};

// What products of matrices reach: 1e12 additions and multiplications in a second.
struct ProductInfo {
  std::string type{};  // of the elements: "bfloat16"
  double alone_tflops = 0, beside_tflops = 0;
};

// --beside: calls of the collective and units of a load, each alone and both at once.
struct BesideInfo {
  std::string load{};  // as typed, with the size where none was
  std::uint64_t blocks = 0;
  SlowDown call{}, unit{};
  std::optional<ProductInfo> products{};  // where the load is products of matrices
};

struct WrongWhere {
  int rank = 0;
  FirstWrong first{};
  std::vector<std::pair<int, std::uint64_t>> count_per_rank{};  // ranks with any
  std::optional<std::uint64_t> wrong_ranks{};  // of so many, where a file was condensed
};

// memcpy_perf: copies that follow each other; the ends are "host" or "gpu0", "gpu1", …
struct CopyStreamInfo {
  std::string from{}, to{};
  std::string by{};          // who copied
  std::uint64_t copies = 0;  // in one sample
  double gbps = 0;           // of this stream alone, from its start to its end
};

// memcpy_perf: a cell of a matrix.
struct CopyInfo {
  std::string engine{};  // "ce", "sm" or "cpu"
  std::string row{}, column{};
  std::vector<CopyStreamInfo> streams{};  // all at once
};

// How fast a result should be, by the slowest rank, and the band in which healthy runs lie.
struct Expectation {
  double busbw_gbps = 0;
  double low_gbps = 0;                                         // below it a result is low
  double high_gbps = std::numeric_limits<double>::infinity();  // above it a result is above
  double slack = 1;  // a result that is too low by less than this factor is not known to be low
  std::optional<double> ncclmodel_busbw_gbps{};  // GPUs: what NCCL's own tuner believes
  std::string bound_by{};                        // "memory", "latency", "NVLink", …
};

// The `result` line: one case, one placement, one group.
struct Record {
  std::string run_id{};
  CaseInfo what{};
  int group = 0;
  int nranks = 0, nnodes = 0;
  std::string backend{}, backend_version{}, transport{};
  CallFacts call{};  // as rank 0's communicator tells
  WindowInfo window{};
  std::uint64_t touched_bytes = 0;  // of a rank's buffers, by all calls of a window; 0: not told
  double algbw_gbps = 0, busbw_gbps = 0;  // 1e9 bytes per second
  std::optional<Expectation> expected{};
  std::optional<SampleInfo> samples{};
  std::optional<BesideInfo> beside{};
  std::optional<std::uint64_t> wrong{};  // absent: not checked
  std::optional<WrongWhere> where{};
  // all_to_all_v, on request: what each rank of the group sends and receives.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> traffic_bytes{};
  std::optional<std::pair<int, int>> pair{};  // p2p: the two ranks; memcpy: the two GPUs
  std::optional<CopyInfo> copy{};
  std::string timestamp{};  // ISO 8601, UTC
};

// What the communicators of a run cost beside its calls: of the slowest rank.
struct CommTimes {
  double init_us = 0;
  std::optional<double> first_call_us{};  // until it was done; nothing without a warm-up
  std::optional<double> destroy_us{};     // nothing where another run goes on with them
};

// What messages between two ranks took, alone on their machines.
struct PairTime {
  int source = 0, dest = 0;
  bool one_way = false;  // else there and back, or both ways at once
  double time_us = 0;
  std::optional<double> fault_free_us{};  // the same without what faults cost, where it is known
};

// The `end` line.
struct EndInfo {
  std::string run_id{};
  std::string end_time{};
  int exit_code = 0;
  std::uint64_t failed_checks = 0;  // "Out of bounds values"
  std::optional<double> average_busbw_gbps{};
  std::optional<std::string> error{};
  std::vector<std::pair<std::string, std::uint64_t>> memory_bytes{};  // with -M
  std::optional<CommTimes> comm_times{};
  std::vector<MemoryPoint> memory{};    // right after the last result
  std::vector<NetworkPoint> network{};  // likewise
  std::string verdict{};                // of all results: "ok", "low", …; empty: none has a bound
  double slack = 1;  // of every result, beside its own: what disturbed the whole run
  std::vector<Finding> findings{};
  std::vector<NodeHealth> health{};  // of each node, where it was watched
};

// No wrong data, and nothing but the user ended the run: only then may "0 OK" be printed.
inline bool clean(const EndInfo& end) {
  constexpr int kInterrupted = 130;
  return end.failed_checks == 0 && (!end.error || end.exit_code == kInterrupted);
}

}  // namespace linerate
