// Links of a picture, each as thick as it is fast, with its GB/s beside it.
#pragma once

#include "topo/graph/graph.h"
#include "topo/show/svg_canvas.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

// A picture while it is drawn, and what its legend has to explain.
struct Sketch {
  SvgCanvas canvas{};
  std::set<LinkKind> kinds{};
  bool degraded = false;
  std::vector<Box> taken{};  // by devices and by texts of links: no other text lies there
};

// A line from top to bottom.
struct Wire {
  double x = 0, top = 0, bottom = 0;
  LinkKind kind = LinkKind::pci;
  double gbps = 0;
  bool degraded = false;
  std::vector<std::string> label{};  // lines
  Anchor side = Anchor::start;       // start: right of the line, end: left of it
};

void draw_wire(Sketch& sketch, const Wire& wire);

// The class of a link: "link pci", with " bad" where it is degraded.
std::string look_of_link(LinkKind kind, bool degraded);

// Draws a text where none is yet, centred at the first of the places that is free; nowhere where
// none is.
void draw_label(Sketch& sketch, const std::string& text, std::span<const TextPlace> places);

// PCI links one behind the other: as fast as the slowest.
struct PciWire {
  double gbps = 0;
  bool degraded = false;
  std::vector<std::string> label{};  // "48 GB/s"; "24 of", "48 GB/s"; "not known:", "12 GB/s"
};
PciWire pci_wire_of(const std::vector<const PciDevice*>& links);

}  // namespace linerate::topo
