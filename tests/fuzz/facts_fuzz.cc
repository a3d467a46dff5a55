// Facts about machines: any file may lie in the cache folder.
#include "bench/survey/machine_facts.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto facts = parse_facts(text, "fuzz");
  if (!facts) return 0;
  (void)cache_end(facts->survey);
  if (!parse_facts(facts_text(*facts), "again")) std::abort();
  return 0;
}
