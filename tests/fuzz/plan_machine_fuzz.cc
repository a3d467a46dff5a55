// What linerate plan has measured of a machine, from a file: a machine, or a sentence; what was
// read is written and read as the same.
#include "plan/measured_machine.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const auto read = plan::read_measurements({reinterpret_cast<const char*>(data), size});
  if (!read) return read.sentence().empty() ? (std::abort(), 0) : 0;
  const auto machine = plan::measured_machine(*read);
  (void)machine.compute->us(plan::Kernel{});
  (void)machine.links->us(plan::CallKind::all_reduce, {2, 1}, 1000);
  for (const auto& call : read->network.calls) {
    const double us = machine.links->us(call.call, call.group, call.bytes);
    if (machine.links->network_us(call.call, call.group, call.bytes) > us) std::abort();
  }
  const auto again = plan::read_measurements(plan::measurements_json(*read));
  if (!again || again->kernels_us != read->kernels_us ||
      again->network.calls != read->network.calls)
    std::abort();
  return 0;
}
