#include "topo/system/bus_id.h"

#include <fmt/format.h>

#include <charconv>

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

}  // namespace linerate::topo
