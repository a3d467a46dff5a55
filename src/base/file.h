// Files read and written as a whole.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace linerate {

// Anything but a readable regular file of at most `most_bytes` is refused by what goes on behind
// its name and a colon: "it is a directory, not a file." Pipes are not opened: that would wait for
// their writer.
Result<std::string> read_regular_file(const std::string& path, std::size_t most_bytes);

// The same, also of a pipe, such as a shell's <(command): to its end, which its writer must make.
// Terminals and other devices are refused.
Result<std::string> read_file_or_pipe(const std::string& path, std::size_t most_bytes);

// Writes beside `path`, or the file that it links to, and moves it there, so that readers see the
// old text or the new one; what is no regular file, such as /dev/stdout, is written as it is.
// Missing folders are created. Yields why `path` cannot be written, in the system's words
// ("Permission denied"). Throws SystemError where the disk is full or broken, whichever the path.
std::optional<std::string> write_whole_file(const std::filesystem::path& path,
                                            std::string_view text);

// "Intel(R) Xeon(R)" -> "intel-r-xeon-r": letters and digits, single dashes between them.
std::string file_name_of(std::string_view text);

}  // namespace linerate
