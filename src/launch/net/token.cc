// Every byte that was given is compared, wherever the first difference is.
#include "launch/net/token.h"

namespace linerate {

bool same_token(std::span<const std::byte> expected, std::span<const std::byte> given) {
  std::byte difference{expected.size() != given.size()};
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= given[i] ^ (expected.empty() ? std::byte{0} : expected[i % expected.size()]);
  return difference == std::byte{0};
}

bool same_token(std::string_view expected, std::string_view given) {
  return same_token(std::as_bytes(std::span(expected)), std::as_bytes(std::span(given)));
}

}  // namespace linerate
