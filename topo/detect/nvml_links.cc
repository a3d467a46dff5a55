// See nvml_links.h.
#include "topo/detect/nvml_links.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

namespace linerate::topo {
namespace {

using nvml::kSuccess;
using nvml::Library;

// What NCCL calls an NVSwitch that a virtual machine cannot see (src/graph/xml.cc).
constexpr std::string_view kHiddenSwitch = "fffffff:ffff:ff";

// Links that a GPU of this compute capability can have, as NCCL asks for them.
unsigned most_links(int sm) {
  struct Generation {
    int below_sm;
    unsigned links;
  };
  constexpr std::array kGenerations{Generation{60, 0}, Generation{70, 4}, Generation{80, 6},
                                    Generation{90, 12}};
  for (const auto& generation : kGenerations)
    if (sm < generation.below_sm) return generation.links;
  return 18;
}

// One field of one link; nothing where the driver does not tell it.
std::optional<unsigned> field_of(const Library& library, nvml::Device device, unsigned field,
                                 unsigned link = 0) {
  nvml::FieldValue value{};
  value.field = field;
  value.scope = link;
  const auto ask = library.call().field_values;
  if (ask == nullptr || ask(device, 1, &value) != kSuccess || value.status != kSuccess)
    return std::nullopt;
  return value.value.whole;
}

// Whether the link is up; nothing where the GPU has no such link.
std::optional<bool> is_up(const Library& library, nvml::Device device, int sm, unsigned link) {
  constexpr int kStateByField = 90;  // from Hopper on
  if (sm >= kStateByField)
    if (const auto state = field_of(library, device, nvml::kNvlinkGetState, link))
      return *state == 1;
  const auto ask = library.call().link_state;
  int state = 0;
  if (ask == nullptr || ask(device, link, &state) != kSuccess) return std::nullopt;
  return state == 1;
}

bool is_peer_to_peer(const Library& library, nvml::Device device, unsigned link) {
  unsigned capable = 0;
  const auto ask = library.call().link_capability;
  return ask != nullptr && ask(device, link, nvml::kP2pSupported, &capable) == kSuccess &&
         capable != 0;
}

// The bus id of the far end in lower case; empty where the driver does not tell it.
std::string target_of(const Library& library, nvml::Device device, unsigned link) {
  nvml::PciInfo remote{};
  const auto ask = library.call().link_remote;
  if (ask == nullptr || ask(device, link, &remote) != kSuccess) return {};
  const std::span<const char> field = remote.short_bus_id;
  std::string target(field.begin(), std::ranges::find(field, '\0'));
  const auto printable = [](unsigned char c) { return std::isprint(c) != 0; };
  if (target.empty() || !std::ranges::all_of(target, printable)) return std::string(kHiddenSwitch);
  std::ranges::transform(target, target.begin(), [](unsigned char c) { return std::tolower(c); });
  return target;
}

}  // namespace

std::vector<NvLink> nvlinks_of(const Library& library, nvml::Device device, int sm) {
  std::vector<NvLink> links;
  std::uint32_t capacity = 0;
  for (unsigned link = 0; link < most_links(sm); ++link) {
    const auto up = is_up(library, device, sm, link);
    if (!up) continue;
    ++capacity;
    if (!*up || !is_peer_to_peer(library, device, link)) continue;
    const auto target = target_of(library, device, link);
    if (target.empty()) continue;
    const auto known = std::ranges::find(links, target, &NvLink::target);
    if (known == links.end())
      links.push_back({.target = target, .count = 1});
    else
      ++known->count;
  }
  for (auto& link : links) link.capacity = capacity;
  return links;
}

std::optional<C2c> c2c_of(const Library& library, nvml::Device device, int sm) {
  constexpr int kFirstWithC2c = 90;
  constexpr unsigned kMaxLinks = 64;
  if (sm < kFirstWithC2c) return std::nullopt;
  C2c found;
  const auto count = field_of(library, device, nvml::kC2cLinkCount).value_or(0);
  for (unsigned link = 0; link < std::min(count, kMaxLinks); ++link) {
    const auto bandwidth = field_of(library, device, nvml::kC2cLinkMaxBandwidth, link);
    if (field_of(library, device, nvml::kC2cLinkStatus, link) != 1U || !bandwidth) continue;
    found.link_mbps = *bandwidth;
    ++found.count;
  }
  return found.count > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace linerate::topo
