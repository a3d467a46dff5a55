#include "topo/detect/nvml_library.h"

#include <fmt/format.h>

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
