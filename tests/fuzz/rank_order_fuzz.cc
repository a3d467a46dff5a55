// Placements that number a trainer's ranks: anybody may have written one.
#include "trainers/engine/rank_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate::trainers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)parse_order(text);
  const auto order = read_rank_places(text);
  if (!order) return order.sentence().empty() ? (std::abort(), 0) : 0;
  auto places = order->places;
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != static_cast<int>(i)) std::abort();
  return 0;
}
