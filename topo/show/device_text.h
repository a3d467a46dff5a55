// How people say what a system tells: links, speeds, cores, models.
#pragma once

#include "topo/system/system.h"

#include <string>
#include <string_view>

namespace linerate::topo {

std::string gbps_text(double gbps);  // "371", "48", "12.5": of GB/s, from 100 on in whole ones

// "PCIe 5.0 x16, 48 GB/s"; "PCIe 5.0 x8 of x16, 24 of 48 GB/s"; "PCIe link not known, NCCL counts
// 12 GB/s".
std::string pcie_text(const PciDevice& device);

std::string speed_text(const Net& net);  // "400 Gb/s InfiniBand"; "speed not known"

// "0-55,112-167" of an affinity mask, "none" where no bit is set; the mask itself where it is none.
std::string cores_text(std::string_view affinity);

std::string cpu_text(const Cpu& cpu);  // "Intel(R) Xeon(R) 8480C"; "Intel, family 6 model 143"
std::string gpu_text(const Gpu& gpu);  // "NVIDIA H100 80GB HBM3, sm_90"; "model not known"

std::string_view name_of(CpuArch arch);  // "x86_64"; empty: not known

}  // namespace linerate::topo
