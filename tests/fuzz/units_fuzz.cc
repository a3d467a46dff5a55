// Sizes, times, percentages and numbers from any bytes: a value or a sentence, never a crash.
#include "base/text.h"
#include "base/units.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;  // NOLINT: a fuzz target is one function
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto bytes = parse_bytes("size", text);
  if (bytes && *bytes > (std::size_t{1} << 62)) std::abort();
  if (!bytes && bytes.sentence().empty()) std::abort();
  const auto seconds = parse_seconds("time", text);
  if (seconds && !(*seconds >= 0)) std::abort();
  (void)parse_percent("interval", text);
  (void)parse_integer("count", text);
  return 0;
}
