// See nvml_merge.h.
#include "topo/detect/nvml_merge.h"

#include "topo/detect/nvml_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kNvidiaVendor = 0x10de;
constexpr std::uint32_t kNvSwitchClass = 0x068000;

bool is_nvidia_gpu(const FoundPci& found) {
  return found.device.gpu && found.device.vendor == kNvidiaVendor;
}

auto at_bus_id(std::vector<FoundPci>& devices, const BusId& id) {
  return std::ranges::find_if(devices,
                              [&](const FoundPci& found) { return found.device.bus_id == id; });
}

// NCCL takes targets that the bus does not show for NVSwitches (src/graph/xml.cc).
std::uint32_t class_of(const std::string& target, std::vector<FoundPci>& devices) {
  const auto id = parse_bus_id(target);
  if (!id) return kNvSwitchClass;
  const auto at = at_bus_id(devices, *id);
  return at != devices.end() && at->device.class_code != 0 ? at->device.class_code : kNvSwitchClass;
}

// Where the driver tells the link it is right: sysfs does not tell it in every container.
void complete_link(const PciLink& told, PciLink& link) {
  if (!told.speed.empty()) link.speed = told.speed;
  if (told.width > 0) link.width = told.width;
}

void merge_gpu(NvmlGpu gpu, std::vector<FoundPci>& devices, std::vector<std::string>& unseen) {
  constexpr std::uint32_t k3dController = 0x030200;
  auto at = at_bus_id(devices, gpu.bus_id);
  if (at == devices.end()) {
    unseen.push_back(fmt::format("No place of GPU {}: the PCI bus does not show {}.", gpu.gpu.dev,
                                 text_of(gpu.bus_id)));
    devices.push_back(
        {.device = {.bus_id = gpu.bus_id, .class_code = k3dController, .vendor = kNvidiaVendor}});
    at = std::prev(devices.end());
  }
  complete_link(gpu.link, at->device.link);
  complete_link(gpu.max_link, at->device.max_link);
  at->device.gpu = std::move(gpu.gpu);
}

}  // namespace

std::string merge_nvml(const std::string& file, std::vector<FoundPci>& devices,
                       std::vector<std::string>& unseen) {
  const auto library = nvml::Library::open(file);
  if (!library) {
    unseen.push_back("No NVIDIA driver: " + library.sentence());
    tell_without_nvml(devices, unseen);
    return {};
  }
  auto view = nvml_view(**library, unseen);
  for (auto& gpu : view.gpus) merge_gpu(std::move(gpu), devices, unseen);
  for (auto& found : devices)
    if (found.device.gpu)
      for (auto& link : found.device.gpu->nvlinks) link.tclass = class_of(link.target, devices);
  for (const auto& found : devices)
    if (is_nvidia_gpu(found) && found.device.gpu->dev < 0)
      unseen.push_back(fmt::format("No number and NVLinks of the GPU at {}: NVML does not show it.",
                                   text_of(found.device.bus_id)));
  return view.driver;
}

void tell_without_nvml(const std::vector<FoundPci>& devices, std::vector<std::string>& unseen) {
  if (std::ranges::any_of(devices, is_nvidia_gpu))
    unseen.emplace_back(
        "No numbers and NVLinks of GPUs: only the driver of a running machine tells them.");
}

}  // namespace linerate::topo
