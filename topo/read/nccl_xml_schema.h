// Which elements and attributes NCCL's topology XML has.
#pragma once

#include "topo/read/xml_file.h"

#include <string>
#include <vector>

namespace linerate::topo {

// A sentence for each attribute and element in `root` that is not read: each name once, at most
// 20, with its first line.
std::vector<std::string> unread_parts(const XmlFile& file, pugi::xml_node root);

}  // namespace linerate::topo
