// Numbers of the console table: plain decimals, never an exponent, because parsers drop those rows.
#pragma once

#include <cstdint>
#include <string>

namespace linerate {

// Right-aligned in `width` characters with two decimals, or one, or none, whichever fits first, as
// nccl-tests does; a number too long for all three makes its column wider.
std::string fitted(double value, int width);

// Six significant digits without trailing zeros: 220.921, 0.0123, 1234567.
std::string plain(double value);

// "1.50 KB", "12.0 MB", "128 GB": powers of 1024 under nccl-tests' names.
std::string memory_text(std::uint64_t bytes);

// "9.12 us", "45.1 ms", "1.23 s": three figures.
std::string microseconds_text(double us);

// "9 s", "2 min 5 s", "1 h 3 min".
std::string duration_text(double seconds);

}  // namespace linerate
