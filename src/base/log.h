// Messages for people: stderr only, one line each, with the rank where one is known.
#pragma once

#include <string_view>

namespace linerate {

// Writes "linerate: TEXT\n" with one write(2), so that lines of several processes do not mix.
// Any thread may call it; it never throws.
void say(std::string_view text) noexcept;

}  // namespace linerate
