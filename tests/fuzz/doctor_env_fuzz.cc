// Text of any format as the variables that it sets, and what is found in them.
#include "diagnose/env/sources.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The first byte chooses the format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  using env::Format;
  constexpr std::array kFormats{Format::detected, Format::shell, Format::dockerfile, Format::yaml,
                                Format::nccl_conf};
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto settings =
      env::read_settings("file", text, {.format = kFormats[data[0] % kFormats.size()]});
  if (!settings) {
    if (settings.sentence().empty()) std::abort();
    return 0;
  }
  for (const auto& finding : env::examine(*settings, env::kNewest))
    if (finding.subject.empty() || finding.evidence.empty() || finding.advice.empty()) std::abort();
  return 0;
}
