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
  std::uint32_t vendor, first, last;
  GpuModel model;
};

// The first row that holds an id counts: modules stand before the family. Device ids after the PCI
// ID repository (pci-ids.ucw.cz), compute capabilities after NVIDIA's list
// (developer.nvidia.com/cuda-gpus). Links after data sheets: an SXM2 or SXM3 V100 has 6, an A100 12
// and an A800 8, an H100, H200, H20, B200 and B300 18 and an H800 8. An MI300X, MI325X, MI350X or
// MI355X has one to each of the 7 others. Cards have as many as their bridges, which may be none.
constexpr GpuIds kGpuIds[] = {
    {kNvidiaVendor, 0x15f7, 0x15f9, {60, 0}},    // GP100: P100
    {kNvidiaVendor, 0x1db1, 0x1db1, {70, 6}},    // V100 SXM2
    {kNvidiaVendor, 0x1db5, 0x1db5, {70, 6}},    // V100 SXM2 32 GB
    {kNvidiaVendor, 0x1db8, 0x1db8, {70, 6}},    // V100 SXM3
    {kNvidiaVendor, 0x1db0, 0x1dbf, {70, 0}},    // GV100: V100, all forms
    {kNvidiaVendor, 0x1eb8, 0x1eb8, {75, 0}},    // TU104: T4
    {kNvidiaVendor, 0x20b0, 0x20b0, {80, 12}},   // A100 SXM4
    {kNvidiaVendor, 0x20b2, 0x20b3, {80, 12}},   // A100 SXM4 80 GB, 64 GB
    {kNvidiaVendor, 0x20bd, 0x20bd, {80, 8}},    // A800 SXM4
    {kNvidiaVendor, 0x20f3, 0x20f3, {80, 8}},    // A800 SXM4 80 GB
    {kNvidiaVendor, 0x20b0, 0x20ff, {80, 0}},    // GA100: A100, A800, A30
    {kNvidiaVendor, 0x2235, 0x2237, {86, 0}},    // GA102: A40, A10, A10G
    {kNvidiaVendor, 0x26b5, 0x26ba, {89, 0}},    // AD102: L40, L40S, L20
    {kNvidiaVendor, 0x27b8, 0x27b8, {89, 0}},    // AD104: L4
    {kNvidiaVendor, 0x2324, 0x2324, {90, 8}},    // H800 SXM5
    {kNvidiaVendor, 0x2329, 0x2329, {90, 18}},   // H20
    {kNvidiaVendor, 0x232c, 0x232c, {90, 18}},   // H20 HBM3e
    {kNvidiaVendor, 0x2330, 0x2330, {90, 18}},   // H100 SXM5
    {kNvidiaVendor, 0x2335, 0x2335, {90, 18}},   // H200 SXM5
    {kNvidiaVendor, 0x2300, 0x237f, {90, 0}},    // GH100: H100, H200, H800, H20, GH200
    {kNvidiaVendor, 0x2901, 0x2901, {100, 18}},  // B200
    {kNvidiaVendor, 0x2941, 0x2941, {100, 18}},  // GB200
    {kNvidiaVendor, 0x2900, 0x29ff, {100, 0}},   // GB100, GB102: B200, GB200, B100
    {kNvidiaVendor, 0x2bb5, 0x2bb5, {120, 0}},   // GB202: RTX PRO 6000 Server
    {kNvidiaVendor, 0x3182, 0x3182, {103, 18}},  // B300
    {kNvidiaVendor, 0x31c2, 0x31c3, {103, 18}},  // GB300
    {kNvidiaVendor, 0x3180, 0x31ff, {103, 0}},   // GB110, GB112: B300, GB300
    {kAmdVendor, 0x74a1, 0x74a2, {0, 7}},        // MI300X, MI308X
    {kAmdVendor, 0x74a5, 0x74a5, {0, 7}},        // MI325X
    {kAmdVendor, 0x75a0, 0x75a3, {0, 7}},        // MI350X, MI355X
};

}  // namespace

GpuModel gpu_model_of(std::uint32_t vendor, std::uint32_t device) {
  const auto* found = std::ranges::find_if(kGpuIds, [&](const GpuIds& ids) {
    return vendor == ids.vendor && device >= ids.first && device <= ids.last;
  });
  return found != std::end(kGpuIds) ? found->model : GpuModel{};
}

}  // namespace linerate::topo
