#include "topo/show/device_text.h"

#include "base/text.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

namespace linerate::topo {
namespace {

// "16.0 GT/s" and the like are worded in a way that NCCL takes for Gen3.
std::string counted_bandwidth(const PciLink& link) {
  const std::string_view counts = knows_pci_speed(link.speed) ? "" : "NCCL counts ";
  return fmt::format(", {}{} GB/s", counts, gbps_text(pci_gbps(link)));
}

std::string generation_text(int generation) { return fmt::format("PCIe {}.0", generation); }

// Of a link that is as good as it gets, or whose best nobody tells.
std::string plain_link(const PciLink& link) {
  const int generation = pcie_generation(link.speed);
  if (generation == 0 && link.width <= 0) return "PCIe link not known";
  const auto width = link.width > 0 ? fmt::format(" x{}", link.width) : ", width not known";
  if (generation == 0) return fmt::format("PCIe{}, speed not known", width);
  return generation_text(generation) + width;
}

// "PCIe 5.0 x8 of x16", "PCIe 3.0 of 5.0, x16", "PCIe 3.0 x8 of 5.0 x16".
std::string reduced_link(const PciLink& link, const PciLink& best) {
  const int now = pcie_generation(link.speed), then = pcie_generation(best.speed);
  const auto what = generation_text(now);
  if (now >= then) return fmt::format("{} x{} of x{}", what, link.width, best.width);
  if (link.width >= best.width) return fmt::format("{} of {}.0, x{}", what, then, link.width);
  return fmt::format("{} x{} of {}.0 x{}", what, link.width, then, best.width);
}

// The bits of a mask, the lowest first; nothing where it is none. Each word but the first one has
// 32 of them.
std::vector<bool> bits_of_mask(std::string_view affinity) {
  constexpr std::size_t kDigits = 8;  // of a word
  std::string digits;
  for (const auto& word : split(affinity, ',')) {
    if (word.empty() || (!digits.empty() && word.size() > kDigits)) return {};
    if (!digits.empty()) digits.append(kDigits - word.size(), '0');
    digits += word;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::vector<bool> bits;
  for (const char digit : std::views::reverse(digits)) {
    const auto value = kHex.find(digit >= 'A' && digit <= 'F' ? digit - 'A' + 'a' : digit);
    if (value == std::string_view::npos) return {};
    for (unsigned bit = 0; bit < 4; ++bit) bits.push_back((value >> bit & 1U) != 0);
  }
  return bits;
}

std::string vendor_text(const Cpu& cpu) {
  if (is_intel(cpu)) return "Intel";
  if (is_amd(cpu)) return "AMD";
  if (is_zhaoxin(cpu)) return "Zhaoxin";
  return cpu.vendor.empty() ? std::string(name_of(cpu.arch)) : plain_text(trim(cpu.vendor));
}

}  // namespace

std::string gbps_text(double gbps) {
  constexpr double kWhole = 100;
  if (gbps >= kWhole || gbps == std::round(gbps)) return fmt::format("{:.0f}", gbps);
  return fmt::format("{:.1f}", gbps);
}

std::string pcie_text(const PciDevice& device) {
  const bool known =
      std::min(pcie_generation(device.link.speed), pcie_generation(device.max_link.speed)) > 0;
  if (!known || !is_degraded(device))
    return plain_link(device.link) + counted_bandwidth(device.link);
  return fmt::format("{}, {} of {} GB/s", reduced_link(device.link, device.max_link),
                     gbps_text(pci_gbps(device.link)), gbps_text(pci_gbps(device.max_link)));
}

std::string speed_text(const Net& net) {
  constexpr double kPerGigabit = 1000;
  const auto speed = net.speed_mbps > 0 ? fmt::format("{:.4g} Gb/s", net.speed_mbps / kPerGigabit)
                                        : std::string("speed not known");
  const auto layer = plain_text(net.link_layer);
  return layer.empty() ? speed : fmt::format("{} {}", speed, layer);
}

std::string cores_text(std::string_view affinity) {
  const auto bits = bits_of_mask(affinity);
  if (bits.empty()) return plain_text(affinity);
  std::string text;
  for (auto first = std::ranges::find(bits, true); first != bits.end();) {
    const auto end = std::find(first, bits.end(), false);
    text += fmt::format("{}{}", text.empty() ? "" : ",", first - bits.begin());
    if (end - first > 1) text += fmt::format("-{}", end - bits.begin() - 1);
    first = std::find(end, bits.end(), true);
  }
  return text.empty() ? "none" : text;
}

std::string cpu_text(const Cpu& cpu) {
  if (!cpu.name.empty()) return plain_text(cpu.name);
  auto vendor = vendor_text(cpu);
  if (vendor.empty()) return "model not known";
  if (cpu.family == 0 && cpu.model == 0) return vendor;
  return fmt::format("{}, family {} model {}", vendor, cpu.family, cpu.model);
}

std::string gpu_text(const Gpu& gpu) {
  const auto model = plain_text(gpu.model);
  const auto chip = !gpu.gcn.empty() ? plain_text(gpu.gcn)
                    : gpu.sm > 0     ? fmt::format("sm_{}", gpu.sm)
                                     : "";
  if (model.empty() && chip.empty()) return "model not known";
  return fmt::format("{}{}{}", model, model.empty() || chip.empty() ? "" : ", ", chip);
}

std::string_view name_of(CpuArch arch) { return kArchNames.at(static_cast<std::size_t>(arch)); }

}  // namespace linerate::topo
