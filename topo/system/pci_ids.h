// PCI bus ids, and what the vendor, class and device ids of a PCI device say it is.
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace linerate::topo {

// Where a device sits on the PCI bus: "0000:18:00.0". Virtual machines use domains of 32 bits, and
// topology files made by hand any number.
struct BusId {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  auto operator<=>(const BusId&) const = default;
};

// "0000:18:00.0", "fffffff:ff:ff.0", "18:00.0" (domain 0); hexadecimal, either case.
Result<BusId> parse_bus_id(std::string_view text);

// In lower case, the domain with at least four digits.
std::string text_of(const BusId& id);

inline constexpr std::uint32_t kNvidiaVendor = 0x10de, kAmdVendor = 0x1002, kVirtioVendor = 0x1af4;
inline constexpr std::uint32_t kGpuClass = 0x030200;  // a 3D controller
inline constexpr std::uint32_t kNvSwitchClass = 0x068000;
inline constexpr std::uint32_t kPowerBridgeClass = 0x068001;  // NVLink to a POWER processor

constexpr bool is_display_class(std::uint32_t class_code) { return class_code >> 16 == 0x03; }

// Display controllers, and the processing accelerators that AMD's newer GPUs are.
constexpr bool is_gpu_class(std::uint32_t class_code) {
  return is_display_class(class_code) || class_code >> 16 == 0x12;
}

// Network controllers: Ethernet 0x0200, InfiniBand 0x0207.
constexpr bool is_nic_class(std::uint32_t class_code) { return class_code >> 16 == 0x02; }

// What a GPU's device id tells; 0: not known.
struct GpuModel {
  int sm = 0;     // compute capability, 90 for 9.0, of NVIDIA's
  int links = 0;  // NVLinks or xGMI links that its board connects, of modules on a board of several
};

// Of data centre GPUs of NVIDIA and AMD.
GpuModel gpu_model_of(std::uint32_t vendor, std::uint32_t device);

}  // namespace linerate::topo
