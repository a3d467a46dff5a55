// A topology file of any bytes: a system that can be shown, written and read again, or a sentence.
#include "fuzz/topo/shown.h"
#include "topo/read/nccl_xml.h"
#include "topo/show/views.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linerate::topo::nccl_xml_of;
  using linerate::topo::read_nccl_xml;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto system = read_nccl_xml(text, "a.xml");
  if (!system) return system.sentence().starts_with("a.xml:") ? 0 : (std::abort(), 0);
  linerate::topo::show_everything(*system);
  const auto written = nccl_xml_of(*system);
  if (!written) return written.sentence().empty() ? (std::abort(), 0) : 0;
  const auto again = read_nccl_xml(*written, "b.xml");
  if (!again) std::abort();
  const auto twice = nccl_xml_of(*again);
  if (!twice || *twice != *written) std::abort();
  return 0;
}
