// See svg_host.h.
#include "topo/show/svg_host.h"

#include "topo/show/link_look.h"
#include "topo/show/svg_fabric.h"
#include "topo/show/svg_parts.h"
#include "topo/show/words.h"
#include "topo/system/link_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linerate::topo {
namespace {

constexpr double kTwoWires = 16;  // from the middle of a GPU that has two links upwards

double lowest_of(const Part& part) {
  double lowest = part.box.bottom();
  for (const auto& below : part.below) lowest = std::max(lowest, lowest_of(below));
  return lowest;
}

std::string_view look_of_part(const Part& part) {
  switch (part.kind) {
    case PartKind::cpu:
      return "cpu";
    case PartKind::pci:
      return "switch";
    case PartKind::gpu:
      return "gpu";
    case PartKind::nic:
      return part.bad ? "down" : "nic";
    case PartKind::stack:
      return "";
  }
  return "";
}

class HostSketch {
 public:
  HostSketch(Sketch& sketch, const Graph& graph) : sketch_(sketch), graph_(graph) {}

  Box draw(std::vector<Part>& cpus);

 private:
  void draw_wires(const Part& above, const Box& cpu);
  void draw_wire_to(const Part& part, const Box& above, const Box& cpu);
  bool draw_other_link(const Part& gpu, const Box& cpu);
  void draw_trunk(const Part& stack, const Box& above);
  void draw_part(const Part& part);

  Sketch& sketch_;
  const Graph& graph_;
  std::vector<const Part*> gpus_{};
};

// C2C, or the NVLinks of POWER's GPUs: left of the middle.
bool HostSketch::draw_other_link(const Part& gpu, const Box& cpu) {
  bool drawn = false;
  for (const auto& link : graph_.node(gpu.node).links) {
    if (link.kind == LinkKind::pci || graph_.node(link.to).kind != NodeKind::cpu) continue;
    draw_wire(sketch_, {.x = gpu.box.center() - kTwoWires,
                        .top = cpu.bottom(),
                        .bottom = gpu.box.y,
                        .kind = link.kind,
                        .gbps = link.gbps,
                        .label = {fmt::format("{} GB/s", gbps_words(link.gbps))},
                        .side = Anchor::end});
    drawn = true;
  }
  return drawn;
}

void HostSketch::draw_wire_to(const Part& part, const Box& above, const Box& cpu) {
  const bool beside = part.kind == PartKind::gpu && draw_other_link(part, cpu);
  Wire wire{.x = part.box.center() + (beside ? kTwoWires : 0),
            .top = above.bottom(),
            .bottom = part.box.y};
  if (!part.links.empty()) {
    const auto pci = pci_wire_of(part.links);
    wire.gbps = pci.gbps;
    wire.degraded = pci.degraded;
    wire.label = pci.label;
  }
  draw_wire(sketch_, wire);
}

// One line for NICs on top of each other, with a stub to each.
void HostSketch::draw_trunk(const Part& stack, const Box& above) {
  constexpr double kTrunk = 4;
  const double x = stack.box.x + kTrunk;
  double least = 0, most = 0;
  for (const auto& nic : stack.below) {
    const auto pci = nic.links.empty() ? PciWire{} : pci_wire_of(nic.links);
    const double y = nic.box.y + nic.box.h / 2;
    sketch_.degraded = sketch_.degraded || pci.degraded;
    const double thickness = stroke_of(pci.gbps);
    sketch_.canvas.stroke(fmt::format("M {:.1f} {:.1f} H {:.1f}", x - thickness / 2, y, nic.box.x),
                          look_of_link(LinkKind::pci, pci.degraded), thickness);
    least = most == 0 ? pci.gbps : std::min(least, pci.gbps);
    most = std::max(most, pci.gbps);
  }
  const Box& last = stack.below.back().box;
  const auto speed = least == most ? gbps_words(most)
                                   : fmt::format("{} to {}", gbps_words(least), gbps_words(most));
  draw_wire(sketch_, {.x = x,
                      .top = above.bottom(),
                      .bottom = stack.box.y,
                      .gbps = most,
                      .label = {fmt::format("{} GB/s each", speed)}});
  draw_wire(sketch_, {.x = x, .top = stack.box.y, .bottom = last.y + last.h / 2, .gbps = most});
}

void HostSketch::draw_wires(const Part& above, const Box& cpu) {
  for (const auto& part : above.below) {
    if (part.kind == PartKind::stack) {
      draw_trunk(part, above.box);
      continue;
    }
    draw_wire_to(part, above.box, cpu);
    draw_wires(part, cpu);
  }
}

void HostSketch::draw_part(const Part& part) {
  if (part.kind == PartKind::gpu) gpus_.push_back(&part);
  if (part.kind != PartKind::stack) {
    sketch_.canvas.open(part.tip);
    sketch_.canvas.rect(part.box, look_of_part(part), 6);
    sketch_.taken.push_back(part.box);
    sketch_.canvas.texts(part.lines, part.box, part.kind == PartKind::cpu ? "on" : "");
    sketch_.canvas.close();
  }
  for (const auto& below : part.below) draw_part(below);
}

Box HostSketch::draw(std::vector<Part>& cpus) {
  double lowest = 0;
  for (const auto& cpu : cpus) lowest = std::max(lowest, lowest_of(cpu));
  const double bottom = lowest + kBoxPadding;
  for (const auto& cpu : cpus) {
    const double top = cpu.box.y - kBoxPadding;
    sketch_.canvas.rect({cpu.box.x - kBoxPadding, top, cpu.box.w + 2 * kBoxPadding, bottom - top},
                        "numa", 10);
  }
  draw_processor_bus(sketch_, graph_, cpus);
  for (const auto& cpu : cpus) draw_wires(cpu, cpu.box);
  for (const auto& cpu : cpus) draw_part(cpu);
  const double left = cpus.front().box.x - kBoxPadding, top = cpus.front().box.y - kBoxPadding;
  Box whole{left, top, cpus.back().box.right() + kBoxPadding - left, bottom - top};
  whole.h = draw_nvlinks(sketch_, graph_, gpus_, whole) - top;
  return whole;
}

}  // namespace

Box draw_host(Sketch& sketch, const Graph& graph, int host, const TextPlace& corner) {
  auto cpus = parts_of(graph, host);
  if (cpus.empty()) return {corner.x, corner.y};
  const double bus = cpus.size() > 1 ? kBusHeight : 0;
  place_parts(cpus, sizes_of(graph, cpus), corner.x, corner.y + bus + kBoxPadding);
  return HostSketch(sketch, graph).draw(cpus);
}

}  // namespace linerate::topo
