// See svg_fabric.h.
#include "topo/show/svg_fabric.h"

#include "topo/show/fabric_words.h"
#include "topo/show/link_look.h"
#include "topo/show/nvlinks.h"
#include "topo/show/plain_text.h"
#include "topo/show/words.h"
#include "topo/system/link_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace linerate::topo {
namespace {

constexpr double kBarHeight = 30, kBarGap = 44;  // of the NVSwitches
constexpr double kBarMargin = 16;                // around its text
constexpr double kMinArc = 44, kArcStep = 26;    // depth of an arc, and for each GPU that it passes
constexpr double kArcPart = 0.75;   // of its control points' depth that a curve of four points has
constexpr double kLabelRoom = 12;   // below an arc
constexpr double kFastBus = 100;    // GB/s, from which on links between processors are as thick
constexpr double kArcSpread = 0.6;  // of a GPU's width that its arcs begin in

// "each to each, 16 GB/s"; of processors that differ the least and the most.
std::string bus_words(const std::vector<double>& gbps, std::size_t cpus) {
  const auto [least, most] = std::ranges::minmax(gbps);
  const auto each = cpus > 2 ? "each to each, " : "";
  if (most >= kLocalGbps) return fmt::format("{}speed not known", each);
  if (least == most) return fmt::format("{}{} GB/s", each, gbps_words(most));
  return fmt::format("{}{} to {} GB/s", each, gbps_words(least), gbps_words(most));
}

std::vector<double> bandwidths_between(const Graph& graph, const std::vector<Part>& cpus) {
  std::vector<double> gbps;
  for (const auto& cpu : cpus)
    for (const auto& link : graph.node(cpu.node).links)
      if (link.kind == LinkKind::sys) gbps.push_back(link.gbps);
  return gbps;
}

// One pair of GPUs with NVLinks of their own.
struct Arc {
  std::size_t from = 0, to = 0;  // in the row of GPUs, from left to right
  NvLinks links{};
};

class NvLinkSketch {
 public:
  NvLinkSketch(Sketch& sketch, const Graph& graph, const std::vector<const Part*>& gpus)
      : sketch_(sketch), graph_(graph), gpus_(gpus) {}

  double draw(Box above);

 private:
  std::vector<Arc> arcs() const;
  double start_of(std::size_t gpu, std::size_t other, const std::vector<Arc>& arcs) const;
  void draw_arc(const Arc& arc, const std::vector<Arc>& arcs);
  bool has_switches() const;
  double draw_switches(const Box& above);
  void draw_link_to_switch(const Part& gpu, const NvLinks& links, double y);

  Sketch& sketch_;
  const Graph& graph_;
  const std::vector<const Part*>& gpus_;
};

std::vector<Arc> NvLinkSketch::arcs() const {
  std::vector<Arc> found;
  for (std::size_t i = 0; i < gpus_.size(); ++i)
    for (const auto& links : nvlinks_of(graph_, gpus_[i]->node)) {
      const auto peer =
          std::ranges::find(gpus_, links.to, [](const Part* gpu) { return gpu->node; });
      const auto at = static_cast<std::size_t>(peer - gpus_.begin());
      if (peer != gpus_.end() && at > i) found.push_back({i, at, links});
    }
  return found;
}

// Where the arc to `other` begins below a GPU: the arcs of a GPU lie in the order of their ends.
double NvLinkSketch::start_of(std::size_t gpu, std::size_t other,
                              const std::vector<Arc>& arcs) const {
  std::vector<std::size_t> left, right;
  for (const auto& arc : arcs) {
    if (arc.to == gpu) left.push_back(arc.from);
    if (arc.from == gpu) right.push_back(arc.to);
  }
  std::ranges::sort(left, std::greater<>{});  // near ones inside, so that no two cross here
  std::ranges::sort(right, std::greater<>{});
  left.insert(left.end(), right.begin(), right.end());
  const auto at = static_cast<double>(std::ranges::find(left, other) - left.begin());
  const Box& box = gpus_[gpu]->box;
  const double width = box.w * kArcSpread;
  return box.center() + width * ((at + 0.5) / static_cast<double>(left.size()) - 0.5);
}

double depth_of(const Arc& arc) {
  return kMinArc + kArcStep * static_cast<double>(arc.to - arc.from - 1);
}

void NvLinkSketch::draw_arc(const Arc& arc, const std::vector<Arc>& arcs) {
  const double x1 = start_of(arc.from, arc.to, arcs), x2 = start_of(arc.to, arc.from, arcs);
  const double y1 = gpus_[arc.from]->box.bottom(), y2 = gpus_[arc.to]->box.bottom();
  const double low = std::max(y1, y2) + depth_of(arc);
  sketch_.kinds.insert(LinkKind::nvl);
  const auto word = nvlink_word(*graph_.node(gpus_[arc.from]->node).gpu);
  const auto count = counted(static_cast<std::size_t>(arc.links.count), word);
  sketch_.canvas.open(
      {fmt::format("{} to {}: {}, {} GB/s", gpus_[arc.from]->lines[0].text,
                   gpus_[arc.to]->lines[0].text, count, gbps_words(arc.links.gbps))});
  sketch_.canvas.stroke(fmt::format("M {:.1f} {:.1f} C {:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}",
                                    x1, y1, x1, low, x2, low, x2, y2),
                        look_of_link(LinkKind::nvl, false), stroke_of(arc.links.gbps));
  sketch_.canvas.close();
}

void draw_arc_label(Sketch& sketch, const Arc& arc, double x1, double x2, double top) {
  std::vector<TextPlace> places;
  for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7}) {
    const double across = t * t * (3 - 2 * t), deep = 3 * t * (1 - t);  // of the curve, at t
    places.push_back({x1 + (x2 - x1) * across, top + depth_of(arc) * deep + 4, Anchor::middle});
  }
  draw_label(sketch, fmt::format("{} GB/s", gbps_words(arc.links.gbps)), places);
}

void NvLinkSketch::draw_link_to_switch(const Part& gpu, const NvLinks& links, double y) {
  const Gpu& device = *graph_.node(gpu.node).gpu;
  const bool degraded = lacks_nvlinks(device);
  std::vector<std::string> label{fmt::format("{} GB/s", gbps_words(links.gbps))};
  if (degraded)
    label.insert(label.begin(),
                 fmt::format("{} of {}", active_nvlinks(device), nvlink_capacity(device)));
  draw_wire(sketch_, {.x = gpu.box.center(),
                      .top = gpu.box.bottom(),
                      .bottom = y,
                      .kind = LinkKind::nvl,
                      .gbps = links.gbps,
                      .degraded = degraded,
                      .label = std::move(label)});
}

bool NvLinkSketch::has_switches() const {
  return std::ranges::any_of(gpus_, [&](const Part* gpu) {
    return std::ranges::any_of(nvlinks_of(graph_, gpu->node), [&](const NvLinks& links) {
      return graph_.node(links.to).kind == NodeKind::nvs;
    });
  });
}

// A bar as wide as what is above it, or as its text.
double NvLinkSketch::draw_switches(const Box& above) {
  if (!has_switches()) return above.bottom();
  const TextLine line{fmt::format("{}: {}", nvswitch_label(graph_), nvswitch_words(graph_)),
                      TextStyle::name};
  const Box bar{above.x, above.bottom() + kBarGap,
                std::max(above.w, width_of(line) + 2 * kBarMargin), kBarHeight};
  for (const auto* gpu : gpus_)
    for (const auto& links : nvlinks_of(graph_, gpu->node))
      if (graph_.node(links.to).kind == NodeKind::nvs) draw_link_to_switch(*gpu, links, bar.y);
  sketch_.canvas.rect(bar, "nvswitch", 6);
  sketch_.canvas.texts({line}, bar, "on");
  sketch_.taken.push_back(bar);
  return bar.bottom();
}

double NvLinkSketch::draw(Box above) {
  const auto all = arcs();
  double low = above.bottom();
  for (const auto& arc : all) {
    draw_arc(arc, all);
    const double top = std::max(gpus_[arc.from]->box.bottom(), gpus_[arc.to]->box.bottom());
    low = std::max(low, top + depth_of(arc) * kArcPart + stroke_of(arc.links.gbps) + kLabelRoom);
  }
  for (const auto& arc : all) {
    const double top = std::max(gpus_[arc.from]->box.bottom(), gpus_[arc.to]->box.bottom());
    draw_arc_label(sketch_, arc, start_of(arc.from, arc.to, all), start_of(arc.to, arc.from, all),
                   top);
  }
  above.h = low - above.y;
  return draw_switches(above);
}

}  // namespace

void draw_processor_bus(Sketch& sketch, const Graph& graph, const std::vector<Part>& cpus) {
  const auto gbps = bandwidths_between(graph, cpus);
  if (gbps.empty()) return;
  const double from = cpus.front().box.center(), to = cpus.back().box.center();
  const double bottom = cpus.front().box.y, y = bottom - kBoxPadding - kBusHeight / 2 + 8;
  const double thickness = stroke_of(std::min(std::ranges::max(gbps), kFastBus));
  std::string path =
      fmt::format("M {:.1f} {:.1f} V {:.1f} H {:.1f} V {:.1f}", from, bottom, y, to, bottom);
  for (std::size_t i = 1; i + 1 < cpus.size(); ++i)
    path += fmt::format(" M {:.1f} {:.1f} V {:.1f}", cpus[i].box.center(), y, bottom);
  sketch.kinds.insert(LinkKind::sys);
  sketch.canvas.stroke(path, look_of_link(LinkKind::sys, false), thickness);
  sketch.canvas.text({bus_words(gbps, cpus.size()), TextStyle::small},
                     {(from + to) / 2, y - thickness / 2 - 5, Anchor::middle});
}

double draw_nvlinks(Sketch& sketch, const Graph& graph, const std::vector<const Part*>& gpus,
                    const Box& above) {
  return NvLinkSketch(sketch, graph, gpus).draw(above);
}

}  // namespace linerate::topo
