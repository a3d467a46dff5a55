#include "backends/nccl/tuner_rules/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace linerate::nccl::tuner {
namespace {

using std::string_view_literals::operator""sv;

// In the order of ncclFunc_t, NCCL_ALGO_* and NCCL_PROTO_*.
constexpr std::array kCollectives{"broadcast"sv, "reduce"sv, "all_gather"sv, "reduce_scatter"sv,
                                  "all_reduce"sv};
constexpr std::array kAlgorithms{
    "Tree"sv, "Ring"sv, "CollNetDirect"sv, "CollNetChain"sv, "NVLS"sv, "NVLSTree"sv, "PAT"sv};
constexpr std::array kProtocols{"LL"sv, "LL128"sv, "Simple"sv};
constexpr int kMostChannels = 64;  // MAXCHANNELS of NCCL
constexpr std::size_t kFields = 8;
constexpr std::size_t kShown = 40;  // characters of a word in a sentence

using Names = std::span<const std::string_view>;

std::string_view name_at(Names names, int number) {
  return number >= 0 && static_cast<std::size_t>(number) < names.size()
             ? names[static_cast<std::size_t>(number)]
             : std::string_view();
}

// Without what a terminal or a log must not get.
std::string shown(std::string_view word) {
  std::string text(word.substr(0, kShown));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return '\'' + text + '\'';
}

std::string choices(Names names, bool any) {
  std::string text;
  for (const auto name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return any ? text + " or *" : text;
}

// The lines of a file, one after the other; a carriage return before the end is none of the line's.
std::string_view next_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// One line's fields after the other; the first mistake is kept.
class LineParser {
 public:
  explicit LineParser(std::string_view line) {
    for (;; line.remove_prefix(line.find(',') + 1)) {
      fields_.push_back(line.substr(0, line.find(',')));
      if (line.find(',') == std::string_view::npos || fields_.size() > kFields) break;
    }
    if (fields_.size() != kFields)
      problem_ = "a rule has 8 fields with commas between them: " + std::string(kHeading) + '.';
  }

  Rule read() {
    Rule rule;
    if (!problem_.empty()) return rule;
    rule.collective = one_of(0, "collective", kCollectives, false);
    number(1, "size", {0, kLargest}, rule.min_bytes);
    number(2, "size", {rule.min_bytes, kLargest}, rule.max_bytes);
    number(3, "number of nodes", {1, kMostRanks}, rule.nodes);
    number(4, "number of ranks", {1, kMostRanks}, rule.ranks);
    rule.algorithm = one_of(5, "algorithm", kAlgorithms, true);
    rule.protocol = one_of(6, "protocol", kProtocols, true);
    number(7, "number of channels", {1, kMostChannels}, rule.channels);
    if (problem_.empty()) check(rule);
    return rule;
  }
  const std::string& problem() const { return problem_; }

 private:
  static constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kMostRanks = 1 << 24;
  struct Range {
    std::uint64_t least, most;
  };

  void refuse(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  int one_of(std::size_t field, std::string_view what, Names names, bool any) {
    if (any && fields_[field] == "*") return kAny;
    const auto found = std::ranges::find(names, fields_[field]);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    refuse(shown(fields_[field]) + " is no " + std::string(what) + ": give " + choices(names, any) +
           '.');
    return kAny;
  }

  template <typename Number>
  void number(std::size_t field, std::string_view what, Range range, Number& out) {
    const auto text = fields_[field];
    if (text == "*") return;  // the rule's own default is any
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = code == std::errc{} && end == text.data() + text.size();
    if (good && value >= range.least && value <= range.most) {
      out = static_cast<Number>(value);
      return;
    }
    refuse(shown(text) + " is no " + std::string(what) + " here: give a whole number from " +
           std::to_string(range.least) +
           (range.most == kLargest ? " on" : " to " + std::to_string(range.most)) + ", or *.");
  }

  void check(const Rule& rule) {
    const bool has_algorithm = rule.algorithm != kAny, has_protocol = rule.protocol != kAny;
    if (has_algorithm != has_protocol)
      return refuse("algorithm and protocol are given together, or both are *.");
    if (has_algorithm && !exists(collective_name(rule.collective), algorithm_name(rule.algorithm),
                                 protocol_name(rule.protocol)))
      return refuse("NCCL has no " + std::string(collective_name(rule.collective)) + " by " +
                    std::string(algorithm_name(rule.algorithm)) + " with " +
                    std::string(protocol_name(rule.protocol)) + '.');
    if (!has_algorithm && rule.channels == kAny) refuse("the rule chooses nothing: leave it out.");
  }

  std::vector<std::string_view> fields_;
  std::string problem_;
};

Rules failed(std::size_t line, const std::string& why) {
  return {.rules = {}, .problem = "line " + std::to_string(line) + ": " + why};
}

std::string number_text(std::uint64_t value, bool any) { return any ? "*" : std::to_string(value); }
std::string number_text(int value) {
  return number_text(static_cast<std::uint64_t>(std::max(value, 0)), value == kAny);
}

}  // namespace

std::string_view collective_name(int number) { return name_at(kCollectives, number); }
std::string_view algorithm_name(int number) { return name_at(kAlgorithms, number); }
std::string_view protocol_name(int number) { return name_at(kProtocols, number); }

// As updateCollCostTable() of src/enqueue.cc and ncclTopoTuneModel() of src/graph/tuning.cc have
// it.
bool exists(std::string_view collective, std::string_view algorithm, std::string_view protocol) {
  const bool gathers = collective == "all_gather" || collective == "reduce_scatter";
  if (algorithm == "Ring") return true;
  if (algorithm == "Tree") return collective == "all_reduce";
  if (protocol != "Simple") return false;
  if (algorithm == "PAT") return gathers;
  if (algorithm == "NVLS" || algorithm == "CollNetDirect")
    return gathers || collective == "all_reduce";
  return collective == "all_reduce";
}

Rules read_rules(std::string_view text) {
  Rules all;
  if (text.size() > kMostRuleBytes)
    return failed(1, "the file has more than " + std::to_string(kMostRuleBytes) + " bytes.");
  bool headed = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto line = next_line(text);
    if (line.empty() || line.starts_with('#')) continue;
    if (!headed) {
      if (line != kHeading)
        return failed(number, "the first line is the heading " + std::string(kHeading) + '.');
      headed = true;
      continue;
    }
    LineParser parser(line);
    all.rules.push_back(parser.read());
    all.rules.back().line = number;
    if (!parser.problem().empty()) return failed(number, parser.problem());
    if (all.rules.size() > kMostRules)
      return failed(number, "there are more than " + std::to_string(kMostRules) + " rules.");
  }
  if (!headed) return failed(1, "the heading is missing: " + std::string(kHeading) + '.');
  return all;
}

std::string rule_text(const Rule& rule) {
  const auto name = [](std::string_view known) {
    return known.empty() ? std::string("*") : std::string(known);
  };
  const bool open = rule.max_bytes == std::numeric_limits<std::uint64_t>::max();
  return std::string(collective_name(rule.collective)) + ',' + std::to_string(rule.min_bytes) +
         ',' + number_text(rule.max_bytes, open) + ',' + number_text(rule.nodes) + ',' +
         number_text(rule.ranks) + ',' + name(algorithm_name(rule.algorithm)) + ',' +
         name(protocol_name(rule.protocol)) + ',' + number_text(rule.channels);
}

const Rule* find_rule(std::span<const Rule> rules, const Call& call) {
  const auto fits = [&](const Rule& rule) {
    return rule.collective == call.collective && call.bytes >= rule.min_bytes &&
           call.bytes <= rule.max_bytes && (rule.nodes == kAny || rule.nodes == call.nodes) &&
           (rule.ranks == kAny || rule.ranks == call.ranks);
  };
  const auto found = std::ranges::find_if(rules, fits);
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace linerate::nccl::tuner
