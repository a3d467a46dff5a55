// Foreign text made safe to show, measured and cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linerate {

// The text with a question mark for each control character and each byte that is no UTF-8: neither
// a terminal nor an XML parser takes offence at it.
std::string plain_text(std::string_view text);

// Characters of UTF-8, which is how many columns a terminal needs for Latin text.
std::size_t columns_of(std::string_view text);

// The text where it fits, else its beginning and an ellipsis.
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace linerate
