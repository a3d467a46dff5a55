// Small files of /sys and /proc, of this machine or of a copy of another one's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

// Its text without blanks around it; empty where it is not there or cannot be read. Only regular
// files are read, and of these the first 64 KiB up to the first zero byte: tar fills files of
// sysfs, which are shorter than they say, with zeros.
std::string text_in(const std::filesystem::path& file);

// The decimal or 0x number that the file holds and nothing else.
std::optional<std::int64_t> number_in(const std::filesystem::path& file);

// Names of the entries of a folder in alphabetical order; none where it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

// Where the links of `path` lead, when that is below `root`; otherwise empty: a link of a copied
// tree may point at this machine.
std::filesystem::path real_path(const std::filesystem::path& root,
                                const std::filesystem::path& path);

}  // namespace linerate::topo
