// Text broken into lines, and names told in short.
#pragma once

#include "base/plain_text.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// Lines of at most `columns`, broken after blanks, commas and hyphens, and only in words that are
// longer than a line nowhere: these stand out. At least one line.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns);

// Rows of cells, each column as wide as its widest cell and two blanks; every line ended, none with
// blanks. `indent`: blanks in front of each line.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);

// "GPU0-GPU3, GPU6": numbered names in a row are told by the first and the last, from three on.
std::string names_in_short(const std::vector<std::string>& names);

// "1 GPU", "8 GPUs".
std::string counted(std::size_t n, std::string_view word);

}  // namespace linerate::topo
