// Any bytes as a log, in blocks of a size that the first byte chooses; and the report on it.
#include "diagnose/log/report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::logs;
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t at_once = std::size_t{data[0]} * data[0] + 1;
  LogReader reader;
  reader.read("log", [&](std::span<char> room) {
    const auto n = std::min({text.size(), room.size(), at_once});
    std::copy_n(text.data(), n, room.data());
    text.remove_prefix(n);
    return n;
  });
  const auto report = std::move(reader).report();
  (void)log_text(report);
  (void)log_json(report);
  return 0;
}
