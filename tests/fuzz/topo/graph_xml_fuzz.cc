// A file of channels of any bytes: a dump that can be shown and compared, or a sentence.
#include "topo/read/graph_xml.h"
#include "topo/show/graph_dumps.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linerate::topo::read_graph_xml;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto dump = read_graph_xml(text, "a.xml");
  if (!dump) return dump.sentence().starts_with("a.xml:") ? 0 : (std::abort(), 0);
  if (linerate::topo::dump_text(*dump).empty()) std::abort();
  if (!linerate::topo::differences(*dump, *dump).empty()) std::abort();
  return 0;
}
