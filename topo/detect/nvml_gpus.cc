// See nvml_gpus.h.
#include "topo/detect/nvml_gpus.h"

#include "topo/detect/nvml_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace linerate::topo {
namespace {

using nvml::kSuccess;
using nvml::Library;

// Up to its first zero byte: no library is trusted to end it.
template <std::size_t N>
std::string bounded(const std::array<char, N>& text) {
  return {text.begin(), std::ranges::find(text, '\0')};
}

// 0 where the function is lacking or refuses.
unsigned told(nvml::Status (*ask)(nvml::Device, unsigned*), nvml::Device device) {
  unsigned value = 0;
  return ask != nullptr && ask(device, &value) == kSuccess ? value : 0;
}

PciLink pcie_link(unsigned generation, unsigned width) {
  // The words of sysfs, which NCCL's table knows.
  constexpr std::array<std::string_view, 7> kSpeeds{"",
                                                    "2.5 GT/s PCIe",
                                                    "5.0 GT/s PCIe",
                                                    "8.0 GT/s PCIe",
                                                    "16.0 GT/s PCIe",
                                                    "32.0 GT/s PCIe",
                                                    "64.0 GT/s PCIe"};
  constexpr unsigned kMaxLanes = 32;
  PciLink link;
  if (generation < kSpeeds.size()) link.speed = kSpeeds.at(generation);
  if (width <= kMaxLanes) link.width = static_cast<int>(width);
  return link;
}

NvmlGpu describe_gpu(const Library& library, nvml::Device device, const BusId& bus_id) {
  const auto& call = library.call();
  NvmlGpu found{.bus_id = bus_id};
  std::array<char, 96> name{};  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
  if (call.name(device, name.data(), name.size()) == kSuccess) found.gpu.model = bounded(name);
  int major = 0, minor = 0;
  if (call.compute_capability(device, &major, &minor) == kSuccess)
    found.gpu.sm = major * 10 + minor;
  found.gpu.nvlinks = nvlinks_of(library, device, found.gpu.sm);
  found.gpu.c2c = c2c_of(library, device, found.gpu.sm);
  found.link = pcie_link(told(call.pcie_generation, device), told(call.pcie_width, device));
  found.max_link =
      pcie_link(told(call.max_pcie_generation, device), told(call.max_pcie_width, device));
  return found;
}

// The GPU of that number, or why there is none.
Result<NvmlGpu> gpu_at(const Library& library, unsigned index) {
  nvml::Device device = nullptr;
  nvml::PciInfo place{};
  auto status = library.call().device_by_index(index, &device);
  if (status == kSuccess) status = library.call().pci_info(device, &place);
  if (status != kSuccess)
    return Failure{fmt::format("NVML does not tell GPU {}: {}.", index, library.text_of(status))};
  auto found = describe_gpu(library, device,
                            {.domain = place.domain,
                             .bus = static_cast<std::uint8_t>(place.bus),
                             .device = static_cast<std::uint8_t>(place.device)});
  found.gpu.dev = static_cast<int>(index);
  return found;
}

}  // namespace

NvmlView nvml_view(const Library& library, std::vector<std::string>& unseen) {
  constexpr unsigned kMaxGpus = 1024;
  NvmlView view;
  std::array<char, 80> version{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  if (library.call().driver_version(version.data(), version.size()) == kSuccess)
    view.driver = bounded(version);
  unsigned count = 0;
  const auto status = library.call().device_count(&count);
  if (status != kSuccess) {
    unseen.push_back(fmt::format("NVML does not count GPUs: {}.", library.text_of(status)));
    return view;
  }
  for (unsigned index = 0; index < std::min(count, kMaxGpus); ++index) {
    if (auto found = gpu_at(library, index))
      view.gpus.push_back(std::move(found).value());
    else
      unseen.push_back(found.sentence());
  }
  return view;
}

}  // namespace linerate::topo
