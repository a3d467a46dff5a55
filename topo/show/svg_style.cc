// See svg_style.h.
#include "topo/show/svg_style.h"

#include "topo/show/link_look.h"

#include <fmt/format.h>

#include <string_view>

namespace linerate::topo {
namespace {

constexpr std::string_view kShapes = R"(
text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; fill: #1b2430; }
.t1 { font-size: 20px; font-weight: bold; }
.t2 { font-size: 13px; font-weight: bold; }
.t3 { font-size: 11.5px; }
.t4 { font-size: 10.5px; fill: #4a5665; }
text.on { fill: #ffffff; }
text.bad { fill: #c62828; font-weight: bold; }
text.halo { stroke: #ffffff; stroke-width: 3px; paint-order: stroke; }
.ground { fill: #ffffff; }
.numa { fill: #f4f6f9; stroke: #c5ced9; }
.cpu { fill: #3a4b61; }
.switch { fill: #e2e8ef; stroke: #8d9bad; }
.gpu { fill: #e4f3d3; stroke: #4d8f16; stroke-width: 1.5; }
.nic { fill: #dcecfb; stroke: #1d6fb8; stroke-width: 1.5; }
.down { fill: #fdecea; stroke: #c62828; stroke-width: 1.5; }
.nvswitch { fill: #3f7a10; }
.link { fill: none; stroke-linecap: butt; }
)";

constexpr std::string_view kDarkShapes = R"(
text { fill: #e8edf3; }
.t4 { fill: #aeb9c7; }
text.bad { fill: #ff8a80; }
text.halo { stroke: #12171e; }
.ground { fill: #12171e; }
.numa { fill: #1b222c; stroke: #3b4858; }
.cpu { fill: #50647e; }
.switch { fill: #2a3542; stroke: #6d7d91; }
.gpu { fill: #223516; stroke: #7cc242; }
.nic { fill: #16304a; stroke: #58a6e8; }
.down { fill: #45201f; stroke: #ff6f61; }
.nvswitch { fill: #4d8f16; }
)";

constexpr LinkKind kKinds[] = {LinkKind::pci, LinkKind::nvl, LinkKind::c2c, LinkKind::sys};

std::string_view bright_color_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvl:
      return "#7cc242";
    case LinkKind::c2c:
      return "#f0a040";
    case LinkKind::sys:
      return "#b794f6";
    case LinkKind::loc:
    case LinkKind::pci:
    case LinkKind::net:
      return "#93a3b8";
  }
  return "";
}

}  // namespace

std::string svg_style() {
  constexpr std::string_view kRule = ".{} {{ stroke: {}; }}\n";
  std::string light(kShapes), dark(kDarkShapes);
  for (const auto kind : kKinds) {
    light += fmt::format(kRule, look_of(kind), color_of(kind));
    dark += fmt::format(kRule, look_of(kind), bright_color_of(kind));
  }
  constexpr std::string_view kBad = ".link.bad {{ stroke: {}; stroke-dasharray: 7 4; }}\n";
  light += fmt::format(kBad, kDegradedColor);
  dark += fmt::format(kBad, "#ff6f61");
  return fmt::format("{}@media (prefers-color-scheme: dark) {{{}}}\n", light.substr(1), dark);
}

}  // namespace linerate::topo
