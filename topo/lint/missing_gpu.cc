// Boards that show fewer GPUs than they are built with.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace linerate::topo::rules {
namespace {

// Whether the GPU is a module on a board of several: cards come in any number. Boards of Volta
// have had six as well.
bool is_on_board(const GpuAt& gpu) {
  constexpr int kLinksOfVolta = 6;
  const auto& device = *gpu.device;
  const bool behind_switch = std::ranges::any_of(
      device.gpu->nvlinks, [](const NvLink& link) { return link.tclass == kNvSwitchClass; });
  return behind_switch || gpu_model_of(device.vendor, device.device).links > kLinksOfVolta;
}

// How many GPUs boards have, and virtual machines with parts of them.
bool is_whole(std::size_t gpus) {
  constexpr std::array<std::size_t, 5> kWhole{1, 2, 4, 8, 16};
  return gpus > kWhole.back() || std::ranges::count(kWhole, gpus) > 0;
}

// A NIC below a switch that has no GPU, where those of its like have one; null: there is none.
const PortAt* lonely_nic(const std::vector<PortAt>& ports, const std::vector<GpuAt>& gpus) {
  const PortAt* lonely = nullptr;
  for (const auto& port : ports) {
    if (is_beside_gpu(port, gpus)) continue;
    const auto paired = std::ranges::count_if(ports, [&](const PortAt& other) {
      return are_alike(port, other) && other.net->speed_mbps == port.net->speed_mbps &&
             is_beside_gpu(other, gpus);
    });
    if (paired > 1 && lonely != nullptr) return nullptr;
    if (paired > 1) lonely = &port;
  }
  return lonely;
}

Finding finding_of(const System& system, const std::vector<GpuAt>& gpus) {
  const auto ports = ports_of(system);
  const auto* const lonely = lonely_nic(ports, gpus);
  const auto where =
      lonely == nullptr
          ? std::string()
          : fmt::format(" {} stands below a switch without one; others of its kind do not.",
                        name_of(*lonely->device));
  const bool amd = is_amd_gpu(*gpus.front().device);
  return {.subject = "a GPU",
          .evidence = fmt::format("There are {} GPUs, and boards of this kind have 4, 8 or 16.{}",
                                  gpus.size(), where),
          .advice = fmt::format(
              "If the job that wrote the file used no more, all is well. Else see {} and the "
              "kernel's log for a GPU that has fallen off the bus{}; restart the node.",
              amd ? "amd-smi list" : "nvidia-smi", amd ? "" : " (Xid 79)")};
}

}  // namespace

std::vector<Finding> missing_gpu(const System& system) {
  std::map<std::uint64_t, std::vector<GpuAt>> hosts;
  for (const auto& gpu : gpus_of(system)) hosts[gpu.cpu->host_hash].push_back(gpu);
  std::vector<Finding> findings;
  for (const auto& [hash, gpus] : hosts)
    if (std::ranges::all_of(gpus, is_on_board) && !is_whole(gpus.size()))
      findings.push_back(finding_of(system, gpus));
  return findings;
}

}  // namespace linerate::topo::rules
