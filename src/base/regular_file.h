// A whole file that a user names, read as text.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>

namespace linerate {

// Anything but a readable regular file of at most `most_bytes` is refused by what goes on behind
// its name and a colon: "it is a directory, not a file." Pipes are not opened: that would wait for
// their writer.
Result<std::string> read_regular_file(const std::string& path, std::size_t most_bytes);

}  // namespace linerate
