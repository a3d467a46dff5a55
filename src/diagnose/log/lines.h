// Lines of logs in one pass: those that may say something are handed on, the rest costs a search.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace linerate::logs {

// Fills the span from its start; 0: the end.
using ReadBytes = std::function<std::size_t(std::span<char>)>;
// A line that has one of the words of messages and failures, without its end, of at most
// kLongestLine bytes, its number from 1, and what stands before it, as far as it is at hand. The
// answer: whether the next line is wanted in any case.
using TakeLine =
    std::function<bool(std::string_view line, std::size_t number, std::string_view before)>;

inline constexpr std::size_t kLongestLine = 16384;  // what stands behind it is not looked at

struct LineCount {
  std::size_t lines = 0, bytes = 0;
};

// Memory does not grow with what is read.
LineCount read_lines(const ReadBytes& read, const TakeLine& take);

}  // namespace linerate::logs
