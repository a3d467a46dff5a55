#include "commands/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

struct Kind {
  std::string_view magic;  // with ? for any byte
  std::string_view is;
  std::string_view reader;  // that makes text of it; empty: none does
};
constexpr auto kKinds = std::to_array<Kind>({
    {"\x1f\x8b", "compressed by gzip", "zcat FILE"},
    {"\x28\xb5\x2f\xfd", "compressed by zstd", "zstdcat FILE"},
    {"\xfd"
     "7zXZ",
     "compressed by xz", "xzcat FILE"},
    {"BZh?1AY&SY", "compressed by bzip2", "bzcat FILE"},
    {"\xff\xfe", "text in UTF-16", "iconv -f UTF-16 FILE"},
    {"\xfe\xff", "text in UTF-16", "iconv -f UTF-16 FILE"},
    {"PK\x03\x04", "an archive of zip", "unzip -p FILE"},
    {"\x7f"
     "ELF",
     "a program, a library or a core dump (ELF)", ""},
});

bool begins_with(std::string_view text, std::string_view magic) {
  return text.size() >= magic.size() &&
         std::ranges::equal(magic, text.substr(0, magic.size()),
                            [](char a, char b) { return a == '?' || a == b; });
}

}  // namespace

std::string why_no_text(std::string_view beginning, std::string_view command) {
  const auto kind = std::ranges::find_if(
      kKinds, [&](const Kind& one) { return begins_with(beginning, one.magic); });
  if (kind == kKinds.end()) return {};
  if (kind->reader.empty()) return fmt::format("it is {}, and no text.", kind->is);
  return fmt::format("it is {}; read it with '{} | {}'.", kind->is, kind->reader, command);
}

bool has_many_controls(std::string_view block) {
  constexpr std::ptrdiff_t kOneOf = 20;  // of random bytes every tenth is one
  const auto is_control = [](char c) {
    const bool of_text = (c >= '\b' && c <= '\r') || c == '\x1b';
    return (c > 0 && c < ' ' && !of_text) || c == '\x7f';
  };
  const auto filled = std::ranges::ssize(block) - std::ranges::count(block, '\0');
  return std::ranges::count_if(block, is_control) * kOneOf > filled;
}

}  // namespace linerate
