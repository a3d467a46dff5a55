// A number stands at the last '*' of an alternative.
#include "diagnose/log/alone.h"

#include "base/text.h"
#include "diagnose/log/message.h"
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

namespace linerate::logs {
namespace {

// Where the text goes on behind the pieces of `head`, in their order; npos: it lacks one.
std::size_t end_of(std::string_view head, std::string_view text) {
  std::size_t at = 0;
  for (const auto& piece : split(head, '*')) {
    const auto found = text.find(piece, at);
    const bool in_word = found > 0 && found < text.size() &&
                         (is_host_char(text[found - 1]) && is_host_char(piece.front()));
    if (found == std::string_view::npos || in_word) return std::string_view::npos;
    at = found + piece.size();
  }
  return at;
}

bool says(std::string_view alternative, int number, std::string_view text) {
  const auto star = alternative.rfind('*');
  const auto at = end_of(alternative.substr(0, star), text);
  if (at == std::string_view::npos) return false;
  const auto rest = trim(text.substr(at));
  const auto behind =
      trim(rest.substr(std::min(rest.find_first_not_of("0123456789"), rest.size())));
  return leading_number(rest) == number && behind.starts_with(trim(alternative.substr(star + 1)));
}

}  // namespace

std::string_view alone_by(const Signature& row, std::string_view text) {
  auto rest = row.pattern;
  while (!rest.empty()) {
    const auto one = rest.substr(0, rest.find('|'));
    if (says(one, one.starts_with('#') ? 0 : 1, text)) return one;
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return {};
}

// VASP's processes write into each other's lines: two distributions in one line are two of them.
bool is_beside(const Banner& first, const Banner& second) {
  const bool torn = second.alternative.starts_with("one band on");
  return !first.alternative.empty() && first.file == second.file &&
         second.line <= first.line + kNearBanners &&
         (torn || first.alternative == second.alternative);
}

std::string Members::take(std::string_view text, std::string_view file, std::size_t line) {
  constexpr std::size_t kLinesOfOne = 4;  // that a process writes before the next one's come
  constexpr std::string_view kRank = "GLOBAL_RANK: ", kMember = "MEMBER: ";
  const auto at = text.find(kRank), member = text.find(kMember), slash = text.find('/', member);
  if (at == std::string_view::npos || slash == std::string_view::npos) return {};
  const int rank = leading_number(text.substr(at + kRank.size()));
  const int nranks = leading_number(text.substr(slash + 1));
  constexpr int kMostRanks = 1'000'000;
  if (rank < 0 || nranks <= rank || nranks > kMostRanks) return {};
  const auto most = first_ + kLinesOfOne * static_cast<std::size_t>(nranks);
  if (file_ != file || nranks_ != nranks || line > most) *this = {};
  if (total_ == 0) file_ = file, first_ = line, nranks_ = nranks;
  ranks_.insert(rank);
  if (++total_ != nranks || all_came()) return {};
  return fmt::format("{} of {}", ranks_text(std::vector(ranks_.begin(), ranks_.end())), nranks);
}

}  // namespace linerate::logs
