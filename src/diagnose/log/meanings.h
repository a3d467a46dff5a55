// What lines of other programs mean, remembered: most lines of a long log are like others but for
// their digits.
#pragma once

#include "diagnose/log/signatures.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::logs {

struct Meaning {
  Level level = Level::none;
  const Signature* row = nullptr;  // null: none matches
};

// Of a line without a mark of NCCL's, as level_of() and find_signature() say.
Meaning meaning_of(std::string_view text);

class Meanings {
 public:
  // meaning_of(text), without looking again at what is known.
  Meaning of(std::string_view text);

 private:
  enum class Digits : std::uint8_t { unknown, idle, count };  // whether its digits matter
  struct Known {
    std::string shape{};  // the text with each digit as a 0
    Meaning meaning{};
    Digits digits = Digits::unknown;
  };

  std::string shape_;
  std::vector<Known> known_{kKnown};  // by a part of the shape's hash: the last that was met
  static constexpr std::size_t kKnown = 1024;
};

}  // namespace linerate::logs
