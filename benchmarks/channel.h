// A rank's line to the driver: one JSON object a line, over a Unix socket; blocked while idle.
#pragma once

#include "base/handle.h"

#include <optional>
#include <string>
#include <string_view>

namespace linerate::benchmarks {

// Used by one thread. Nothing spins here: whoever waits for a request leaves its core to others.
class Channel {
 public:
  // Throws SystemError where nobody listens at `path`.
  explicit Channel(const std::string& path);

  // The next line without its end; nothing once the driver has gone.
  std::optional<std::string> read_line();
  // Adds the end of the line. A driver that has gone is noticed by the next read_line().
  void write_line(std::string_view text);

 private:
  FileDescriptor fd_;
  std::string unread_;
};

}  // namespace linerate::benchmarks
