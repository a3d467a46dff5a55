// Bytes, seconds, percentages and moments as people type and read them. Prefixes of bytes are
// powers of 1024 on input.
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace linerate {

// 1 GB/s, with prefixes of 10, moves as many bytes in a microsecond.
inline constexpr double kBytesPerUsOfGbps = 1e3;

// Microseconds that bytes take at a bandwidth in GB/s, and the bandwidth at which they take so
// long; 0 GB/s where they take no time.
constexpr double transfer_us(double bytes, double gbps) {
  return bytes / (kBytesPerUsOfGbps * gbps);
}
constexpr double gbps_of(double bytes, double us) {
  return us > 0 ? bytes / (kBytesPerUsOfGbps * us) : 0;
}

// "8", "8k", "1.5M", "1GiB", "2TB" -> bytes. `what` names the value in the sentence.
// Negative values, fractions of a byte, unknown suffixes and values above 2^62 are refused.
Result<std::size_t> parse_bytes(std::string_view what, std::string_view text);

// "5s", "250ms", "2m", "10us"; a bare number is seconds.
Result<double> parse_seconds(std::string_view what, std::string_view text);

// "1%" -> 0.01; the sign is required, so that 1 cannot be read as 100 %.
Result<double> parse_percent(std::string_view what, std::string_view text);

// 67108864 -> "64 MiB", 1500 -> "1500 B": exact multiples only carry a prefix.
std::string bytes_text(std::size_t bytes);

// 13189431296 -> "12.28 GiB": rounded to four figures, for amounts of memory.
std::string about_bytes_text(std::size_t bytes);

using Moment = std::chrono::system_clock::time_point;

// "2026-05-01T10:00:09.123Z"
std::string utc_text(Moment moment);
// "2026-05-01 12:00:09" in this host's time zone
std::string local_text(Moment moment);
// The same of what utc_text() yields; other texts as they are.
std::string local_text_of(const std::string& utc);

}  // namespace linerate
