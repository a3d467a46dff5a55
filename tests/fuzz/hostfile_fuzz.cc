// A hostfile without some hosts: its other lines stay as they are, and doing it again changes
// nothing.
#include "pairs/text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::array<std::string, 2> hosts{"host2", "node-17.example"};
  const auto once = pairs::without_hosts(text, hosts);
  if (once.size() < text.size() || pairs::without_hosts(once, hosts) != once) std::abort();
  return 0;
}
