// What a survey found out about a machine, kept for later runs on machines like it.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "bench/survey/survey.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace linerate {

struct MachineFacts {
  std::string hardware{};  // hardware_text() of where it was measured
  std::string measured{};  // ISO 8601, UTC
  Survey survey{};

  bool operator==(const MachineFacts&) const = default;
};

// A survey as a JSON object of one line.
std::string survey_json(const Survey& survey);

// As JSON.
std::string facts_text(const MachineFacts& facts);
// Any text may come. Refuses what facts_text() would not write, in one sentence that names
// `origin`.
Result<MachineFacts> parse_facts(std::string_view text, std::string_view origin);

// Where such a machine's facts are kept in cache_folder(); nothing where there is none.
std::optional<std::filesystem::path> facts_path(const Environment& environment,
                                                std::string_view hardware);

// Those of this machine, where they were kept. Where the file is there but cannot be used,
// `complaint` says why.
std::optional<MachineFacts> find_facts(const Environment& environment, std::string& complaint);

}  // namespace linerate
