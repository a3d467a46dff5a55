#include "topo/system/pci_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace linerate::topo {
namespace {

// NCCL itself names a switch that is on no bus fffffff:ff:ff.0.
constexpr std::uint32_t kMaxBus = 0xff, kMaxDevice = 0xff, kMaxFunction = 0x7;

// Takes the hexadecimal number that `text` begins with, and the separator behind it.
bool take(std::string_view& text, std::uint32_t& value, char separator) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (separator == '\0') return text.empty();
  if (text.empty() || text.front() != separator) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<BusId> parse_bus_id(std::string_view text) {
  std::string_view rest = text;
  std::uint32_t domain = 0, bus = 0, device = 0, function = 0;
  const bool whole = text.find(':') != text.rfind(':');  // with its domain
  if ((!whole || take(rest, domain, ':')) && take(rest, bus, ':') && take(rest, device, '.') &&
      take(rest, function, '\0') && bus <= kMaxBus && device <= kMaxDevice &&
      function <= kMaxFunction)
    return BusId{domain, static_cast<std::uint8_t>(bus), static_cast<std::uint8_t>(device),
                 static_cast<std::uint8_t>(function)};
  return Failure{
      fmt::format("'{}' is no PCI bus id: give domain:bus:device.function in hexadecimal, such as "
                  "0000:18:00.0.",
                  text)};
}

std::string text_of(const BusId& id) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", id.domain, id.bus, id.device, id.function);
}

namespace {

struct GpuIds {
  std::uint32_t first, last;
  int sm;
};

// The chips' device ids after the PCI ID repository (pci-ids.ucw.cz), compute capabilities after
// NVIDIA's list (developer.nvidia.com/cuda-gpus).
constexpr GpuIds kGpuIds[] = {
    {0x15f7, 0x15f9, 60},   // GP100: P100
    {0x1db0, 0x1dbf, 70},   // GV100: V100, all forms
    {0x1eb8, 0x1eb8, 75},   // TU104: T4
    {0x20b0, 0x20ff, 80},   // GA100: A100, A800, A30
    {0x2235, 0x2237, 86},   // GA102: A40, A10, A10G
    {0x26b5, 0x26ba, 89},   // AD102: L40, L40S, L20
    {0x27b8, 0x27b8, 89},   // AD104: L4
    {0x2300, 0x237f, 90},   // GH100: H100, H200, H800, H20, GH200
    {0x2900, 0x29ff, 100},  // GB100, GB102: B200, GB200, B100
    {0x2bb5, 0x2bb5, 120},  // GB202: RTX PRO 6000 Server
    {0x3180, 0x31ff, 103},  // GB110, GB112: B300, GB300
};

}  // namespace

int compute_capability_of(std::uint32_t vendor, std::uint32_t device) {
  const auto* found = std::ranges::find_if(
      kGpuIds, [&](const GpuIds& ids) { return device >= ids.first && device <= ids.last; });
  return vendor == kNvidiaVendor && found != std::end(kGpuIds) ? found->sm : 0;
}

}  // namespace linerate::topo
