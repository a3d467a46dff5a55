// What there is to say of a rule beside what it finds: its page in docs/doctor, its line in lists,
// and `linerate doctor --explain` are made of this.
#pragma once

#include "record/finding.h"

#include <string>
#include <string_view>

namespace linerate {

// Texts are plain, without Markdown; views are of tables that stay. An empty one is left out.
struct RuleText {
  std::string_view id{};                  // Finding::rule
  Severity severity = Severity::warning;  // at most
  std::string_view about{};               // a phrase: what it finds, or what it looks at
  std::string_view reads{};               // where it is read
  std::string speaks{};                   // goes on behind "Speaks": "if …", with its thresholds
  std::string_view why{};                 // sentences
  std::string_view remedy{};              // as Finding::advice
  std::string_view source{};              // with commas between: "NVIDIA/nccl#290, CUDA"
  std::string example{};                  // what the command prints of it
};

}  // namespace linerate
