// Text of any program: runs or a sentence, and a comparison of these runs with themselves.
#include "compare/comparison.h"
#include "compare/import.h"
#include "compare/text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const auto file = read_runs("text", {reinterpret_cast<const char*>(data), size});
  if (!file) return 0;
  const auto side = side_of("A", *file);
  if (side.runs.empty()) return 0;
  const auto comparison = compare_sides(side, side, {});
  if (!comparison) return 0;
  (void)terminal_text(*comparison, true);
  (void)markdown_text(*comparison);
  (void)json_text(*comparison);
  (void)junit_text(*comparison);
  return 0;
}
