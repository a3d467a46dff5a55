// How long a thread was ready to run while others had its core.
#pragma once

#include "base/handle.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace linerate {

// Of the thread that makes it, which alone may ask. Asking takes a few microseconds.
class CoreWait {
 public:
  CoreWait();
  // Nanoseconds since the thread began, as Linux counts them; nothing where it does not tell.
  std::optional<std::int64_t> ns() const;

 private:
  FileDescriptor file_;
};

// The second number of /proc/PID/schedstat: "131355 3153608 2".
std::optional<std::int64_t> run_delay_ns(std::string_view schedstat);

}  // namespace linerate
