#include "topo/detect/detect.h"

#include "topo/detect/hwloc_system.h"
#include "topo/detect/nvml.h"
#include "topo/detect/pci_tree.h"
#include "topo/detect/sysfs.h"
#include "topo/system/pci_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

namespace fs = std::filesystem;

bool is_this_machine(const fs::path& root) { return root.lexically_normal() == "/"; }

std::vector<Cpu> processors(const fs::path& root, std::vector<std::string>& unseen) {
  auto cpus = is_this_machine(root) ? cpus_of_this_machine(unseen) : std::vector<Cpu>{};
  if (cpus.empty()) cpus = cpus_of_tree(root, unseen);
  if (cpus.empty()) {
    unseen.emplace_back("No processors: /sys/devices/system/cpu is not there.");
    cpus.emplace_back();
  }
  return cpus;
}

// A control group hides no processor from us, but it may keep us off it.
void report_usable(System& system) {
  std::size_t threads = 0;
  for (const auto& cpu : system.cpus) threads += static_cast<std::size_t>(cpu.threads);
  const auto usable = usable_threads();
  if (usable.empty() || usable.size() >= threads) return;
  system.usable = mask_text(usable);
  system.unseen.push_back(fmt::format(
      "Of {} hardware threads this process may use {}: its control group leaves it no more.",
      threads, usable.size()));
}

// Gives NIC ports to their devices; those of no known place stay with the first processor.
void place_nets(std::vector<FoundNet> nets, std::vector<FoundPci>& devices, System& system) {
  for (auto& found : nets) {
    auto* const at = found.place ? find_device(devices, *found.place) : nullptr;
    auto& ports = at == nullptr ? system.cpus.front().nets : at->device.nets;
    ports.push_back(std::move(found.net));
  }
}

// Virtual functions stand for a part of a port that is there itself.
void drop_virtual_functions(const fs::path& root, std::vector<FoundPci>& devices,
                            std::vector<std::string>& unseen) {
  const auto is_virtual = [&](const FoundPci& one) {
    std::error_code failed;
    return fs::is_symlink(root / "sys/bus/pci/devices" / text_of(one.device.bus_id) / "physfn",
                          failed);
  };
  if (const auto dropped = std::erase_if(devices, is_virtual); dropped > 0)
    unseen.push_back(fmt::format("Virtual PCI functions are left out: {}.", dropped));
}

// The driver's own file, readable without its library: "Model:  NVIDIA H100 80GB HBM3".
std::string model_in(const fs::path& root, const BusId& id) {
  constexpr std::string_view kModel = "Model:";
  const auto text = text_in(root / "proc/driver/nvidia/gpus" / text_of(id) / "information");
  const auto at = text.find(kModel);
  if (at == std::string::npos) return {};
  const auto line = text.substr(at + kModel.size(), text.find('\n', at) - at - kModel.size());
  const auto first = line.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : line.substr(first);
}

// What bus and files tell of GPUs where the driver's library does not.
void complete_gpus(const fs::path& root, std::vector<FoundPci>& devices) {
  for (auto& [device, above, numa] : devices) {
    if (!device.gpu) continue;
    if (device.gpu->sm == 0) device.gpu->sm = gpu_model_of(device.vendor, device.device).sm;
    if (device.gpu->model.empty()) device.gpu->model = model_in(root, device.bus_id);
  }
}

std::string name_of_host(const fs::path& root) {
  auto name = text_in(root / "proc/sys/kernel/hostname");
  return !name.empty() || is_this_machine(root) ? name : root.filename().string();
}

}  // namespace

System detect(const DetectInput& input) {
  const bool here = is_this_machine(input.root);
  System system{.name = name_of_host(input.root),
                .source = here ? "this machine" : "files below " + input.root.string()};
  auto& unseen = system.unseen;
  system.cpus = processors(input.root, unseen);
  auto devices = pci_of_tree(input.root, unseen);
  drop_virtual_functions(input.root, devices, unseen);
  if (here && !input.nvml.empty())
    system.driver = merge_nvml(input.nvml, devices, unseen);
  else
    report_missing_nvml(devices, unseen);
  complete_gpus(input.root, devices);
  place_nets(nets_of_tree(input.root, unseen), devices, system);
  attach_devices(std::move(devices), system);
  if (here) report_usable(system);
  return system;
}

}  // namespace linerate::topo
