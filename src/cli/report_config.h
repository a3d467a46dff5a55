// What `linerate report` was asked to do.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct ReportConfig {
  std::vector<std::string> files{};  // of JSON Lines, as typed: FILE or NAME=FILE
  std::string folder{};
  std::vector<std::string_view> formats{};  // html, md, png, svg: each once
  std::string title{};                      // empty: the page's own
};

// The words behind `linerate report`. Values that are not given are the defaults of the rows.
Result<ReportConfig> parse_report(const std::vector<std::string>& words);

}  // namespace linerate
