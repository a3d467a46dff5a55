// A platform takes the places of a file's devices, and then completes it as a machine would.
#include "base/text.h"
#include "topo/detect/nccl_merge.h"
#include "topo/read/nccl_xml_schema.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

// GPUs, or NICs, by the numbers that the library gives them; before those without in the order of
// the bus.
std::vector<PciDevice*> numbered(System& system, bool gpus) {
  std::vector<PciDevice*> found;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (gpus ? device.gpu.has_value() : !device.nets.empty()) found.push_back(&device);
  });
  const auto number = [&](const PciDevice* device) {
    return gpus ? device->gpu->dev : device->nets.front().dev;
  };
  std::ranges::stable_sort(found, {}, [&](const PciDevice* device) {
    return std::pair(number(device), device->bus_id);
  });
  return found;
}

Failure different_counts(const System& file, std::size_t own, const System& platform,
                         std::size_t others, std::string_view what) {
  return Failure{fmt::format("{} has {}, and {} has {}: they are not one machine.", file.source,
                             counted(own, what), platform.name, counted(others, what))};
}

// A host's own file tells nothing of the others.
Failure several_hosts(const System& platform) {
  return Failure{fmt::format(
      "{} is of several hosts, and a file is of one: give a part of one host.", platform.name)};
}

// Names the platform's devices by the file's bus ids, also where NVLinks lead to them.
void move_to(const std::vector<PciDevice*>& from, const std::vector<PciDevice*>& to,
             System& platform) {
  constexpr std::uint32_t kApart = 0xfffd;  // a domain in which no file has devices
  walk_devices(platform, [](Cpu&, PciDevice& device, int) {
    if (!device.gpu && device.nets.empty()) device.bus_id.domain = kApart;
  });
  std::map<std::string, std::string> moved;
  for (std::size_t n = 0; n < from.size(); ++n) {
    moved[text_of(from[n]->bus_id)] = text_of(to[n]->bus_id);
    from[n]->bus_id = to[n]->bus_id;
  }
  walk_devices(platform, [&](Cpu&, PciDevice& device, int) {
    if (!device.gpu) return;
    for (auto& link : device.gpu->nvlinks)
      if (const auto known = moved.find(link.target); known != moved.end())
        link.target = known->second;
  });
}

}  // namespace

Result<System> completed_as_platform(System file, System platform) {
  if (std::ranges::any_of(platform.cpus, [](const Cpu& cpu) { return cpu.host_hash != 0; }))
    return several_hosts(platform);
  const auto gpus = numbered(file, true), nics = numbered(file, false);
  const auto own_gpus = numbered(platform, true), own_nics = numbered(platform, false);
  if (gpus.size() != own_gpus.size())
    return different_counts(file, gpus.size(), platform, own_gpus.size(), "GPU");
  if (nics.size() != own_nics.size())
    return different_counts(file, nics.size(), platform, own_nics.size(), "NIC");
  move_to(own_gpus, gpus, platform);
  move_to(own_nics, nics, platform);
  auto whole = completed_as_nccl(std::move(file), platform);
  std::erase_if(whole.unseen, [](const std::string& sentence) {
    return sentence.find(kByClassOnly) != std::string::npos;
  });
  whole.source = fmt::format("{}, completed by {}", whole.source, platform.source);
  return whole;
}

}  // namespace linerate::topo
