// Lines of logs in one pass: those that may say something are handed on, the rest costs a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace linerate::logs {

// Fills the span from its start; 0: the end.
using ReadBytes = std::function<std::size_t(std::span<char>)>;
// Which lines are handed on next, beside those that have one of the words of messages and failures.
enum class Wanted : std::uint8_t { none, progress, next };  // those of progress.h; any one

// A line without its end, of at most kLongestLine bytes, its number from 1, and what stands before
// it, as far as it is at hand. Of a line with carriage returns, each part between two of them.
using TakeLine =
    std::function<Wanted(std::string_view line, std::size_t number, std::string_view before)>;

// So many lines behind the one that wanted them, steps are no longer looked for.
inline constexpr std::size_t kFarthestStep = 100'000;

inline constexpr std::size_t kLongestLine = 16384;  // what stands behind it is not looked at

struct LineCount {
  std::size_t lines = 0, bytes = 0;
  std::size_t cut = 0;  // parts that were handed on without their end
};

// Memory does not grow with what is read.
LineCount read_lines(const ReadBytes& read, const TakeLine& take);

}  // namespace linerate::logs
