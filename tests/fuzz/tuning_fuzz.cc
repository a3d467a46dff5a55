// Tables of algorithms: any file may lie in the cache folder.
#include "backends/host/tuning_table.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::host;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = parse_tuning(text, "fuzz");
  if (table && !parse_tuning(tuning_text(*table), "again")) std::abort();
  return 0;
}
