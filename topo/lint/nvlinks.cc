// GPUs with fewer NVLinks than others of their model.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace linerate::topo::rules {
namespace {

std::vector<GpuAt> like(const GpuAt& one, const std::vector<GpuAt>& gpus) {
  std::vector<GpuAt> found;
  std::ranges::copy_if(gpus, std::back_inserter(found), [&](const GpuAt& other) {
    return other.device->device == one.device->device &&
           other.device->gpu->sm == one.device->gpu->sm;
  });
  return found;
}

// Those behind NVSwitches have all their links in use; between GPUs a board may leave some free.
int links_expected(const std::vector<GpuAt>& peers) {
  int most = 0;
  for (const auto& peer : peers) {
    most = std::max(most, active_nvlinks(*peer.device->gpu));
    for (const auto& link : peer.device->gpu->nvlinks)
      if (link.tclass >> 8 == kNvSwitchClass >> 8)
        most = std::max(most, static_cast<int>(link.capacity));
  }
  return most;
}

std::string nvlink_advice(const Gpu& gpu) {
  const auto which = gpu.dev < 0 ? std::string() : fmt::format(" -i {}", gpu.dev);
  return fmt::format(
      "See nvidia-smi nvlink --status{} and the log of the fabric manager; reset the GPU, or take "
      "the node out of service.",
      which);
}

}  // namespace

std::vector<Finding> no_nvlink(const System& system) {
  std::vector<Finding> findings;
  const auto gpus = gpus_of(system);
  for (const auto& one : gpus) {
    const auto peers = like(one, gpus);
    const auto linked = std::ranges::count_if(
        peers, [](const GpuAt& peer) { return active_nvlinks(*peer.device->gpu) > 0; });
    if (active_nvlinks(*one.device->gpu) > 0 || linked == 0) continue;
    findings.push_back({.subject = name_of(*one.device),
                        .evidence = fmt::format("It has no active NVLink; {} of the {} GPUs of its "
                                                "model have. NCCL goes over PCI for all of them.",
                                                linked, peers.size()),
                        .advice = nvlink_advice(*one.device->gpu)});
  }
  return findings;
}

std::vector<Finding> fewer_nvlinks(const System& system) {
  std::vector<Finding> findings;
  const auto gpus = gpus_of(system);
  for (const auto& one : gpus) {
    const auto& gpu = *one.device->gpu;
    const int links = active_nvlinks(gpu), expected = links_expected(like(one, gpus));
    if (links == 0 || links >= expected) continue;
    const double gbps = nvlink_gbps(gpu, kNewestModelled);
    findings.push_back({.subject = name_of(*one.device),
                        .evidence = fmt::format(
                            "{} of its {} NVLinks are active: {:.4g} of {:.4g} GB/s, and a ring is "
                            "as fast as its slowest GPU.",
                            links, expected, links * gbps, expected * gbps),
                        .advice = nvlink_advice(gpu)});
  }
  return findings;
}

}  // namespace linerate::topo::rules
