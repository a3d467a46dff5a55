// Finished cases as people and programs read them.
#pragma once

#include "sweep/database.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace linerate::sweep {

// Cases below each other under a heading, each with its reason.
class ListText {
 public:
  void add(const FinishedCase& of);
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> reasons_;  // of the rows
};
// "3 ok, 1 hung"
std::string counts_text(const std::map<Outcome, std::size_t>& counts);

// A line of kind `case`, and those of its records.
std::string json_lines(const FinishedCase& of);

// The columns of a case, and those of --csv for each of its results; a case without results has one
// line. Throws where the records of a file are none.
std::string csv_heading_of_cases();
std::string csv_lines(const FinishedCase& of);

}  // namespace linerate::sweep
