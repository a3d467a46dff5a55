// How links look in pictures.
#pragma once

#include "topo/graph/graph.h"

#include <string_view>

namespace linerate::topo {

// Pixels: thicker by the same amount with each doubling of the bandwidth, from 1.5 to 9.
double stroke_of(double gbps);

std::string_view color_of(LinkKind kind);  // "#4d8f16", on a light ground
inline constexpr std::string_view kDegradedColor = "#d32f2f";

std::string_view look_of(LinkKind kind);   // its class in SVG's style sheet: "pci"
std::string_view words_of(LinkKind kind);  // "PCI Express"

}  // namespace linerate::topo
