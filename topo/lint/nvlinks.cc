// GPUs with fewer NVLinks or xGMI links than their model has, or than others of it.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace linerate::topo::rules {
namespace {

std::vector<GpuAt> like(const GpuAt& one, const std::vector<GpuAt>& gpus) {
  std::vector<GpuAt> found;
  std::ranges::copy_if(gpus, std::back_inserter(found),
                       [&](const GpuAt& other) { return are_alike(one, other); });
  return found;
}

int model_links(const GpuAt& gpu) {
  return gpu_model_of(gpu.device->vendor, gpu.device->device).links;
}

bool is_behind_switches(const Gpu& gpu) {
  return std::ranges::any_of(
      gpu.nvlinks, [](const NvLink& link) { return link.tclass >> 8 == kNvSwitchClass >> 8; });
}

// AMD's boards of eight join each GPU to all others; older ones and MI250 leave some pairs out.
int links_of_mesh(const GpuAt& one, const std::vector<GpuAt>& gpus) {
  const auto on_host = std::ranges::count_if(
      gpus, [&](const GpuAt& other) { return other.cpu->host_hash == one.cpu->host_hash; });
  return std::min(model_links(one), static_cast<int>(on_host) - 1);
}

// Those behind NVSwitches have all their links in use; between GPUs a board may leave some free.
int links_expected(const GpuAt& one, const std::vector<GpuAt>& gpus) {
  if (is_amd_gpu(*one.device)) return links_of_mesh(one, gpus);
  int most = 0;
  for (const auto& peer : like(one, gpus)) {
    most = std::max(most, active_nvlinks(*peer.device->gpu));
    for (const auto& link : peer.device->gpu->nvlinks)
      if (is_behind_switches(*peer.device->gpu))
        most = std::max({most, static_cast<int>(link.capacity), model_links(peer)});
  }
  return most;
}

std::string advice_for(const PciDevice& device) {
  if (is_amd_gpu(device))
    return "See rocm-smi --showtopo and --shownodesbw, and the kernel's log; reset the GPU with "
           "amd-smi, or restart the node.";
  const int dev = device.gpu->dev;
  return fmt::format(
      "See nvidia-smi nvlink --status{} and the log of the fabric manager; reset the GPU, or take "
      "the node out of service.",
      dev < 0 ? std::string() : fmt::format(" -i {}", dev));
}

// Whether somebody looked for NVLinks: the library when it wrote the file, or the driver.
bool links_are_known(const System& system) {
  return !system.driver.empty() || (system.has_nccl_ports && has_ranks(system));
}

Finding none_of_all(const System& system, const std::vector<GpuAt>& gpus) {
  const auto& first = *gpus.front().device;
  return {.subject = one_of(gpus.size(), first),
          .evidence = fmt::format(
              "None of the {} GPUs has an active {}; their model has {}. {} goes "
              "over PCI.",
              gpus.size(), nvlink_word(*first.gpu), model_links(gpus.front()), library_of(system)),
          .advice = advice_for(first)};
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
                        .evidence = fmt::format("It has no active {}; {} of the {} GPUs of its "
                                                "model have. {} goes over PCI for all of them.",
                                                nvlink_word(*one.device->gpu), linked, peers.size(),
                                                library_of(system)),
                        .advice = advice_for(*one.device)});
  }
  const bool all_without = gpus.size() > 1 && std::ranges::all_of(gpus, [](const GpuAt& gpu) {
                             return model_links(gpu) > 0 && active_nvlinks(*gpu.device->gpu) == 0;
                           });
  if (all_without && links_are_known(system)) findings.push_back(none_of_all(system, gpus));
  return findings;
}

namespace {

struct Lacking {
  const GpuAt* gpu = nullptr;
  int links = 0, expected = 0;
};

std::string lost_text(const Lacking& lacking) {
  const auto& gpu = *lacking.gpu->device->gpu;
  const double gbps = nvlink_gbps(gpu, kNewestModelled);
  return fmt::format("{:.4g} of {:.4g} GB/s", lacking.links * gbps, lacking.expected * gbps);
}

// A chip that all of them have lost.
Finding finding_of_all(const std::vector<Lacking>& all) {
  const auto& first = all.front();
  const auto& device = *first.gpu->device;
  return {.subject = one_of(all.size(), device),
          .evidence = fmt::format(
              "Each of the {} GPUs has {} of its {} {}s active, {}: {}.", all.size(), first.links,
              first.expected, nvlink_word(*device.gpu), lost_text(first),
              is_behind_switches(*device.gpu) ? "an NVSwitch is missing, or its links are down"
                                              : "the board has lost links"),
          .advice = advice_for(device)};
}

Finding finding_of(const Lacking& lacking) {
  const auto& device = *lacking.gpu->device;
  return {.subject = name_of(device),
          .evidence = fmt::format("{} of its {} {}s are active: {}, and a ring is as fast as its "
                                  "slowest GPU.",
                                  lacking.links, lacking.expected, nvlink_word(*device.gpu),
                                  lost_text(lacking)),
          .advice = advice_for(device)};
}

}  // namespace

std::vector<Finding> fewer_nvlinks(const System& system) {
  const auto gpus = gpus_of(system);
  std::vector<Lacking> lacking;
  for (const auto& one : gpus) {
    const int links = active_nvlinks(*one.device->gpu), expected = links_expected(one, gpus);
    if (links > 0 && links < expected) lacking.push_back({&one, links, expected});
  }
  const bool alike = std::ranges::all_of(lacking, [&](const Lacking& other) {
    return other.links == lacking[0].links && other.expected == lacking[0].expected;
  });
  if (lacking.size() > 1 && lacking.size() == gpus.size() && alike)
    return {finding_of_all(lacking)};
  std::vector<Finding> findings;
  for (const auto& one : lacking) findings.push_back(finding_of(one));
  return findings;
}

}  // namespace linerate::topo::rules
