// Whether a test runs under a sanitizer, which takes ten times as long: fewer rounds do there.
#pragma once

namespace linerate {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace linerate
