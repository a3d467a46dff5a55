// Whether a test runs under a sanitizer, which takes ten times as long: fewer rounds do there.
#pragma once

namespace linerate {

#if defined(LINERATE_ASAN) || defined(LINERATE_TSAN)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace linerate
