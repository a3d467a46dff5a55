// See link_look.h.
#include "topo/show/link_look.h"

#include <algorithm>
#include <cmath>

namespace linerate::topo {

double stroke_of(double gbps) {
  constexpr double kThinnest = 1.5, kThickest = 9, kPerDoubling = 1.1, kThinGbps = 6;
  const double doublings = std::log2(std::max(gbps, kThinGbps) / kThinGbps);
  return std::min(kThinnest + kPerDoubling * doublings, kThickest);
}

std::string_view color_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::loc:
      return "#8a94a3";
    case LinkKind::nvl:
      return "#4d8f16";
    case LinkKind::c2c:
      return "#c26a00";
    case LinkKind::pci:
      return "#64748b";
    case LinkKind::sys:
      return "#7c3aed";
    case LinkKind::net:
      return "#1d6fb8";
  }
  return "";
}

std::string_view look_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::loc:
      return "loc";
    case LinkKind::nvl:
      return "nvl";
    case LinkKind::c2c:
      return "c2c";
    case LinkKind::pci:
      return "pci";
    case LinkKind::sys:
      return "sys";
    case LinkKind::net:
      return "net";
  }
  return "";
}

std::string_view words_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::loc:
      return "within a device";
    case LinkKind::nvl:
      return "NVLink";
    case LinkKind::c2c:
      return "C2C";
    case LinkKind::pci:
      return "PCI Express";
    case LinkKind::sys:
      return "between processors";
    case LinkKind::net:
      return "network port";
  }
  return "";
}

}  // namespace linerate::topo
