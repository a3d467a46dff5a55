// What a picture of a host is made of: boxes in boxes, with their texts and places.
#pragma once

#include "topo/show/bus_tree.h"
#include "topo/show/svg_canvas.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate::topo {

enum class PartKind : std::uint8_t { cpu, pci, gpu, nic, stack };

// A processor with all below it, a switch, a GPU, a NIC; or NICs of one switch on top of each
// other.
struct Part {
  PartKind kind = PartKind::pci;
  std::vector<TextLine> lines{};
  std::vector<std::string> tip{};  // lines
  // Whose links lead up from here: one, of folded switches all. Empty: nobody tells the place.
  std::vector<const PciDevice*> links{};
  int node = -1;
  bool bad = false;  // a port is down
  Box box{};
  std::vector<Part> below{};
};

// One for all pictures, so that columns and rows line up.
struct PartSizes {
  double column = 0;  // width of a GPU or a NIC
  double leaf_height = 0;
  int levels = 0;  // of switches, one above the other
};

// The processors of a host, sized but without a place.
std::vector<Part> parts_of(const Graph& graph, int host);
PartSizes sizes_of(const Graph& graph, const std::vector<Part>& cpus);

// Gives everything its place, processors side by side with the first one's corner at (x, y), and
// cuts texts that are too long.
void place_parts(std::vector<Part>& cpus, const PartSizes& sizes, double x, double y);

constexpr double kPartGap = 10;  // between neighbours
constexpr double kWireGap = 36;  // between what is above and below each other
constexpr double kSwitchHeight = 36;
constexpr double kCpuHeight = 56;
constexpr double kBoxPadding = 12;  // of the box around a processor's devices
constexpr double kTrunkWidth = 14;  // left of stacked NICs, for the link that they share

}  // namespace linerate::topo
