// Binary sizes in bytes.
#pragma once

#include <cstddef>

namespace linerate {

inline constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

}  // namespace linerate
