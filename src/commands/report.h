// The Python scripts of reports/, which lie beside this program: linerate report, topo --svg.
#pragma once

#include "base/environment.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct ReportScript {
  std::string_view file;   // "report.py"
  std::string_view needs;  // "a Python 3 with numpy": what PYTHON has to name
};

// The interpreter, which PYTHON names, else /usr/bin/python3, and the script's path. Throws
// Unavailable where the script is not beside this program.
std::vector<std::string> command_of(const ReportScript& script, const Environment& environment);

// What the script prints when it reads `input`. Throws Unavailable where it cannot start or fails;
// its stderr is then this program's.
std::string run_script(const ReportScript& script, const std::vector<std::string>& command,
                       std::string_view input);

}  // namespace linerate
