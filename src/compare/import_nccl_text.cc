// The heading names the columns from `time` on; what a row has before them is told by its form,
// because old versions leave cells blank.
#include "base/error.h"
#include "base/text.h"
#include "compare/import.h"
#include "compare/import_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kMostHeadingWords = 64, kMostRanks = 100'000, kMostBadLines = 1000;
// Before the time a row has size and count, and at most type, operator and root.
constexpr std::size_t kLeastLeading = 2, kMostLeading = 5;

bool is_time(std::string_view word) { return word == "time" || word == "cputime"; }

bool is_failure(std::string_view line) {
  for (const std::string_view words :
       {"Test NCCL failure", "Test CUDA failure", "Test timeout", "Test failure"})
    if (line.find(words) != std::string_view::npos) return true;
  return false;
}

std::string_view without_colon(std::string_view word) {
  return word.substr(0, word.size() - (word.ends_with(':') ? 1 : 0));
}

// Where one placement's numbers stand, counted from the first of all.
struct PlacementColumns {
  Placement placement = Placement::out_of_place;
  std::optional<std::size_t> time{}, algbw{}, busbw{}, wrong{};
  bool cpu_time = false;  // which algbw does not follow from
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
           .time = heading.words,
           .cpu_time = *word == "cputime"});
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
  void failure(std::string_view line);
  void bad(std::string_view line);
  void closing_lines(std::string_view line);
  void result(const PlacementColumns& columns, std::span<const std::string_view> numbers);
  void finish_run();

  LineReader lines_;
  const ImportLimits& limits_;
  RunFile file_;
  RunInfo info_;
  std::vector<Record> results_;
  std::optional<EndInfo> end_;
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
    if (end_) {
      end_->run_id = info_.run_id;
      file_.ends.push_back(*std::move(end_));
    }
    file_.runs.push_back(std::move(info_));
  }
  end_.reset();
  info_ = {};
  results_.clear();
}

// "#  Rank  0 Group  0 Pid   6136 on      node7 device  0 [0000:18:00] NVIDIA H100"
void NcclTestsText::device(const std::vector<std::string_view>& words, std::string_view line) {
  if (info_.ranks.size() >= kMostRanks) return;
  RankInfo rank{.rank = static_cast<int>(*whole(words[1]) % kMostRanks)};
  if (words.size() > 3 && words[2] == "Group")
    rank.group = static_cast<int>(whole(words[3]).value_or(0) % kMostRanks);
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
  const bool is_rank = words[0] == "Rank" && words.size() > 1 && whole(words[1]);
  auto heading = read_heading(words, in_place_only_);
  const bool ended = end_ && end_->average_busbw_gbps;
  const bool starts = has_options || words[0] == "nccl-tests" ||
                      line.find("test starting:") != std::string_view::npos ||
                      (ended && (is_rank || heading));
  if (starts && !results_.empty()) finish_run();
  if (starts) end_.reset();
  for (const auto word : words)
    if (constexpr std::string_view kLibrary = "nccl-library="; word.starts_with(kLibrary))
      info_.nccl_version =
          static_cast<int>(whole(word.substr(kLibrary.size())).value_or(0) % kMostRanks);
  if (line.find("test starting:") != std::string_view::npos)
    info_.program = std::string(words.back());
  if (has_options) options(words);
  if (!results_.empty()) closing_lines(line);
  if (is_rank) device(words, line);
  const bool in_place = line.find("in-place") != std::string_view::npos;
  if (in_place) in_place_only_ = line.find("out-of-place") == std::string_view::npos;
  if (heading) heading_ = std::move(heading);
}

// "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 41.27"
void NcclTestsText::closing_lines(std::string_view line) {
  const auto words = words_of(line.substr(line.find(':') + 1));
  if (words.empty()) return;
  if (line.find("Avg bus bandwidth") != std::string_view::npos) {
    if (!end_) end_.emplace();
    end_->average_busbw_gbps = decimal(words[0]);
  }
  if (line.find("Out of bounds values") == std::string_view::npos || words.back() != "FAILED")
    return;
  if (!end_) end_.emplace();
  end_->failed_checks = whole(words[0]).value_or(1);
  // All that versions say that print an error instead of a count.
  if (std::ranges::none_of(results_, [](const Record& r) { return r.wrong.value_or(0) > 0; }))
    results_.back().wrong = 1;
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
  if (columns.cpu_time) record.window.cpu_us = record.window.time_us;
  record.algbw_gbps = number(columns.algbw);
  record.busbw_gbps = number(columns.busbw);
  if (columns.wrong && decimal(numbers[*columns.wrong]))
    record.wrong = number(columns.wrong) > 0 ? 1 : 0;
  results_.push_back(std::move(record));
}

// Of several processes the first one, which says the most.
void NcclTestsText::failure(std::string_view line) {
  if (!end_) end_.emplace();
  if (end_->error) return;
  end_->error = std::string(trim(line));
  end_->exit_code = static_cast<int>(ExitCode::failed);
}

void NcclTestsText::bad(std::string_view line) {
  constexpr std::size_t kShown = 120;
  if (file_.bad_lines.size() < kMostBadLines)
    file_.bad_lines.push_back({lines_.number(), std::string(line.substr(0, kShown))});
}

bool NcclTestsText::row(std::string_view line) {
  const auto words = words_of(line);
  const auto bytes = words.empty() ? std::nullopt : whole(words[0]);
  if (!heading_ || !bytes || words.size() <= kLeastLeading || !whole(words[1])) return false;
  if (words.size() < heading_->words + kLeastLeading ||
      words.size() > heading_->words + kMostLeading) {
    bad(line);
    return false;
  }
  const auto leading = std::span(words).first(words.size() - heading_->words);
  what_ = {.redop = "none", .bytes = *bytes, .count = *whole(leading[1])};
  for (const auto word : leading.subspan(2)) {
    if (word == "-1" || whole(word))
      what_.root = word == "-1" ? -1 : static_cast<int>(*whole(word) % kMostRanks);
    else
      (what_.type.empty() ? what_.type : what_.redop) = std::string(word);
  }
  const auto numbers = std::span(words).subspan(leading.size());
  bool readable = true;
  for (const auto& columns : heading_->placements) {
    result(columns, numbers);
    for (const auto& at : {columns.time, columns.algbw, columns.busbw})
      readable = readable && (!at || decimal(numbers[*at]));
  }
  if (!readable) bad(line);
  return true;
}

Result<RunFile> NcclTestsText::read() {
  std::size_t rows = 0;
  for (std::string_view line; lines_.next(line);) {
    if (line.starts_with('#'))
      comment(line);
    else if (is_failure(line))
      failure(line);
    else if (row(line) && ++rows > limits_.rows)
      return Failure{fmt::format("Line {} is a row more than linerate reads.", lines_.number())};
  }
  if (!lines_.refusal().empty()) return Failure{lines_.refusal()};
  finish_run();
  if (file_.runs.empty()) return Failure{"It holds the heading of nccl-tests' table, but no row."};
  return std::move(file_);
}

}  // namespace

std::string_view failure_line(std::string_view text) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (is_failure(line)) return trim(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

Result<RunFile> read_nccl_tests_text(std::string_view text, const ImportLimits& limits) {
  return NcclTestsText(text, limits).read();
}

}  // namespace linerate
