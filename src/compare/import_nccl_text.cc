// The heading names the columns from `time` on; what a row has before them is told by its form,
// because old versions leave cells blank.
#include "base/text.h"
#include "compare/import.h"
#include "compare/import_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kMostHeadingWords = 64, kMostRanks = 100'000;

bool is_time(std::string_view word) { return word == "time" || word == "cputime"; }

std::string_view without_colon(std::string_view word) {
  return word.substr(0, word.size() - (word.ends_with(':') ? 1 : 0));
}

// Where one placement's numbers stand, counted from the first of all.
struct PlacementColumns {
  Placement placement = Placement::out_of_place;
  std::optional<std::size_t> time{}, algbw{}, busbw{}, wrong{};
};

struct Heading {
  std::vector<PlacementColumns> placements{};
  std::size_t words = 0;  // that a row has from `time` on
};

// `words`: of the line of names, without the '#'. `in_place_only`: what the line above says.
std::optional<Heading> read_heading(const std::vector<std::string_view>& words,
                                    bool in_place_only) {
  const auto first = std::ranges::find_if(words, is_time);
  if (words.size() < 4 || words.size() > kMostHeadingWords || words[0] != "size" ||
      first == words.end())
    return std::nullopt;
  Heading heading;
  for (auto word = first; word != words.end(); ++word, ++heading.words) {
    if (is_time(*word)) {
      const bool in_place = in_place_only || !heading.placements.empty();
      heading.placements.push_back(
          {.placement = in_place ? Placement::in_place : Placement::out_of_place,
           .time = heading.words});
    }
    auto& columns = heading.placements.back();
    if (*word == "algbw") columns.algbw = heading.words;
    if (*word == "busbw") columns.busbw = heading.words;
    if (*word == "#wrong") columns.wrong = heading.words;
    if (*word == "timestamp") ++heading.words;  // a date and a time
  }
  return heading;
}

class NcclTestsText {
 public:
  NcclTestsText(std::string_view text, const ImportLimits& limits)
      : lines_(text, limits), limits_(limits) {}

  Result<RunFile> read();

 private:
  void begin_run();
  void comment(std::string_view line);
  void device(const std::vector<std::string_view>& words, std::string_view line);
  void options(const std::vector<std::string_view>& words);
  // Whether the line is a row; false also for other text between rows.
  bool row(std::string_view line);
  void result(const PlacementColumns& columns, std::span<const std::string_view> numbers);
  void finish_run();

  LineReader lines_;
  const ImportLimits& limits_;
  RunFile file_;
  RunInfo info_;
  std::vector<Record> results_;
  CaseInfo what_;
  std::optional<Heading> heading_;
  bool in_place_only_ = false;
};

void NcclTestsText::finish_run() {
  if (!results_.empty()) {
    info_.run_id = fmt::to_string(file_.runs.size() + 1);
    info_.nranks = static_cast<int>(info_.ranks.size());
    for (auto& record : results_) {
      record.run_id = info_.run_id;
      record.nranks = info_.nranks;
      record.what.collective = collective_of(info_.program);
      file_.records.push_back(std::move(record));
    }
    file_.runs.push_back(std::move(info_));
  }
  info_ = {};
  results_.clear();
}

// "#  Rank  0 Group  0 Pid   6136 on      node7 device  0 [0000:18:00] NVIDIA H100"
void NcclTestsText::device(const std::vector<std::string_view>& words, std::string_view line) {
  if (info_.ranks.size() >= kMostRanks) return;
  RankInfo rank{.rank = static_cast<int>(info_.ranks.size())};
  const auto on = std::ranges::find(words, "on");
  if (on != words.end() && on + 1 != words.end()) rank.hostname = *(on + 1);
  const auto bracket = line.find("] ");
  if (bracket != std::string_view::npos) rank.device_name = trim(line.substr(bracket + 2));
  info_.ranks.push_back(std::move(rank));
}

// "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 iters: 20 …",
// of old RCCL "# nThread: 1 nGpus: 8 minBytes: 8 maxBytes: 134217728 … warmupIters: 1 iters: 20 …"
void NcclTestsText::options(const std::vector<std::string_view>& words) {
  const auto keep = [&](std::size_t at, const char* name) {
    if (at + 1 < words.size() && whole(words[at + 1]))
      info_.settings.push_back({name, std::string(words[at + 1])});
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = without_colon(words[i]);
    if (word == "minBytes") keep(i, "min_bytes");
    if (word == "maxBytes") keep(i, "max_bytes");
    if (word == "warmupIters") keep(i, "warmup_iters");
    if (words[i] != "iters:") continue;
    const auto before = i > 0 ? words[i - 1] : std::string_view();
    keep(i, before == "warmup" ? "warmup_iters" : before == "agg" ? "agg_iters" : "iters");
  }
}

void NcclTestsText::comment(std::string_view line) {
  const auto words = words_of(line.substr(1));
  if (words.empty()) return;
  const bool has_options = without_colon(words[0]) == "nThread";
  const bool starts = has_options || line.find("test starting:") != std::string_view::npos;
  if (starts && !results_.empty()) finish_run();
  if (line.find("test starting:") != std::string_view::npos)
    info_.program = std::string(words.back());
  if (has_options) options(words);
  // All that versions say that print an error instead of a count.
  if (line.find("Out of bounds values") != std::string_view::npos &&
      line.find("FAILED") != std::string_view::npos && !results_.empty())
    results_.back().wrong = 1;
  if (words[0] == "Rank" && words.size() > 1 && whole(words[1])) device(words, line);
  const bool in_place = line.find("in-place") != std::string_view::npos;
  if (in_place) in_place_only_ = line.find("out-of-place") == std::string_view::npos;
  if (auto heading = read_heading(words, in_place_only_)) heading_ = std::move(heading);
}

void NcclTestsText::result(const PlacementColumns& columns,
                           std::span<const std::string_view> numbers) {
  const auto number = [&](const std::optional<std::size_t>& at) {
    return at ? decimal(numbers[*at]).value_or(0) : 0;
  };
  Record record;
  record.what = what_;
  record.what.placement = columns.placement;
  record.window.time_us = number(columns.time);
  record.algbw_gbps = number(columns.algbw);
  record.busbw_gbps = number(columns.busbw);
  if (columns.wrong && decimal(numbers[*columns.wrong]))
    record.wrong = number(columns.wrong) > 0 ? 1 : 0;
  results_.push_back(std::move(record));
}

bool NcclTestsText::row(std::string_view line) {
  const auto words = words_of(line);
  if (!heading_ || words.size() < heading_->words + 2) return false;
  const auto bytes = whole(words[0]);
  if (!bytes) return false;
  const auto leading = std::span(words).first(words.size() - heading_->words);
  what_ = {.redop = "none", .bytes = *bytes, .count = whole(leading[1]).value_or(0)};
  for (const auto word : leading.subspan(2)) {
    if (word == "-1" || whole(word))
      what_.root = word == "-1" ? -1 : static_cast<int>(*whole(word) % kMostRanks);
    else
      (what_.type.empty() ? what_.type : what_.redop) = std::string(word);
  }
  const auto numbers = std::span(words).subspan(leading.size());
  for (const auto& columns : heading_->placements) result(columns, numbers);
  return true;
}

Result<RunFile> NcclTestsText::read() {
  std::size_t rows = 0;
  for (std::string_view line; lines_.next(line);) {
    if (line.starts_with('#'))
      comment(line);
    else if (row(line) && ++rows > limits_.rows)
      return Failure{fmt::format("Line {} is a row more than linerate reads.", lines_.number())};
  }
  if (!lines_.refusal().empty()) return Failure{lines_.refusal()};
  finish_run();
  if (file_.runs.empty()) return Failure{"It holds the heading of nccl-tests' table, but no row."};
  return std::move(file_);
}

}  // namespace

Result<RunFile> read_nccl_tests_text(std::string_view text, const ImportLimits& limits) {
  return NcclTestsText(text, limits).read();
}

}  // namespace linerate
