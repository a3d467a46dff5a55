// Text of foreign files made safe to show, measured and broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// The text with a question mark for each control character and each byte that is no UTF-8: neither
// a terminal nor an XML parser takes offence at it.
std::string plain_text(std::string_view text);

// Characters of UTF-8, which is how many columns a terminal needs for Latin text.
std::size_t columns_of(std::string_view text);

// Lines of at most `columns`, broken after blanks, commas and hyphens, and only in words that are
// longer than a line nowhere: these stand out. At least one line.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns);

// The text where it fits, else its beginning and an ellipsis.
std::string shortened(std::string_view text, std::size_t columns);

// "GPU0-GPU3, GPU6": numbered names in a row are told by the first and the last, from three on.
std::string names_in_short(const std::vector<std::string>& names);

// "1 GPU", "8 GPUs".
std::string counted(std::size_t n, std::string_view word);

}  // namespace linerate::topo
