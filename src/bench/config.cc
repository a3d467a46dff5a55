// Pure functions of the configuration.
#include "bench/config.h"

namespace linerate {

int SplitRule::color(int rank) const {
  const auto global = static_cast<std::uint64_t>(rank);
  switch (kind) {
    case Kind::none:
      return 0;
    case Kind::bit_and:
      return static_cast<int>(global & value);
    case Kind::bit_or:
      return static_cast<int>(global | value);
    case Kind::mod:
      return static_cast<int>(global % value);
    case Kind::div:
      return static_cast<int>(global / value);
  }
  __builtin_unreachable();
}

}  // namespace linerate
