// The file of a sweep's study, the sizes in it, and how the records of a case are judged.
#include "sweep/outcome.h"
#include "sweep/study.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto file = sweep::read_study(text)) {
    sweep::Study study{.collectives = {all_collectives().front()},
                       .environment = file->environment};
    if (!sweep::study_refusal(study))
      for (const auto& one : sweep::cases_of(study)) (void)sweep::command_of(study, one);
  }
  if (const auto sizes = sweep::parse_sizes(text))
    if (*sweep::parse_sizes(sweep::text_of(*sizes)) != *sizes) __builtin_trap();
  if (const auto records = read_jsonl(text)) (void)sweep::judged(*records);
  return 0;
}
