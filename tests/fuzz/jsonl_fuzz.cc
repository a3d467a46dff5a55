// A JSON Lines file of any bytes: records or an error with its line.
#include "record/json_lines.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)linerate::read_jsonl(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
