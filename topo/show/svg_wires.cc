// See svg_wires.h.
#include "topo/show/svg_wires.h"

#include "topo/show/link_look.h"
#include "topo/show/words.h"
#include "topo/system/link_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace linerate::topo {
namespace {

constexpr double kLabelSpace = 4;     // between a line and its label
constexpr double kLabelFromEnd = 13;  // between a label's base line and the lower end
constexpr double kLabelRise = 3;      // of a base line above its box's lower end
constexpr double kSmallLine = 12;     // from one line of a label to the next

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

}  // namespace

std::string look_of_link(LinkKind kind, bool degraded) {
  return fmt::format("link {}{}", look_of(kind), degraded ? " bad" : "");
}

void draw_wire(Sketch& sketch, const Wire& wire) {
  const double thickness = stroke_of(wire.gbps);
  sketch.kinds.insert(wire.kind);
  sketch.degraded = sketch.degraded || wire.degraded;
  sketch.canvas.stroke(fmt::format("M {:.1f} {:.1f} V {:.1f}", wire.x, wire.top, wire.bottom),
                       look_of_link(wire.kind, wire.degraded), thickness);
  const double beside = thickness / 2 + kLabelSpace;
  const double x = wire.side == Anchor::end ? wire.x - beside : wire.x + beside;
  double y = wire.bottom - kLabelFromEnd -
             kSmallLine * 0.5 * static_cast<double>(wire.label.empty() ? 0 : wire.label.size() - 1);
  for (const auto& line : wire.label) {
    const auto style = wire.degraded ? TextStyle::bad : TextStyle::small;
    sketch.canvas.text({line, style}, {x, y, wire.side}, "halo");
    y += kSmallLine;
  }
}

void draw_label(Sketch& sketch, const std::string& text, std::span<const TextPlace> places) {
  const TextLine line{text, TextStyle::small};
  const double width = width_of(line), height = height_of(line.style);
  for (const auto& place : places) {
    const Box box{place.x - width / 2, place.y - height, width, height};
    const auto hits = [&](const Box& other) { return overlap(box, other); };
    if (std::ranges::any_of(sketch.taken, hits)) continue;
    sketch.taken.push_back(box);
    sketch.canvas.rect({box.x, box.y + kLabelRise, box.w, box.h}, "ground", 3);
    sketch.canvas.text(line, {place.x, place.y, Anchor::middle});
    return;
  }
}

PciWire pci_wire_of(const std::vector<const PciDevice*>& links) {
  assert(!links.empty());
  const auto* slowest =
      *std::ranges::min_element(links, {}, [](const auto* link) { return pci_gbps(link->link); });
  const double gbps = pci_gbps(slowest->link);
  const auto counted_gbps = fmt::format("{} GB/s", gbps_words(gbps));
  const bool known = knows_pci_speed(slowest->link.speed) && slowest->link.width > 0;
  if (!known) return {gbps, false, {"not known:", counted_gbps}};
  if (!is_degraded(*slowest)) return {gbps, false, {counted_gbps}};
  return {gbps,
          true,
          {fmt::format("{} of", gbps_words(gbps)),
           fmt::format("{} GB/s", gbps_words(pci_gbps(slowest->max_link)))}};
}

}  // namespace linerate::topo
