#include "topo/detect/nvml.h"

#include "base/text.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace linerate::topo::nvml {
namespace {

template <typename Function>
bool find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

bool find_required(void* from, Functions& to) {
  return find(from, "nvmlInit_v2", to.init) && find(from, "nvmlShutdown", to.shutdown) &&
         find(from, "nvmlErrorString", to.error_string) &&
         find(from, "nvmlSystemGetDriverVersion", to.driver_version) &&
         find(from, "nvmlDeviceGetCount_v2", to.device_count) &&
         find(from, "nvmlDeviceGetHandleByIndex_v2", to.device_by_index) &&
         find(from, "nvmlDeviceGetName", to.name) &&
         find(from, "nvmlDeviceGetPciInfo_v3", to.pci_info) &&
         find(from, "nvmlDeviceGetCudaComputeCapability", to.compute_capability);
}

void find_optional(void* from, Functions& to) {
  find(from, "nvmlDeviceGetCurrPcieLinkGeneration", to.pcie_generation);
  find(from, "nvmlDeviceGetCurrPcieLinkWidth", to.pcie_width);
  find(from, "nvmlDeviceGetMaxPcieLinkGeneration", to.max_pcie_generation);
  find(from, "nvmlDeviceGetMaxPcieLinkWidth", to.max_pcie_width);
  find(from, "nvmlDeviceGetNvLinkCapability", to.link_capability);
  find(from, "nvmlDeviceGetNvLinkState", to.link_state);
  find(from, "nvmlDeviceGetNvLinkRemotePciInfo_v2", to.link_remote);
  find(from, "nvmlDeviceGetFieldValues", to.field_values);
  find(from, "nvmlDeviceGetTemperature", to.temperature);
  find(from, "nvmlDeviceGetTemperatureThreshold", to.temperature_limit);
  find(from, "nvmlDeviceGetClockInfo", to.clock);
  find(from, "nvmlDeviceGetMaxClockInfo", to.max_clock);
  find(from, "nvmlDeviceGetCurrentClocksThrottleReasons", to.slowdowns);
  find(from, "nvmlDeviceGetUtilizationRates", to.utilization);
  find(from, "nvmlDeviceGetTotalEccErrors", to.ecc_errors);
  find(from, "nvmlDeviceGetPcieReplayCounter", to.pcie_replays);
  find(from, "nvmlEventSetCreate", to.make_event_set);
  find(from, "nvmlDeviceRegisterEvents", to.register_events);
  find(from, "nvmlEventSetWait_v2", to.next_event);
  find(from, "nvmlEventSetFree", to.free_event_set);
}

std::string status_text(const Functions& functions, Status status) {
  const char* const text = functions.error_string(status);
  return text != nullptr ? text : fmt::format("error {}", status);
}

}  // namespace

Result<std::unique_ptr<Library>> Library::open(const std::string& file) {
  Opened opened(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!opened) return Failure{fmt::format("{} cannot be opened.", file)};
  Functions functions;
  if (!find_required(opened.get(), functions))
    return Failure{fmt::format("{} lacks functions: the driver is older than 450.", file)};
  find_optional(opened.get(), functions);
  if (const auto status = functions.init(); status != kSuccess)
    return Failure{fmt::format("{} does not start: {}.", file, status_text(functions, status))};
  return std::unique_ptr<Library>(new Library(std::move(opened), functions));
}

Library::~Library() { (void)functions_.shutdown(); }

std::string Library::text_of(Status status) const { return status_text(functions_, status); }

}  // namespace linerate::topo::nvml

namespace linerate::topo {
namespace {

using nvml::kSuccess;
using nvml::Library;

// What NCCL calls an NVSwitch that a virtual machine cannot see (src/graph/xml.cc).
constexpr std::string_view kHiddenSwitch = "fffffff:ffff:ff";

// Links that a GPU of this compute capability can have, as NCCL asks for them.
unsigned max_links(int sm) {
  struct Generation {
    int below_sm;
    unsigned links;
  };
  constexpr std::array kGenerations{Generation{60, 0}, Generation{70, 4}, Generation{80, 6},
                                    Generation{90, 12}};
  for (const auto& generation : kGenerations)
    if (sm < generation.below_sm) return generation.links;
  return 18;
}

// One field of one link; nothing where the driver does not tell it.
std::optional<unsigned> field_of(const Library& library, nvml::Device device, unsigned field,
                                 unsigned link = 0) {
  nvml::FieldValue value{};
  value.field = field;
  value.scope = link;
  const auto ask = library.call().field_values;
  if (ask == nullptr || ask(device, 1, &value) != kSuccess || value.status != kSuccess)
    return std::nullopt;
  return value.value.whole;
}

// Whether the link is up; nothing where the GPU has no such link.
std::optional<bool> is_up(const Library& library, nvml::Device device, int sm, unsigned link) {
  constexpr int kStateByField = 90;  // from Hopper on
  if (sm >= kStateByField)
    if (const auto state = field_of(library, device, nvml::kNvlinkGetState, link))
      return *state == 1;
  const auto ask = library.call().link_state;
  int state = 0;
  if (ask == nullptr || ask(device, link, &state) != kSuccess) return std::nullopt;
  return state == 1;
}

bool is_peer_to_peer(const Library& library, nvml::Device device, unsigned link) {
  unsigned capable = 0;
  const auto ask = library.call().link_capability;
  return ask != nullptr && ask(device, link, nvml::kP2pSupported, &capable) == kSuccess &&
         capable != 0;
}

// The bus id of the far end in lower case; empty where the driver does not tell it.
std::string target_of(const Library& library, nvml::Device device, unsigned link) {
  nvml::PciInfo remote{};
  const auto ask = library.call().link_remote;
  if (ask == nullptr || ask(device, link, &remote) != kSuccess) return {};
  const std::span<const char> field = remote.short_bus_id;
  std::string target(field.begin(), std::ranges::find(field, '\0'));
  const auto printable = [](unsigned char c) { return std::isprint(c) != 0; };
  if (target.empty() || !std::ranges::all_of(target, printable)) return std::string(kHiddenSwitch);
  return lower(target);
}

// Active links by target, in the order of the first link to each; `sm` is the compute capability.
// Every row's `capacity` is how many links this GPU has, up or down.
std::vector<NvLink> nvlinks_of(const Library& library, nvml::Device device, int sm) {
  std::vector<NvLink> links;
  std::uint32_t capacity = 0;
  for (unsigned link = 0; link < max_links(sm); ++link) {
    const auto up = is_up(library, device, sm, link);
    if (!up) continue;
    ++capacity;
    if (!*up || !is_peer_to_peer(library, device, link)) continue;
    const auto target = target_of(library, device, link);
    if (target.empty()) continue;
    const auto known = std::ranges::find(links, target, &NvLink::target);
    if (known == links.end())
      links.push_back({.target = target, .count = 1});
    else
      ++known->count;
  }
  for (auto& link : links) link.capacity = capacity;
  return links;
}

// None where no link is up.
std::optional<C2c> c2c_of(const Library& library, nvml::Device device, int sm) {
  constexpr int kFirstWithC2c = 90;
  constexpr unsigned kMaxLinks = 64;
  if (sm < kFirstWithC2c) return std::nullopt;
  C2c found;
  const auto count = field_of(library, device, nvml::kC2cLinkCount).value_or(0);
  for (unsigned link = 0; link < std::min(count, kMaxLinks); ++link) {
    const auto bandwidth = field_of(library, device, nvml::kC2cLinkMaxBandwidth, link);
    if (field_of(library, device, nvml::kC2cLinkStatus, link) != 1U || !bandwidth) continue;
    found.link_mbps = *bandwidth;
    ++found.count;
  }
  return found.count > 0 ? std::optional(found) : std::nullopt;
}

// Up to its first zero byte: no library is trusted to end it.
template <std::size_t N>
std::string bounded(const std::array<char, N>& text) {
  return {text.begin(), std::ranges::find(text, '\0')};
}

// 0 where the function is lacking or refuses.
unsigned value_or_0(nvml::Status (*ask)(nvml::Device, unsigned*), nvml::Device device) {
  unsigned value = 0;
  return ask != nullptr && ask(device, &value) == kSuccess ? value : 0;
}

PciLink pcie_link(unsigned generation, unsigned width) {
  constexpr unsigned kMaxLanes = 32;
  PciLink link;
  if (generation > 0 && generation <= kPcieGenerations.size())
    link.speed = kPcieGenerations.at(generation - 1).text;
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
  found.link =
      pcie_link(value_or_0(call.pcie_generation, device), value_or_0(call.pcie_width, device));
  found.max_link = pcie_link(value_or_0(call.max_pcie_generation, device),
                             value_or_0(call.max_pcie_width, device));
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

namespace {

bool is_nvidia_gpu(const FoundPci& found) {
  return found.device.gpu && found.device.vendor == kNvidiaVendor;
}

// NCCL takes targets that the bus does not show for NVSwitches (src/graph/xml.cc).
std::uint32_t class_of(const std::string& target, std::vector<FoundPci>& devices) {
  const auto id = parse_bus_id(target);
  const auto* at = id ? find_device(devices, *id) : nullptr;
  return at != nullptr && at->device.class_code != 0 ? at->device.class_code : kNvSwitchClass;
}

// Where the driver tells the link it is right: sysfs does not tell it in every container.
void complete_link(const PciLink& from_driver, PciLink& link) {
  if (!from_driver.speed.empty()) link.speed = from_driver.speed;
  if (from_driver.width > 0) link.width = from_driver.width;
}

void merge_gpu(NvmlGpu gpu, std::vector<FoundPci>& devices, std::vector<std::string>& unseen) {
  auto* at = find_device(devices, gpu.bus_id);
  if (at == nullptr) {
    unseen.push_back(fmt::format("No place of GPU {}: the PCI bus does not show {}.", gpu.gpu.dev,
                                 text_of(gpu.bus_id)));
    at = &devices.emplace_back();
    at->device = {.bus_id = gpu.bus_id, .class_code = kGpuClass, .vendor = kNvidiaVendor};
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
    report_missing_nvml(devices, unseen);
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

void report_missing_nvml(const std::vector<FoundPci>& devices, std::vector<std::string>& unseen) {
  if (std::ranges::any_of(devices, is_nvidia_gpu))
    unseen.emplace_back(
        "No numbers and NVLinks of GPUs: only the driver of a running machine tells them.");
}

}  // namespace linerate::topo
