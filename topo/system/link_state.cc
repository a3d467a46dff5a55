// See link_state.h.
#include "topo/system/link_state.h"

#include <charconv>
#include <cstddef>

namespace linerate::topo {

bool is_verbs(const Net& net) { return !net.link_layer.empty() || net.guid != 0; }

bool is_up(const Net& net) { return net.state.empty() || net.state == "ACTIVE"; }

double gigatransfers_of(std::string_view speed) {
  double value = 0;
  const char* const end = speed.data() + speed.size();
  const auto [rest, error] = std::from_chars(speed.data(), speed.data() + speed.size(), value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  return error == std::errc{} && unit.starts_with(" GT/s") ? value : 0;
}

bool is_idle(const PciDevice& device) {
  constexpr double kFirstGeneration = 2.5;
  return device.gpu && device.link.width == device.max_link.width &&
         gigatransfers_of(device.link.speed) == kFirstGeneration;
}

}  // namespace linerate::topo
