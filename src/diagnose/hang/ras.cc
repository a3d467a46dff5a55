// RAS prints a table of communicators, then "Errors" and "Warnings": blocks of indented lines below
// a heading, "#0-1 (0123456789abcdef) MISMATCH" of a communicator or "DEAD" of the whole job.
#include "base/text.h"
#include "diagnose/hang/hang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace linerate::hang {
namespace {

struct Block {
  std::string communicator{};  // its hash; empty: of the job
  std::string kind{};
  std::vector<std::string> lines{};

  std::string subject() const {
    return communicator.empty() ? "the job" : "communicator " + communicator;
  }
  bool operator==(const Block&) const = default;
};

constexpr double kConfidence = 0.9;

// Ranks that have launched as many operations.
struct Launched {
  std::int64_t operations = 0;
  std::size_t nranks = 0;
  std::vector<std::string> named{};  // "rank 3 (GPU 3 managed by process 17 on node 10.0.0.3)"

  std::string text() const {
    auto who = counted(nranks, "rank");
    if (!named.empty()) who = fmt::format("{}", fmt::join(named, ", "));
    return operations > 0 ? fmt::format("{} up to operation {}", who, operations)
                          : fmt::format("{} not one", who);
  }
};

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  return number_at(text.substr(at + words.size()));
}

// "Rank 3 ... -- GPU 3 managed by process 17 on node 10.0.0.3".
std::string rank_named(std::string_view line) {
  const auto rank = number_after(line, "Rank ");
  const auto dashes = line.find(" -- ");
  if (!rank || dashes == std::string_view::npos) return {};
  auto where = line.substr(dashes + 4);
  if (where.starts_with('[')) where = "process not found";
  return fmt::format("rank {} ({})", *rank, where);
}

void take_counts(std::string_view line, std::vector<Launched>& counts) {
  const bool none = line.find("not launched any operations") != std::string_view::npos;
  const auto upto = none ? 0 : number_after(line, "launched up to operation ");
  const auto name = rank_named(line);
  if (!upto && !counts.empty() && !name.empty()) counts.back().named.push_back(name);
  if (!upto) return;
  const auto nranks = name.empty() ? number_at(line).value_or(0) : 1;
  counts.push_back(
      {.operations = *upto, .nranks = static_cast<std::size_t>(std::max<std::int64_t>(nranks, 1))});
  if (!name.empty()) counts.back().named.push_back(name);
}

Finding behind(const Block& block, std::string_view operation, std::vector<Launched> counts,
               const RasAnswers& ras, bool moved) {
  std::ranges::sort(counts, std::greater<>(), &Launched::operations);
  std::vector<std::string> groups;
  for (const auto& group : counts) groups.push_back(group.text());
  const auto nothing = moved ? std::string("which changed")
                             : fmt::format("and this did not change within {:.1f} s", ras.seconds);
  auto finding = found(
      "ras-behind", block.subject(),
      fmt::format("Of {} have launched: {}; {}.", operation, fmt::join(groups, "; "), nothing),
      kConfidence);
  if (!moved) return finding;
  finding.severity = Severity::info;
  finding.advice = "nothing: the ranks are apart, but go on";
  return finding;
}

// "Communicator ranks have different AllReduce operation counts", and lines of who launched what.
void examine_mismatch(const Block& block, const RasAnswers& ras, bool moved,
                      std::vector<Finding>& findings) {
  constexpr std::string_view kHead = "Communicator ranks have different ";
  std::string operation;
  std::vector<Launched> counts;
  std::vector<std::string> states;
  const auto end_part = [&] {
    if (!counts.empty()) findings.push_back(behind(block, operation, counts, ras, moved));
    counts.clear();
  };
  for (const auto& line : block.lines) {
    if (line.starts_with(kHead)) {
      end_part();
      const auto words = split(std::string_view(line).substr(kHead.size()), ' ');
      operation = words.size() > 1 && words[1] == "operation" ? words[0] : "";
    } else if (operation.empty()) {
      states.push_back(line);
    } else {
      take_counts(line, counts);
    }
  }
  end_part();
  if (!states.empty())
    findings.push_back(found("ras-status", block.subject(),
                             fmt::format("Ranks differ in status: {}.", fmt::join(states, "; ")),
                             kConfidence));
}

bool is_kind(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::optional<Block> heading(std::string_view line) {
  const auto words = split(line, ' ');
  if (words.size() == 1 && is_kind(words[0])) return Block{.kind = words[0]};
  if (words.size() != 3 || !line.starts_with('#') || !is_kind(words[2])) return std::nullopt;
  if (words[1].size() < 3) return std::nullopt;
  return Block{.communicator = words[1].substr(1, words[1].size() - 2), .kind = words[2]};
}

std::vector<Block> blocks_of(const std::string& answer) {
  std::vector<Block> blocks;
  bool open = false;
  for (const auto& line : split(answer, '\n')) {
    if (line.starts_with("  ") && open) {
      blocks.back().lines.push_back(plain_text(line.substr(2)));
      continue;
    }
    if (line.empty()) continue;
    auto block = heading(line);
    open = block.has_value();
    if (block) blocks.push_back(*std::move(block));
  }
  return blocks;
}

}  // namespace

std::vector<Finding> examine(const RasAnswers& ras) {
  std::vector<Finding> findings;
  const auto before = blocks_of(ras.before), after = blocks_of(ras.after);
  if (after.empty() && !ras.after.empty())
    return {found("ras-agrees", "all communicators",
                  "No rank is missing, and all have launched the same operations.", kConfidence)};
  for (const auto& block : after) {
    const bool moved = std::ranges::find(before, block) == before.end();
    if (block.kind == "MISMATCH") examine_mismatch(block, ras, moved, findings);
    for (const std::string_view kind : {"INCOMPLETE", "DEAD", "ERROR", "TIMEOUT"})
      if (kind == block.kind)
        findings.push_back(found("ras-" + lower(kind), block.subject(),
                                 fmt::format("RAS says: {}.", fmt::join(block.lines, "; ")),
                                 kConfidence));
  }
  return findings;
}

}  // namespace linerate::hang
