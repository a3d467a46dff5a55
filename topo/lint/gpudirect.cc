// GPUs and NICs that do not reach each other's memory (GPUDirect RDMA), as the library found out.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linerate::topo::rules {
namespace {

Finding about_ports(const System& system, const std::vector<PortAt>& without, bool amd) {
  const auto& first = *without.front().net;
  return {
      .subject = without.size() > 1
                     ? fmt::format("{} and {} more", name_of(first), without.size() - 1)
                     : name_of(first),
      .evidence = fmt::format("The NIC cannot read and write the memory of GPUs (gdr=0): {} copies "
                              "all traffic between nodes through the host's memory.",
                              library_of(system)),
      .advice = amd ? "Load the kernel's module for peer memory of amdgpu (see lsmod, and dmesg "
                      "for peer memory), or use a kernel with DMA-BUF."
                    : "Load the module nvidia_peermem, or use NVIDIA's open kernel modules, "
                      "whose DMA-BUF needs none; in a VM, see that ACS and ATS are set for "
                      "it."};
}

// RCCL's says so too where fine-grained memory is off, which older ROCm leaves off (src/init.cc of
// RCCL): then it was the job's setting.
Finding about_gpus(const System& system, const std::vector<GpuAt>& without, std::size_t gpus) {
  const bool amd = is_amd_gpu(*without.front().device);
  return {
      .severity = amd ? Severity::info : Severity::warning,
      .subject = one_of(without.size(), *without.front().device),
      .evidence = fmt::format("{} of {} GPUs are without GPUDirect RDMA (gdr=0): {} copies their "
                              "traffic between nodes through the host's memory.",
                              without.size(), gpus, library_of(system)),
      .advice = amd ? "If the job that wrote the file ran with an older ROCm, set "
                      "HSA_FORCE_FINE_GRAIN_PCIE=1."
                    : "Load the module nvidia_peermem, or use NVIDIA's open kernel modules, "
                      "whose DMA-BUF needs none."};
}

}  // namespace

// Of sockets nobody expects it; where nobody asked, all are taken to have it.
std::vector<Finding> gpudirect_off(const System& system) {
  auto ports = used_ports_of(system);
  std::erase_if(ports, [](const PortAt& port) { return !is_verbs(*port.net); });
  const auto gpus = gpus_of(system);
  if (ports.empty() || gpus.empty() || !system.has_nccl_ports || !has_ranks(system)) return {};
  auto deaf = ports;
  std::erase_if(deaf, [](const PortAt& port) { return port.net->gdr; });
  if (!deaf.empty()) return {about_ports(system, deaf, is_amd_gpu(*gpus.front().device))};
  auto without = gpus;
  std::erase_if(without, [](const GpuAt& gpu) { return gpu.device->gpu->gdr; });
  if (without.empty()) return {};
  return {about_gpus(system, without, gpus.size())};
}

}  // namespace linerate::topo::rules
