// One document of YAML that a user wrote.
#pragma once

#include "base/result.h"

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string_view>

namespace linerate::yaml {

// How deep maps and lists may stand in each other; what linerate reads needs less.
inline constexpr int kMaxDepth = 32;

// The document, or what goes on behind the file's name: ", line 3: ..." of what is not YAML (or
// JSON, where `language` says so: each object of JSON is YAML) or nests too deep, ": ..." of more
// than `most_bytes`, and of anything but one document.
Result<YAML::Node> load_document(std::string_view text, std::size_t most_bytes,
                                 std::string_view language = "YAML");

}  // namespace linerate::yaml
