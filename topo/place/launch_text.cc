// Syntax: mpirun(1) of Open MPI 4.1 and 5.0, srun(1) of Slurm.
#include "topo/place/plan_text.h"
#include "topo/show/device_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::string_view kNoCores = "The source does not tell the cores of this machine";

bool has_cores(const Plan& plan) {
  return std::ranges::none_of(plan.bindings.all,
                              [](const RankBinding& binding) { return binding.cores.empty(); });
}

// "0-3,8"
std::string slots_of(const RankBinding& binding, bool knows_cores) {
  if (!knows_cores) return cores_text(mask_text(threads_of(binding.cores)));
  ThreadSet cores;
  for (const auto& core : binding.cores) cores.insert(core.logical);
  return cores_text(mask_text(cores));
}

// Open MPI counts hosts by +n only inside an allocation of a batch system.
std::string host_name(const Plan& plan, int host) {
  if (!plan.hosts.empty()) return plan.hosts[static_cast<std::size_t>(host)];
  return plan.nhosts() == 1 ? "localhost" : fmt::format("+n{}", host);
}

std::string mask_of(const RankBinding& binding) {
  const auto words = mask_text(threads_of(binding.cores));
  std::string digits;
  std::ranges::copy_if(words, std::back_inserter(digits), [](char c) { return c != ','; });
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return "0x" + digits;
}

// What every host of the job has, by `get`; a refusal where they differ.
template <typename Get>
Result<std::vector<std::string>> same_on_hosts(const Plan& plan, const Get& get) {
  std::vector<std::vector<std::string>> hosts(static_cast<std::size_t>(plan.hosts_per_node));
  for (const auto& binding : plan.bindings.all)
    hosts[static_cast<std::size_t>(binding.host)].push_back(get(binding));
  if (std::ranges::adjacent_find(hosts, std::not_equal_to()) != hosts.end())
    return Failure{"The hosts of this rack do not have the same ranks: use --format rankfile."};
  return hosts.front();
}

// Whether ranks stand in the order in which mpirun fills memory nodes: hwloc's, which its numbers
// of cores follow. Where those are not known, Linux' numbers of nodes and threads must agree on it.
bool follows_memory_nodes(const Plan& plan) {
  const auto rises = [&](auto number_of) {
    return std::ranges::is_sorted(plan.bindings.all, {}, [&](const RankBinding& binding) {
      return std::pair(binding.host, number_of(binding));
    });
  };
  if (plan.bindings.knows_cores)
    return rises([](const RankBinding& binding) { return binding.cores.front().logical; });
  return rises([](const RankBinding& binding) { return binding.numas.front(); }) &&
         rises([](const RankBinding& binding) { return *binding.cores.front().threads.begin(); });
}

}  // namespace

Result<std::string> rankfile_text(const Plan& plan) {
  if (!has_cores(plan)) return Failure{fmt::format("{}: a rankfile cannot name them.", kNoCores)};
  const bool known = plan.bindings.knows_cores;
  std::string text =
      known ? "# Slots are cores. Open MPI 4: mpirun --rankfile FILE; 5: mpirun --map-by "
              "rankfile:file=FILE\n"
            : "# Slots are hardware threads, as cores are not known. Open MPI 4: mpirun --mca "
              "rmaps_rank_file_physical 1 --rankfile FILE\n";
  if (plan.nhosts() > 1 && plan.hosts.empty())
    text += "# +n0 is the first host of an allocation, of Slurm for instance\n";
  for (int rank = 0; rank < plan.nranks(); ++rank)
    text += fmt::format("rank {}={} slot={}\n", rank, host_name(plan, plan.host_of(rank)),
                        slots_of(plan.binding_of(rank), known));
  return text;
}

Result<std::string> mpirun_text(const Plan& plan) {
  if (!has_cores(plan)) return Failure{fmt::format("{}: mpirun cannot count them.", kNoCores)};
  const auto refused = [](std::string_view why) {
    return Failure{fmt::format("{}, which --map-by cannot say: use --format rankfile.", why)};
  };
  std::map<std::pair<int, int>, int> ranks;  // of each memory node
  const auto cores = plan.bindings.all.front().cores.size();
  for (const auto& binding : plan.bindings.all) {
    if (binding.numas.size() != 1) return refused("A rank has the cores of several memory nodes");
    if (binding.cores.size() != cores) return refused("Ranks have different numbers of cores");
    ++ranks[{binding.host, binding.numas.front()}];
  }
  const int each = ranks.begin()->second;
  const bool even = std::ranges::all_of(ranks, [&](const auto& of) { return of.second == each; });
  if (!even || std::ssize(ranks) != plan.bindings.numa_nodes)
    return refused("Memory nodes have different numbers of ranks");
  if (!follows_memory_nodes(plan)) return refused("Ranks are not in the order of memory nodes");
  const bool known = plan.bindings.knows_cores;
  return fmt::format("-np {} {}--map-by ppr:{}:numa:PE={} --bind-to {}\n", plan.nranks(),
                     known ? "" : "--use-hwthread-cpus ", each, cores, known ? "core" : "hwthread");
}

Result<std::string> srun_text(const Plan& plan) {
  if (!has_cores(plan)) return Failure{fmt::format("{}: srun cannot bind to them.", kNoCores)};
  const auto masks = same_on_hosts(plan, mask_of);
  if (!masks) return masks.failure();
  return fmt::format(
      "--nodes={} --ntasks={} --ntasks-per-node={} --exclusive --distribution=block "
      "--cpu-bind=mask_cpu:{}\n",
      plan.nhosts(), plan.nranks(), masks->size(), fmt::join(*masks, ","));
}

Result<std::string> environment_text(const Plan& plan) {
  if (plan.bindings.all.front().dev < 0)
    return Failure{"There are no GPUs, so that CUDA_VISIBLE_DEVICES has nothing to order."};
  const auto devs = same_on_hosts(
      plan, [](const RankBinding& binding) { return fmt::format("{}", binding.dev); });
  if (!devs) return devs.failure();
  return fmt::format("CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES={}\n",
                     fmt::join(*devs, ","));
}

}  // namespace linerate::topo
