// The file of a study, a trainer's lines, and the lines of a study's runs.
#include "scale/run_result.h"
#include "scale/study.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)linerate::scale::read_study(text);
  (void)linerate::scale::step_times_of(text);
  (void)linerate::scale::pipeline_step_of(text);
  if (const auto results = linerate::scale::read_results(text))
    for (const auto& result : *results) (void)linerate::scale::line_of(result);
  return 0;
}
