// One message of NCCL, RCCL or PyTorch in a line of a log, without what launchers put before it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace linerate::logs {

// Of NCCL's own lines; of lines of other programs that say of themselves that they report an error,
// or an exception that nothing caught; of others.
enum class Level : std::uint8_t { info, warn, error, exception, none };

constexpr bool is_nccls(Level level) { return level <= Level::warn; }

struct Signature;

// The views are into the line.
struct Message {
  Level level = Level::none;
  std::optional<const Signature*> row{};  // of find_signature(), once that was asked
  std::string_view text{};                // behind "NCCL INFO "; of other programs, the line
  std::string_view whole{};  // of a warning "transport/net_ib.cc:1295 NCCL WARN …"; else the text
  std::string_view site{};   // "transport/net_ib.cc:1295" of a warning
  std::string_view host{};   // empty, and the numbers -1: the line does not say
  std::string_view time{};   // "2025-05-10 23:09:41", or with a T
  int rank = -1;             // as the launcher or PyTorch names it
  int pid = -1, device = -1;
};

// Without colours, NULs and carriage returns. `room` holds what had to be changed.
std::string_view cleaned(std::string_view line, std::string& room);

// The messages of a cleaned line: several where ranks wrote into each other's lines. One of another
// program has Level::none; level_of() knows more.
void each_message(std::string_view line, const std::function<void(const Message&)>& take);

// Whether launchers put such things before a line, "3: ", "[1,3]<stdout>:", "worker | ", a time;
// and not words of it.
bool is_prefix(std::string_view text);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of a host's name: letters, digits, '.', '_' and '-'.
constexpr bool is_host_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == '-';
}

// Whether the text begins so; a 'd' of the shape is any digit.
bool has_shape(std::string_view text, std::string_view shape);

// "2025-05-10 23:09:41", or with a T, in it; empty: there is none.
std::string_view time_in(std::string_view text);

// The number that `text` begins with; -1 where there is none, or none that fits.
int leading_number(std::string_view text);

}  // namespace linerate::logs
