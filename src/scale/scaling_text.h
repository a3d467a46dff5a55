// A study for a terminal, and for the program that draws it.
#pragma once

#include "scale/scaling.h"

#include <string>
#include <vector>

namespace linerate::scale {

// A table for each way of scaling, with what its numbers mean.
std::string tables_text(const std::vector<Table>& tables);

// One object: "tables", each with "scaling", "baseline", "base_nranks", "base_us" and "rows"
// (docs/scaling.md names the keys), "title", and "facts" of what was measured, where and when.
std::string tables_json(const std::vector<Table>& tables, const std::string& title,
                        const std::vector<std::string>& facts = {});

}  // namespace linerate::scale
