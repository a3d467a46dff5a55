// What rules make their findings of.
#pragma once

#include "diagnose/env/env.h"

#include <optional>
#include <string>
#include <string_view>

namespace linerate::env {

// About one setting; `why` is sentences, `advice` begins with a small letter.
inline Finding about(const Setting& setting, Severity severity, std::string why,
                     std::string advice) {
  return {.severity = severity,
          .subject = subject_of(setting),
          .evidence = std::move(why),
          .advice = std::move(advice)};
}

// What its library makes of a value by strtoll() of base 0.
struct WholeReading {
  long long value = 0;
  std::string_view rest{};  // dropped
  bool digits = false;      // else it is 0
  bool octal = false;       // a leading zero, and another digit
  bool too_large = false;   // NCCL then takes the default
};
WholeReading read_whole(const std::string& value);

// The number of a setting that is a whole one and read as it stands; nothing for others.
std::optional<long long> whole_of(const Evidence& evidence, std::string_view name);

}  // namespace linerate::env
