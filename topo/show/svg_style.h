// The style sheet of pictures.
#pragma once

#include <string>

namespace linerate::topo {

// Rules for every class that pictures use, and others for those who prefer dark grounds.
std::string svg_style();

}  // namespace linerate::topo
