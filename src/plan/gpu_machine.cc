#include "plan/gpu_machine.h"

#include "base/text.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "topo/place/order_cost.h"
#include "topo/place/rank_binding.h"
#include "topo/place/subgraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

namespace linerate::plan {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
// Of CUDA's context, NCCL's buffers and fragmentation.
constexpr double kKeptBytes = 3 * kGib;
// Of memory bandwidth that passes over memory reach: BabelStream, triad, of A100 and H100 (Deakin
// et al., results of UoB-HPC/BabelStream).
constexpr double kMemoryShare = 0.88;
constexpr double kLaunchUs = 2;  // between kernels that are enqueued ahead
constexpr double kElementBytes = 2;
constexpr std::size_t kTileRows = 128, kTileColumns = 256;  // cuBLAS' largest on tensor cores

struct GpuRow {
  std::string_view model;  // is in the GPU's own name
  GpuRates rates{};
};

// Data sheets: dense BF16, memory. Products: of Hopper what is measured over the shapes of training
// with elements from a normal distribution, which is what the GPU's power allows (SemiAnalysis
// 2024, "MI300X vs H100 vs H200 Benchmark Part 1: Training": H100 and H200 some 720 of 989.5
// TFLOP/s); of others the best of all shapes (S. Bekman, Machine Learning Engineering, "Maximum
// Achievable Matmul FLOPS comparison table"). Attention: forward and backward of FlashAttention-2
// on A100 (Dao 2023, fig. 4: some 190 of 312 TFLOP/s) and FlashAttention-3 on H100 (Shah et al.
// 2024, fig. 5 and 6: some 550 of 989).
constexpr auto kGpus = std::to_array<GpuRow>({
    {"A100-SXM4-80GB", {312, 0.869, 0.60, 2039, 80 * kGib, 108}},
    {"A100-SXM4-40GB", {312, 0.869, 0.60, 1555, 40 * kGib, 108}},
    {"H100 80GB HBM3", {989, 0.728, 0.55, 3350, 80 * kGib, 132}},
    {"H100 NVL", {835, 0.728, 0.55, 3900, 94 * kGib, 132}},
    {"H100 PCIe", {756, 0.728, 0.55, 2000, 80 * kGib, 114}},
    {"H800", {989, 0.728, 0.55, 3350, 80 * kGib, 132}},
    {"H20", {148, 0.728, 0.55, 4000, 96 * kGib, 78}},
    {"H200", {989, 0.728, 0.55, 4800, 141e9, 132}},
    {"GH200 96GB", {989, 0.838, 0.55, 4000, 96 * kGib, 132}},
    {"GB200", {2500, 0.729, 0.50, 8000, 186e9, 148}},
    {"GB300", {2500, 0.729, 0.50, 8000, 288e9, 148}},
    {"B200", {2250, 0.776, 0.50, 8000, 180e9, 148}},
    {"B300", {2250, 0.786, 0.50, 8000, 288e9, 148}},
    {"L40S", {362, 0.80, 0.50, 864, 48 * kGib, 142}},
});

double ceil_of(std::size_t number, std::size_t by) {
  const auto whole = (number + by - 1) / by;
  return static_cast<double>(whole);
}

// Of the processors' time in a product, what its tiles fill. Small results are cut along k too.
double wave_share(const Kernel& kernel, int processors) {
  const double whole =
      static_cast<double>(kernel.m) / kTileRows * static_cast<double>(kernel.n) / kTileColumns;
  const double tiles = ceil_of(kernel.m, kTileRows) * ceil_of(kernel.n, kTileColumns);
  const double waves = tiles / processors;
  if (waves < 1) return whole / tiles;  // split along k
  return whole / (std::ceil(waves) * processors);
}

bool is_product(KernelKind kind) { return kind <= KernelKind::product_weight; }

// A group of the mesh as its GPUs stand on nodes.
struct Footing {
  std::vector<std::vector<int>> groups{};  // GPUs (bindings) of each group on a node
  int nnodes = 1;                          // of a group
};

// The group's ranks that are neighbours on a node or beyond, as one distance.
int distance_of(CallGroup group) { return group.run > 0 ? group.jump : group.stride; }

// The first rank of the group that the rank is in.
int first_of(CallGroup group, int rank) {
  const int run = group.run > 0 ? group.run : group.size;
  const int first = rank - rank / group.stride % run * group.stride;
  if (group.run == 0) return first;
  return first - rank / group.jump % (group.size / run) * group.jump;
}

class GpuLinks final : public LinkModel {
 public:
  GpuLinks(const topo::Cluster& cluster, const topo::NcclVersion& version, int nranks)
      : graph_(topo::build_graph(*cluster.groups.front().system, version)),
        paths_(graph_),
        loads_(graph_),
        gpus_(gpus_of(graph_)),
        per_node_(std::min(nranks, static_cast<int>(gpus_.size()))),
        fabric_(cluster.fabric),
        node_gbps_(sum_of(topo::gbps_by_rail(graph_, cluster.fabric.rails))) {}

  double us(CallKind call, CallGroup group, double bytes) const override;

 private:
  static std::vector<int> gpus_of(const topo::Graph& graph) {
    const auto gpus = graph.of(topo::NodeKind::gpu);
    return {gpus.begin(), gpus.end()};
  }
  static double sum_of(const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  }
  Footing footing(CallGroup group) const;
  double call_us(topo::Function function, const Footing& footing, double bytes) const;
  double message_us(CallGroup group, double bytes) const;
  double fabric_us(const Footing& footing, CallGroup group, double wire_bytes) const;

  const topo::Graph graph_;
  const topo::Paths paths_;
  mutable topo::GroupLoads loads_;  // keeps what it has searched
  mutable std::map<std::tuple<CallKind, CallGroup, double>, double> known_;
  const std::vector<int> gpus_;
  const int per_node_;
  const topo::Fabric fabric_;
  const double node_gbps_;
};

Footing GpuLinks::footing(CallGroup group) const {
  std::map<int, std::vector<int>> members;  // by the first of the group
  for (int rank = 0; rank < per_node_; ++rank)
    members[first_of(group, rank)].push_back(gpus_[static_cast<std::size_t>(rank)]);
  Footing footing;
  for (auto& [first, gpus] : members) {
    footing.nnodes = std::max(footing.nnodes, group.size / static_cast<int>(gpus.size()));
    footing.groups.push_back(std::move(gpus));
  }
  return footing;
}

// Racks that a group is spread over share what each uplink passes. A group whose ranks in a rack
// follow each other crosses once.
double GpuLinks::fabric_us(const Footing& footing, CallGroup group, double wire_bytes) const {
  if (fabric_.nodes_per_rack <= 0 || footing.nnodes == 1) return 0;
  const int apart = std::max(1, distance_of(group) / per_node_);  // nodes
  if (footing.nnodes * apart <= fabric_.nodes_per_rack) return 0;
  const double in_rack = std::max(1.0, static_cast<double>(fabric_.nodes_per_rack) / apart);
  const double crossing = static_cast<double>(footing.groups.size()) *
                          static_cast<double>(fabric_.nodes_per_rack) / in_rack;
  const double uplink_gbps = node_gbps_ * fabric_.nodes_per_rack /
                             (fabric_.rack.oversubscription * fabric_.spine.oversubscription);
  return crossing * wire_bytes / uplink_gbps / 1e3 + 2 * fabric_.rack.latency_us +
         fabric_.spine.latency_us;
}

double GpuLinks::call_us(topo::Function function, const Footing& footing, double bytes) const {
  const auto whole = std::max<std::size_t>(1, static_cast<std::size_t>(bytes));
  std::vector<topo::Load> loads;
  for (const auto& members : footing.groups)
    loads.push_back(loads_.forecast_of(function, members, footing.nnodes, whole));
  std::vector<const topo::Load*> at_once;
  for (const auto& load : loads) at_once.push_back(&load);
  return topo::slowest_us(at_once);
}

// Neighbours of all groups send at once: within a node, or to the next one.
double GpuLinks::message_us(CallGroup group, double bytes) const {
  const auto whole = std::max<std::size_t>(1, static_cast<std::size_t>(bytes));
  const bool crosses = group.size * group.stride > per_node_;
  std::vector<topo::Load> loads;
  for (int at = 0; at < per_node_; ++at) {
    const int from = gpus_[static_cast<std::size_t>(at)], to = at + group.stride;
    if (to >= per_node_ && crosses)
      loads.push_back(message_load(graph_, paths_, {from, -1}, whole));
    else if (to < per_node_ && at / group.stride % group.size + 1 < group.size)
      loads.push_back(
          message_load(graph_, paths_, {from, gpus_[static_cast<std::size_t>(to)]}, whole));
  }
  std::vector<const topo::Load*> at_once;
  for (const auto& load : loads) at_once.push_back(&load);
  const double fabric = crosses ? fabric_us(footing(group), group, bytes) : 0;
  return std::max(topo::slowest_us(at_once), fabric);
}

// An exchange of all with all sends as many bytes of each rank as an all_gather of as many.
double GpuLinks::us(CallKind call, CallGroup group, double bytes) const {
  if (group.size < 2 || bytes <= 0) return 0;
  const auto [found, fresh] = known_.try_emplace({call, group, bytes});
  if (!fresh) return found->second;
  if (call == CallKind::message) return found->second = message_us(group, bytes);
  const auto function = call == CallKind::all_reduce       ? topo::Function::all_reduce
                        : call == CallKind::reduce_scatter ? topo::Function::reduce_scatter
                                                           : topo::Function::all_gather;
  const auto on_nodes = footing(group);
  const double passes = call == CallKind::all_reduce ? 2 : 1;
  const double wire_bytes = passes * bytes * (group.size - 1) / group.size;
  return found->second =
             std::max(call_us(function, on_nodes, bytes), fabric_us(on_nodes, group, wire_bytes));
}

}  // namespace

double GpuKernels::pass_us(double bytes) const {
  return bytes / (rates_.memory_gbps * kMemoryShare) / 1e3;
}

// Each product reads or writes the scores once. Softmax reads and writes them, its backward reads
// two and writes one; dropout and its backward read and write them, and a byte of its mask.
double GpuKernels::unfused_us(const Kernel& attention) const {
  const bool forward = attention.kind == KernelKind::attention;
  const double scores = static_cast<double>(attention.m) * static_cast<double>(attention.m) *
                        static_cast<double>(attention.n);
  const double flops = 2 * scores * static_cast<double>(attention.k);
  const double product_us = std::max(flops / (rates_.peak_tflops * rates_.product_share) / 1e6,
                                     pass_us(scores * kElementBytes));
  const double products = forward ? 2 : 4, passes = (forward ? 2 : 3) + 2.5;
  return products * product_us + pass_us(passes * scores * kElementBytes) +
         (products + 2) * kLaunchUs;
}

double GpuKernels::us(const Kernel& kernel) const {
  const bool attends =
      kernel.kind == KernelKind::attention || kernel.kind == KernelKind::attention_backward;
  if (attends && !fuses_attention_) return unfused_us(kernel);
  double compute_us = 0;
  if (is_product(kernel.kind))
    compute_us =
        flops_of(kernel) /
        (rates_.peak_tflops * rates_.product_share * wave_share(kernel, rates_.processors)) / 1e6;
  else if (flops_of(kernel) > 0)
    compute_us = flops_of(kernel) / (rates_.peak_tflops * rates_.attention_share) / 1e6;
  return std::max(pass_us(elements_of(kernel) * kElementBytes), compute_us) + kLaunchUs;
}

Result<GpuRates> rates_of_gpu(std::string_view model) {
  const auto is_it = [&](const GpuRow& row) {
    return model.find(row.model) != std::string_view::npos;
  };
  const auto found = std::ranges::find_if(kGpus, is_it);
  if (found != kGpus.end()) return found->rates;
  std::string known;
  for (const auto& row : kGpus) known += fmt::format("{}{}", known.empty() ? "" : ", ", row.model);
  return Failure{fmt::format("How fast a GPU of the model '{}' computes is not known; choices: {}.",
                             plain_text(model), known)};
}

Result<Machine> gpu_machine(const topo::Cluster& cluster, const topo::NcclVersion& version,
                            const GpuJob& job) {
  if (cluster.groups.empty()) return Failure{"The cluster has no nodes."};
  const auto graph = topo::build_graph(*cluster.groups.front().system, version);
  const auto gpus = graph.of(topo::NodeKind::gpu);
  if (gpus.empty())
    return Failure{"The nodes have no GPU: give --platform or --cluster of nodes that have some."};
  const auto rates = rates_of_gpu(graph.node(gpus.front()).gpu->model);
  if (!rates) return rates.failure();
  const int nranks = job.nranks, per_node = static_cast<int>(gpus.size());
  const int nnodes = (nranks - 1) / per_node + 1;
  if (nranks > per_node && nranks % per_node != 0)
    return Failure{
        fmt::format("{} ranks do not fill nodes of {} GPUs: give a multiple of {}, or {} at most.",
                    nranks, per_node, per_node, per_node)};
  if (nnodes > cluster.identical_to_first())
    return Failure{
        fmt::format("{} ranks need {} nodes of {} GPUs that are alike, and the cluster has {}.",
                    nranks, nnodes, per_node, cluster.identical_to_first())};
  if (nnodes > 1 && graph.of(topo::NodeKind::net).empty())
    return Failure{fmt::format("{} ranks need {} nodes, and these have no NIC.", nranks, nnodes)};
  return Machine{
      .name = fmt::format("{}{}", nnodes > 1 ? fmt::format("{} x ", nnodes) : "",
                          cluster.name.empty() ? cluster.groups.front().topology : cluster.name),
      .nranks = nranks,
      .node_ranks = per_node,
      .type = DataType::bfloat16,
      .compute = std::make_shared<GpuKernels>(*rates, job.fuses_attention),
      .links = std::make_shared<GpuLinks>(cluster, version, nranks),
      .memory_bytes = job.memory_bytes > 0 ? job.memory_bytes : rates->memory_bytes - kKeptBytes,
      .peak_flops = rates->peak_tflops * 1e12};
}

}  // namespace linerate::plan
