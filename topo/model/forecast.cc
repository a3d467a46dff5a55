#include "topo/model/forecast.h"

#include "base/units.h"
#include "topo/model/forecast_parameters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

namespace linerate::topo {
namespace {

std::size_t scale_of(const JobShape& job) { return job.nnodes == 1 ? 0 : 1; }

// A pipeline that fills while the message moves.
double filled(double move_us, double fill_us) {
  return move_us > 0 ? fill_us * move_us / (move_us + fill_us) : 0;
}

Machine machine_of(const JobShape& job) {
  constexpr double kMostGpusOfAHost = 16;
  const auto within = hardware_of(job.of(Algorithm::ring).intra_type, job.version);
  if (within != Hardware::nvlink) return Machine::other;
  switch (generation_of(job.min_sm)) {
    case Generation::volta:
      return Machine::volta;
    case Generation::ampere:
      return Machine::ampere;
    case Generation::hopper:
      return Machine::hopper;
    case Generation::blackwell:
      break;
  }
  return job.ranks_per_node() > kMostGpusOfAHost ? Machine::blackwell_rack : Machine::blackwell;
}

double host_us(const JobShape& job) {
  return kForecast.host_us.at(index_of(machine_of(job)))[scale_of(job)];
}

// Of Simple: the row of most nodes, of those the machine's own, of those the one of most bytes.
double efficiency_of(const JobShape& job, const Scheme& scheme, std::size_t bytes) {
  if (scheme.protocol == Protocol::ll) return kForecast.ll_efficiency;
  if (scheme.protocol == Protocol::ll128) return kForecast.ll128_efficiency;
  const auto rank = [](const EfficiencyRow& row) {
    return std::tuple(row.from_nodes, row.machine.has_value(), row.from_bytes);
  };
  const EfficiencyRow* best = nullptr;
  for (const auto& row : kEfficiencies) {
    if (row.algorithm != scheme.algorithm ||
        row.machine.value_or(machine_of(job)) != machine_of(job))
      continue;
    if (job.nnodes < row.from_nodes || bytes < row.from_bytes) continue;
    if (best == nullptr || rank(row) > rank(*best)) best = &row;
  }
  return best != nullptr ? best->efficiency : 1;
}

bool near(double a, double b, double factor) { return a <= b * factor && b <= a * factor; }

bool supports(const PublishedRow& row, const JobShape& job) {
  return row.machine == machine_of(job) && (row.nnodes == 1) == (job.nnodes == 1) &&
         near(row.nnodes, job.nnodes, kNearNodes) &&
         near(row.gpus, job.ranks_per_node(), kNearGpus) &&
         near(row.ring_gbps, ring_gbps(job), kNearGbps);
}

int sources_of(const JobShape& job, std::string_view collective) {
  std::set<std::string_view> publishers;
  for (const auto& row : kPublished)
    if (row.collective == collective && supports(row, job)) publishers.insert(row.by);
  return static_cast<int>(publishers.size());
}

bool any_is_published(Machine machine) {
  return std::ranges::find(kPublished, machine, &PublishedRow::machine) != std::end(kPublished);
}

const Band& band_of(BandKind kind, std::size_t bytes, int sources) {
  constexpr std::array<std::size_t, kSizeBands> kFrom{0, 1 << 20, 64 << 20, 1 << 30};
  const auto above = std::ranges::upper_bound(kFrom, bytes) - kFrom.begin();
  const auto count = std::min(static_cast<std::size_t>(sources), kSourceCounts - 1);
  return kForecast.bands[index_of(kind)].at(static_cast<std::size_t>(above - 1)).at(count);
}

bool has_own_channels(const JobShape& job) {
  const auto& counts = job.channels;
  return counts.coll_channels == counts.own_coll_channels &&
         counts.nvls_channels == counts.own_nvls_channels;
}

// As if no variable asked for other channels.
JobShape with_own_channels(JobShape job) {
  job.channels.coll_channels = job.channels.own_coll_channels;
  job.channels.nvls_channels = job.channels.own_nvls_channels;
  return job;
}

// What makes it a forecast: the band of its kind, by the sources for its collective.
struct Basis {
  BandKind kind = BandKind::one_node;
  std::string_view collective{};
  double slower = 1;  // by fewer channels than NCCL takes by itself
};

Forecast finished(Forecast found, const JobShape& job, std::size_t bytes, const Basis& basis) {
  constexpr double kMostUnsure = 2;
  found.sources = has_own_channels(job) ? sources_of(job, basis.collective) : 0;
  const auto& band = band_of(basis.kind, bytes, found.sources);
  const double unsure =
      any_is_published(machine_of(job)) ? std::clamp(basis.slower, 1.0, kMostUnsure) : kMostUnsure;
  found.low_gbps = found.busbw_gbps * band.low / unsure;
  found.high_gbps = found.busbw_gbps * band.high * unsure;
  return found;
}

// The tables of NCCL differ between versions, and machines do not. Of NVLSTree they count the
// NVLinks at the speed of the NICs: it goes as fast as NVLS on one node with such NVLinks, or as
// the NICs if these are slower; with two nodes each of them sends or receives only.
double algbw_gbps(const JobShape& job, const Scheme& scheme) {
  constexpr std::array<double, kGenerations> kNvlsGbps{0, 0, 476, 720};    // NCCL's, of 8 GPUs
  constexpr std::array<double, kGenerations> kNvlinkGbps{0, 0, 360, 720};  // of 18, at least
  if (scheme.algorithm == Algorithm::nvls_tree) {
    const auto& set = job.of(scheme.algorithm);
    const double nics = set.nchannels() * set.inter_gbps * (job.nnodes <= 2 ? 2 : 1);
    const auto generation = index_of(generation_of(job.min_sm));
    const double links = job.nvlink_gbps / kNvlinkGbps.at(generation);
    const double switches = kNvlsGbps.at(generation) * std::min(1.0, links);
    return std::min(switches, nics) / bus_factor(scheme.function, job.nranks);
  }
  auto newest = job;
  newest.version = kNewestModelled;
  const double now = algorithm_bandwidth_gbps(newest, constants_of(newest.version), scheme);
  return now > 0 ? now : algorithm_bandwidth_gbps(job, constants_of(job.version), scheme);
}

double nccl_latency_us(const JobShape& job, const Scheme& scheme) {
  return latency_us(job, constants_of(job.version), scheme);
}

}  // namespace

CallParts call_parts(const JobShape& job, const ChosenCall& call) {
  constexpr double kGpusOfANode = 8;
  const auto& scheme = call.scheme;
  auto quiet = job;
  for (auto* set : {&quiet.channels.ring, &quiet.channels.tree, &quiet.channels.nvls})
    set->inter_latency_us = 0;
  const double own_us = nccl_latency_us(quiet, scheme);
  const double levels = std::max(std::log2(job.nnodes), 1.0);
  const double gpus = is_nvls(scheme.algorithm) ? job.ranks_per_node() / kGpusOfANode : 1;
  return {.latency_us = own_us,
          .nic_us = nccl_latency_us(job, scheme) - own_us,
          .transfer_us = transfer_us(static_cast<double>(call.bytes), algbw_gbps(job, scheme)),
          .depth = gpus * (scheme.algorithm == Algorithm::ring ? 1 : levels),
          .ring_gbps = ring_gbps(job)};
}

double ring_gbps(const JobShape& job) {
  const auto& rings = job.of(Algorithm::ring);
  return rings.nchannels() * (job.nnodes == 1 ? rings.intra_gbps : rings.inter_gbps);
}

namespace {

// GB/s of bus bandwidth that one channel carries with Simple: half of what NCCL counts of a channel
// of its search, which it runs on two (channel_tree_gbps in constants.cc), and of Blackwell what a
// sendrecv of 64 MiB on 8 B200 shows, which runs on 4 of 32 (published.json: 84.6 GB/s).
constexpr std::array<double, kGenerations> kChannelGbps{13, 12, 21, 21};

double channel_gbps(const JobShape& job, const Scheme& scheme) {
  if (is_nvls(scheme.algorithm)) return 0;  // what it carries beside all others
  const double simple = kChannelGbps.at(index_of(generation_of(job.min_sm)));
  return simple * (scheme.protocol == Protocol::ll ? kForecast.sends.ll_channel_share : 1);
}

// What the channels need that variables leave, if each carries no more than a channel does, or than
// its part of what all of NCCL's own channels carry in `move_us`.
double few_channels_us(const JobShape& job, const ChosenCall& call, double move_us) {
  const auto& counts = job.channels;
  const bool nvls = is_nvls(call.scheme.algorithm);
  const int own = nvls ? counts.own_nvls_channels : counts.own_coll_channels;
  const int left = nvls ? counts.nvls_channels : counts.coll_channels;
  if (left >= own || left < 1) return 0;
  const double bus_bytes =
      static_cast<double>(call.bytes) * bus_factor(call.scheme.function, job.nranks);
  const double one_us = transfer_us(bus_bytes, channel_gbps(job, call.scheme));
  return std::min(one_us, move_us * own) / left;
}

double call_us(const JobShape& job, const ChosenCall& call, double move_us) {
  const auto parts = call_parts(job, call);
  const auto scale = scale_of(job);
  const bool simple = call.scheme.protocol == Protocol::simple;
  const double fill = simple ? kForecast.fill_us[index_of(call.scheme.algorithm)] : 0;
  return host_us(job) + kForecast.latency_share[scale] * parts.latency_us +
         kForecast.nic_share * parts.nic_us + move_us + filled(move_us, fill * parts.depth) +
         call.crossing_us;
}

}  // namespace

std::optional<Forecast> forecast(const JobShape& job, const ChosenCall& call) {
  if (job.of(call.scheme.algorithm).simple_order) return std::nullopt;
  const double efficiency = efficiency_of(job, call.scheme, call.bytes);
  const double link_us =
      transfer_us(static_cast<double>(call.bytes), algbw_gbps(job, call.scheme)) / efficiency;
  const double own_us = std::max(link_us, call.fabric_us);
  const double few_us = few_channels_us(job, call, link_us);
  Forecast found{.time_us = call_us(job, call, std::max(own_us, few_us))};
  found.busbw_gbps = gbps_of(static_cast<double>(call.bytes), found.time_us) *
                     bus_factor(call.scheme.function, job.nranks);
  return finished(found, job, call.bytes,
                  {.kind = job.nnodes == 1 ? BandKind::one_node : BandKind::several_nodes,
                   .collective = name_of(call.scheme.function),
                   .slower = found.time_us / call_us(job, call, own_us)});
}

namespace {

// The most channels of a message where there are other nodes: these count for all peers, those of
// the same node too. Of several NICs near a GPU one is counted. Since 2.29 there are as many as the
// NIC needs at what NCCL reckons that a channel carries (NCCL_P2P_PER_CHANNEL_NET_BW).
int most_channels_beside_other_nodes(const JobShape& job, int all) {
  constexpr NcclVersion kFewerOfManyRanks{2, 20, 0}, kByBandwidth{2, 29, 0};
  constexpr int kToRemotePeer = 2, kBatch = 8;
  int most = kToRemotePeer;
  if (job.version >= kByBandwidth) {
    const int by_nic =
        static_cast<int>(std::ceil(job.channels.nic_gbps / kForecast.sends.net_channel_gbps));
    most = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(most, by_nic))));
    while (most > 1 && most * ((job.nranks + kBatch - 1) / kBatch) > all) most /= 2;
  } else if (job.version >= kFewerOfManyRanks) {
    while (most > 1 && most * job.nranks > all * kBatch / 2) most /= 2;
  }
  return std::min(most, all);
}

}  // namespace

SendPlan send_plan(const JobShape& job, const P2pCost& step, std::size_t bytes) {
  constexpr double kLowLatencyBytes = 16384;                               // for each channel
  constexpr double kMostOnOneNode = 16 << 20, kMostOnSeveral = 128 << 10;  // of a channel
  const bool several = job.nnodes > 1;
  const auto& ring = job.of(Algorithm::ring);
  const int coll = std::max(job.channels.coll_channels, 1);
  const int own = std::max(job.channels.own_coll_channels, 1);
  const int all = static_cast<int>(std::bit_ceil(static_cast<unsigned>(coll)));
  const int most = several ? most_channels_beside_other_nodes(job, all) : all;
  const double row = static_cast<double>(bytes), message = row * step.message;
  int channels = most;
  while (channels * job.nranks > all && channels > 1) channels /= 2;
  const double part = several ? kMostOnSeveral : kMostOnOneNode;
  while (message / channels > part && channels < most) channels *= 2;
  return {.channels = std::min(all, channels * step.peers),
          .channel_gbps = ring.intra_gbps * ring.nchannels() / own,
          .protocol = message <= kLowLatencyBytes * most ? Protocol::ll : Protocol::simple,
          .peers = step.peers,
          .moved_bytes = row * step.moved,
          .crossing_bytes = row * step.crossing,
          .net_channels = channels * std::min(step.remote_peers, 2),
          .ring_gbps = ring_gbps(job),
          .most_ll_bytes = static_cast<std::size_t>(kLowLatencyBytes * most / step.message)};
}

namespace {

double plan_us(const SendPlan& plan, double link_us, std::size_t scale) {
  const auto& sends = kForecast.sends;
  const bool simple = plan.protocol == Protocol::simple;
  const double share = simple ? sends.channel_share : sends.ll_channel_share;
  const double channels_us =
      transfer_us(plan.moved_bytes, plan.channels * plan.channel_gbps * share);
  const bool crosses = simple && plan.net_channels > 0;
  const double crossing_us =
      crosses ? transfer_us(plan.crossing_bytes, plan.net_channels * sends.net_channel_gbps) : 0;
  const double move = std::max({channels_us, crossing_us, link_us / sends.efficiency[scale]});
  return sends.host_us[scale] + sends.peer_us[scale] * (plan.peers - 1) + move +
         filled(move, simple ? sends.fill_us[scale] : 0);
}

// NCCL stays with LL for so long that twice the bytes take less with Simple. As much as was seen of
// that is expected, and no more: on 8 B200 a sendrecv of 512 KiB took 1.26 times as long as one of
// 1 MiB (published.json).
double sends_us(const JobShape& job, const P2pCost& step, std::size_t bytes) {
  constexpr double kMostOverSimple = 1.26;
  const auto us = [&](const SendPlan& plan, std::size_t of_bytes) {
    return plan_us(plan, static_cast<double>(of_bytes) * step.us_per_byte, scale_of(job));
  };
  const auto plan = send_plan(job, step, bytes);
  if (plan.protocol != Protocol::ll) return us(plan, bytes);
  const auto longer = std::max(2 * bytes, plan.most_ll_bytes + 1);
  return std::min(us(plan, bytes), kMostOverSimple * us(send_plan(job, step, longer), longer));
}

double all_sends_us(const JobShape& job, const P2pCosts& costs, std::size_t bytes) {
  double sum_us = 0;
  for (const auto& step : costs.steps) sum_us += sends_us(job, step, bytes);
  return sum_us;
}

}  // namespace

std::optional<Forecast> forecast(const JobShape& job, const P2pCosts& costs, std::size_t bytes) {
  const auto bound = costs.at(bytes);
  const auto& ring = job.of(Algorithm::ring);
  if (!bound || ring.simple_order || ring.nchannels() == 0) return std::nullopt;
  Forecast found{.time_us = all_sends_us(job, costs, bytes)};
  found.busbw_gbps = bound->busbw_gbps * bound->time_us / found.time_us;
  return finished(found, job, bytes,
                  {.kind = job.nnodes == 1 ? BandKind::one_node : BandKind::sends_between_nodes,
                   .collective = costs.what->name,
                   .slower = found.time_us / all_sends_us(with_own_channels(job), costs, bytes)});
}

}  // namespace linerate::topo
