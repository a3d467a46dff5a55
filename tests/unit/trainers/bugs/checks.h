// The checks that tests and users have of a training on several ranks, each by a name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace linerate::trainers {

struct Check {
  std::string_view name{};
  // What is wrong; nothing where all is right.
  std::optional<std::string> (*failure)() = nullptr;
};

std::span<const Check> checks();
// REQUIRES: there is one of this name.
const Check& check_named(std::string_view name);

}  // namespace linerate::trainers
