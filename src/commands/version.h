// linerate's own version.
#pragma once

#include <string>
#include <string_view>

namespace linerate {

std::string_view version();  // "0.1.0", from the build
std::string version_text();  // "linerate 0.1.0"

}  // namespace linerate
