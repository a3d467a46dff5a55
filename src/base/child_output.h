// What another process says within limits, which may hang or break without harm to this one.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace linerate {

struct OutputLimits {
  double seconds = 10;
  std::size_t bytes = std::size_t{1} << 20;
  bool any_code = false;  // also where it ends with another code than 0
};

// What `tell` yields in a copy of this process. Refuses, in words that go on behind a name and a
// blank: "took more than 10 s", "says more than 1048576 bytes", "broke down (signal 11)". What the
// copy changes is not seen here. REQUIRES: only one at a time.
Result<std::string> output_of_copy(const std::function<std::string()>& tell,
                                   const OutputLimits& limits = {});

// What a program that PATH finds prints on stdout; its stderr is dropped, its stdin empty. Refuses
// likewise, also "is not installed" and "ended with code 9". REQUIRES: as above.
Result<std::string> output_of_program(const std::vector<std::string>& argv,
                                      const OutputLimits& limits = {});

}  // namespace linerate
