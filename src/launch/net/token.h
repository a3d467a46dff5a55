// What a peer must know to belong to the job, and its comparison.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace linerate {

inline constexpr std::size_t kMaxTokenBytes = 256;

// Equal, in a time that depends on the length of `given` only.
bool same_token(std::string_view expected, std::string_view given);
bool same_token(std::span<const std::byte> expected, std::span<const std::byte> given);

}  // namespace linerate
