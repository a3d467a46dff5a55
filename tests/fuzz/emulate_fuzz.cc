// An emulated network of any bytes: one whose every path can be asked for, or a sentence.
#include "backends/host/emulation/network.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto network = linerate::host::parse_network(text);
  if (!network) return network.sentence().empty() ? (std::abort(), 0) : 0;
  const int last = network->nranks() - 1;
  if (last == 0) return 0;
  const auto path = network->path(0, last);
  if (path.latency.real_ns < 0 || path.latency.healthy_ns < 0 || path.stretch < 1) std::abort();
  for (const auto link : path.links()) {
    const auto busy = network->busy(link, 1);
    if (busy.real_ns < 0 || busy.healthy_ns < 0 || network->name_of(link).empty()) std::abort();
  }
  return 0;
}
