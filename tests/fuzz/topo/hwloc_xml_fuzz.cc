// hwloc's XML of any bytes: a system that can be shown, or a sentence.
#include "fuzz/topo/shown.h"
#include "topo/detect/hwloc_system.h"

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstdint>
#include <cstdlib>
#include <string>

// hwloc may die of an input in the process that tries it first: that is no find.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return ::pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto system = linerate::topo::read_hwloc_xml(text, "a.xml");
  if (!system) return system.sentence().starts_with("a.xml:") ? 0 : (std::abort(), 0);
  linerate::topo::show_everything(*system);
  return 0;
}
