// Ranks in words, and those of the job that the log lacks.
#include "diagnose/log/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linerate::logs {

std::string missing_text(const LogFacts& facts) {
  const auto* job = facts.job();
  if (job == nullptr) return {};
  std::vector<int> absent, unfinished;
  for (int rank = 0; rank < job->nranks; ++rank) {
    const auto seen = job->ranks.find(rank);
    if (seen == job->ranks.end())
      absent.push_back(rank);
    else if (!seen->second.completed)
      unfinished.push_back(rank);
  }
  std::string text;
  if (!absent.empty())
    text += fmt::format(" The log shows no sign of {} of {}.", ranks_text(absent), job->nranks);
  if (!unfinished.empty())
    text += fmt::format(" Initialisation did not end on {}.", ranks_text(unfinished));
  return text;
}

std::string ranks_text(std::span<const int> sorted, std::string_view word) {
  return fmt::format("{}{} {}", word, sorted.size() == 1 ? "" : "s", ranges_text(sorted));
}

std::string ranges_text(std::span<const int> sorted) {
  constexpr std::size_t kMostRanges = 12;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (parts.size() == kMostRanges) {
      parts.emplace_back("…");
      break;
    }
    parts.push_back(end - i == 1 ? fmt::format("{}", sorted[i])
                                 : fmt::format("{}-{}", sorted[i], sorted[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace linerate::logs
