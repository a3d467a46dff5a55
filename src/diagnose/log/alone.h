// Banners in which a program says how many processes it has: several that each say one are no job,
// and neither are those of which two have the same rank.
#pragma once

#include "diagnose/log/signatures.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace linerate::logs {

constexpr std::string_view kRanksAlone = "ranks-alone";

// The alternative of the row that the text matches with the number of a process that is alone: 1 of
// 1, or rank 0 of NCCL's tests. Empty: none.
std::string_view alone_by(const Signature& row, std::string_view text);

// The last banner of one process.
struct Banner {
  std::string_view alternative{};  // empty: there is none
  std::string text{}, file{};
  std::size_t line = 0;
};

// Two banners at most so many lines apart are of processes that run at once: what one run writes
// before the next begins is more.
inline constexpr std::size_t kNearBanners = 3;

// Whether the second of two banners is another process's, which was started with the first.
bool is_beside(const Banner& first, const Banner& second);

constexpr std::string_view kRankTwice = "rank-twice";

// The ranks that Lightning's processes say they are: "GLOBAL_RANK: 1, MEMBER: 2/8".
class Members {
 public:
  // Empty until as many lines have come as the job has ranks, some of one rank; then which ranks:
  // "ranks 0-3 of 8". Lines far apart are of several starts.
  std::string take(std::string_view text, std::string_view file, std::size_t line);

  // Whether all ranks have come, some more than once: a logger writes each line twice.
  bool all_came() const { return nranks_ > 0 && std::ssize(ranks_) == nranks_; }

 private:
  std::string file_{};
  std::size_t first_ = 0;  // line
  int nranks_ = 0;
  std::set<int> ranks_{};
  int total_ = 0;
};

}  // namespace linerate::logs
