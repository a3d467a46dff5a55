// See svg_parts.h: sizes and places.
#include "topo/show/svg_parts.h"

#include <algorithm>

namespace linerate::topo {
namespace {

constexpr double kTextPadding = 8;  // between a text and the border of its box
constexpr double kMinColumn = 92, kMaxColumn = 150;
constexpr double kTwoWireColumn = 130;  // for labels on both sides
constexpr double kMaxCpuWidth = 280;
constexpr double kStackGap = 8;

bool is_leaf(const Part& part) {
  return part.kind == PartKind::gpu || part.kind == PartKind::nic || part.kind == PartKind::stack;
}

template <typename Visit>
void visit_parts(const std::vector<Part>& parts, const Visit& visit) {
  for (const auto& part : parts) {
    visit(part);
    visit_parts(part.below, visit);
  }
}

double widest_of(const std::vector<TextLine>& lines) {
  double widest = 0;
  for (const auto& line : lines) widest = std::max(widest, width_of(line));
  return widest + 2 * kTextPadding;
}

double height_of_lines(const std::vector<TextLine>& lines) {
  double height = 2 * kTextPadding;
  for (const auto& line : lines) height += height_of(line.style);
  return height;
}

int levels_below(const Part& part) {
  int levels = 0;
  for (const auto& below : part.below)
    if (!is_leaf(below)) levels = std::max(levels, 1 + levels_below(below));
  return levels;
}

bool has_other_link_to_cpu(const Graph& graph, int gpu) {
  return std::ranges::any_of(graph.node(gpu).links, [&](const Link& link) {
    return link.kind != LinkKind::pci && graph.node(link.to).kind == NodeKind::cpu;
  });
}

class PartPlacer {
 public:
  // `top`: of the first level below the processors.
  PartPlacer(const PartSizes& sizes, double top) : sizes_(sizes), top_(top) {}

  void place_cpu(Part& cpu, double x, double y) {
    const double width = std::max(width_needed(cpu.below), text_width(cpu));
    cpu.box = {x, y, width, kCpuHeight};
    fit(cpu);
    place_row(cpu, 0);
  }

 private:
  static double text_width(const Part& cpu) { return std::min(widest_of(cpu.lines), kMaxCpuWidth); }

  double width_of_part(const Part& part) const {
    return is_leaf(part) ? sizes_.column : std::max(width_needed(part.below), sizes_.column);
  }

  double width_needed(const std::vector<Part>& row) const {
    double width = 0;
    for (const auto& part : row) width += width_of_part(part) + (width > 0 ? kPartGap : 0);
    return width;
  }

  static void fit(Part& part) {
    for (auto& line : part.lines) line = fitted(line, part.box.w - kTextPadding);
  }

  // What is below `above`, side by side in the middle of it.
  void place_row(Part& above, int level) {
    double x = above.box.center() - width_needed(above.below) / 2;
    for (auto& part : above.below) {
      place(part, x, level);
      x += part.box.w + kPartGap;
    }
  }

  double y_of_level(const int level) const { return top_ + level * (kSwitchHeight + kWireGap); }

  void place(Part& part, double x, int level) {
    const double width = width_of_part(part);
    if (!is_leaf(part)) {
      part.box = {x, y_of_level(level), width, kSwitchHeight};
      fit(part);
      return place_row(part, level + 1);
    }
    part.box = {x, y_of_level(sizes_.levels), width, sizes_.leaf_height};
    if (part.kind == PartKind::stack) return place_stack(part);
    fit(part);
  }

  static void place_stack(Part& stack) {
    double y = stack.box.y;
    for (auto& nic : stack.below) {
      const double height = height_of_lines(nic.lines);
      nic.box = {stack.box.x + kTrunkWidth, y, stack.box.w - kTrunkWidth, height};
      fit(nic);
      y += height + kStackGap;
    }
    stack.box.h = y - kStackGap - stack.box.y;
  }

  PartSizes sizes_;
  double top_;
};

}  // namespace

PartSizes sizes_of(const Graph& graph, const std::vector<Part>& cpus) {
  PartSizes sizes{.column = kMinColumn};
  visit_parts(cpus, [&](const Part& part) {
    if (part.kind == PartKind::cpu) sizes.levels = std::max(sizes.levels, levels_below(part));
    if (part.kind == PartKind::stack)
      for (const auto& nic : part.below)
        sizes.column = std::max(sizes.column, widest_of(nic.lines) + kTrunkWidth);
    if (part.kind != PartKind::gpu && part.kind != PartKind::nic) return;
    sizes.column = std::max(sizes.column, widest_of(part.lines));
    sizes.leaf_height = std::max(sizes.leaf_height, height_of_lines(part.lines));
    if (part.kind == PartKind::gpu && has_other_link_to_cpu(graph, part.node))
      sizes.column = std::max(sizes.column, kTwoWireColumn);
  });
  sizes.column = std::min(sizes.column, kMaxColumn);
  return sizes;
}

void place_parts(std::vector<Part>& cpus, const PartSizes& sizes, double x, double y) {
  PartPlacer placer(sizes, y + kCpuHeight + kWireGap);
  for (auto& cpu : cpus) {
    placer.place_cpu(cpu, x + kBoxPadding, y);
    x += cpu.box.w + 2 * kBoxPadding + kPartGap;
  }
}

}  // namespace linerate::topo
