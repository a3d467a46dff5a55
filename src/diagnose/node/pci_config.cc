// Offsets and fields: PCI Express Base Specification, chapter 7, as in Linux'
// uapi/linux/pci_regs.h.
#include "diagnose/node/node.h"

#include <fmt/format.h>

#include <cstdint>

namespace linerate::node {
namespace {

constexpr unsigned kFirstExtended = 0x100;
constexpr unsigned kExpress = 0x10;  // capability
constexpr unsigned kAcs = 0x0d;      // extended capability
constexpr int kMostCapabilities = 64;

// `bytes` of them from `at`; 0 behind the end.
std::uint32_t field(std::string_view config, unsigned at, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes && at + i < config.size(); ++i)
    value |= std::uint32_t{static_cast<unsigned char>(config[at + i])} << (8 * i);
  return value;
}

unsigned express_at(std::string_view config) {
  auto at = field(config, 0x34, 1);
  for (int i = 0; at != 0 && i < kMostCapabilities; ++i, at = field(config, at + 1, 1))
    if (field(config, at, 1) == kExpress) return at;
  return 0;
}

unsigned acs_at(std::string_view config) {
  unsigned at = kFirstExtended;
  for (int i = 0; at >= kFirstExtended && i < kMostCapabilities; ++i) {
    const auto header = field(config, at, 4);
    if ((header & 0xffffU) == kAcs) return at;
    at = header >> 20U;
  }
  return 0;
}

}  // namespace

std::string pci_capabilities(std::string_view config) {
  if (config.size() <= kFirstExtended) return {};
  const auto express = express_at(config), acs = acs_at(config);
  if (express == 0) return {};
  const auto port = field(config, express + 2, 2) >> 4U & 0xfU;
  const auto read_request = 128U << (field(config, express + 8, 2) >> 12U & 7U);
  const auto relaxed = field(config, express + 8, 2) >> 4U & 1U;
  return fmt::format("acs={:#x} port={} read_request={} relaxed={}",
                     acs == 0 ? 0 : field(config, acs + 6, 2), port, read_request, relaxed);
}

}  // namespace linerate::node
