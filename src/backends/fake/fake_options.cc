// One row per key.
#include "backends/fake/fake_options.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

constexpr double kLongestUs = 3.6e9;  // an hour: sums of many calls stay within the clock's 64 bits
constexpr double kFastestGbps = 1e6;
constexpr double kSlowestGbps = 1e-6;
constexpr std::int64_t kLargestRank = 65535;
constexpr double kLargestFactor = 1000;

struct Key {
  std::string_view name;
  std::string_view form;  // shown when a value cannot be read
  bool repeatable;
  bool (*read)(FakeOptions&, std::string_view);  // false: the value is not of this form
};

bool read_us(double& out, std::string_view text) {
  // A bare number would be seconds, which nobody means here.
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.back())) != 0) return false;
  const auto seconds = parse_seconds("time", text);
  if (!seconds || *seconds * 1e6 > kLongestUs) return false;
  out = *seconds * 1e6;
  return true;
}

bool read_between(double& out, std::string_view text, double least, double most) {
  const auto number = parse_number("number", text);
  if (!number || *number < least || *number > most) return false;
  out = *number;
  return true;
}

bool read_fraction(double& out, std::string_view text) {
  const auto fraction = parse_percent("fraction", text);
  if (!fraction || *fraction > 1) return false;
  out = *fraction;
  return true;
}

template <typename Number>
bool read_whole(Number& out, std::string_view text, std::int64_t least,
                std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  const auto number = parse_integer("number", text);
  if (!number || *number < least || *number > most) return false;
  out = static_cast<Number>(*number);
  return true;
}

bool read_rank(int& out, std::string_view text) { return read_whole(out, text, 0, kLargestRank); }
bool read_call(std::uint64_t& out, std::string_view text) { return read_whole(out, text, 1); }

// "a:b" -> a and b; false unless there is exactly one separator.
bool cut(std::string_view text, char separator, std::array<std::string, 2>& halves) {
  const auto pieces = split(text, separator);
  if (pieces.size() != 2) return false;
  halves = {pieces[0], pieces[1]};
  return true;
}

bool read_stop(std::vector<FakeOptions::Stop>& stops, std::string_view text) {
  std::array<std::string, 2> halves;
  FakeOptions::Stop stop;
  if (!cut(text, ':', halves) || !read_rank(stop.rank, halves[0]) ||
      !read_call(stop.call, halves[1]))
    return false;
  stops.push_back(stop);
  return true;
}

bool read_slow_rank(FakeOptions& options, std::string_view text) {
  std::array<std::string, 2> halves;
  FakeOptions::SlowRank slow;
  if (!cut(text, ':', halves) || !read_rank(slow.rank, halves[0]) ||
      !read_us(slow.extra_us, halves[1]))
    return false;
  options.slow_ranks.push_back(slow);
  return true;
}

bool read_slow_link(FakeOptions& options, std::string_view text) {
  std::array<std::string, 2> halves, ends;
  FakeOptions::SlowLink slow;
  if (!cut(text, ':', halves) || !cut(halves[0], '-', ends) || !read_rank(slow.a, ends[0]) ||
      !read_rank(slow.b, ends[1]) || slow.a == slow.b ||
      !read_between(slow.factor, halves[1], 1 / kLargestFactor, 1))
    return false;
  options.slow_links.push_back(slow);
  return true;
}

bool read_flip(FakeOptions& options, std::string_view text) {
  std::array<std::string, 2> halves;
  FakeOptions::Flip flip;
  const bool read = cut(text, ':', halves)
                        ? read_rank(flip.rank, halves[0]) && read_call(flip.call, halves[1])
                        : read_rank(flip.rank, text);
  if (read) options.flips.push_back(flip);
  return read;
}

bool read_bimodal(FakeOptions& options, std::string_view text) {
  std::array<std::string, 2> halves;
  FakeOptions::Bimodal bimodal;
  if (!cut(text, ':', halves) || !read_fraction(bimodal.fraction, halves[0]) ||
      !read_between(bimodal.factor, halves[1], 1, kLargestFactor))
    return false;
  options.bimodal = bimodal;
  return true;
}

constexpr std::array<Key, 10> kKeys{{
    {"alpha", "a time such as 5us", false,
     [](FakeOptions& o, std::string_view v) { return read_us(o.alpha_us, v); }},
    {"bw", "GB/s of a link such as 10", false,
     [](FakeOptions& o, std::string_view v) {
       return read_between(o.link_gbps, v, kSlowestGbps, kFastestGbps);
     }},
    {"noise", "a percentage such as 2%", false,
     [](FakeOptions& o, std::string_view v) { return read_fraction(o.noise, v); }},
    {"seed", "a whole number from 0 on", false,
     [](FakeOptions& o, std::string_view v) { return read_whole(o.seed, v, 0); }},
    {"slow_rank", "RANK:TIME such as 3:38us", true, read_slow_rank},
    {"slow_link", "RANK-RANK:FACTOR such as 0-1:0.5 (factor 0.001 to 1)", true, read_slow_link},
    {"flip", "RANK, or RANK:CALL such as 2:5 (the first call is 1)", true, read_flip},
    {"bimodal", "PERCENTAGE:FACTOR such as 20%:3 (factor 1 to 1000)", false, read_bimodal},
    {"hang", "RANK:CALL such as 1:40 (the first call is 1)", true,
     [](FakeOptions& o, std::string_view v) { return read_stop(o.hangs, v); }},
    {"die", "RANK:CALL such as 2:10 (the first call is 1)", true,
     [](FakeOptions& o, std::string_view v) { return read_stop(o.deaths, v); }},
}};

std::string unknown_key(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& key : kKeys) names.push_back(key.name);
  return unknown_choice("key of --fake", name, names);
}

}  // namespace

Result<FakeOptions> parse_fake_options(std::string_view text) {
  FakeOptions options;
  std::array<bool, kKeys.size()> seen{};
  if (trim(text).empty()) return options;
  for (const auto& piece : split(text, ',')) {
    const auto item = trim(piece);
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      return Failure{fmt::format("'{}' in --fake is not of the form key=value.", item)};
    const auto name = item.substr(0, equals);
    const auto value = item.substr(equals + 1);
    const auto key = std::ranges::find_if(kKeys, [&](const Key& k) { return k.name == name; });
    if (key == kKeys.end()) return Failure{unknown_key(name)};
    auto& given = seen[static_cast<std::size_t>(key - kKeys.begin())];
    if (given && !key->repeatable)
      return Failure{fmt::format("--fake has '{}' twice: give it once.", name)};
    given = true;
    if (!key->read(options, value))
      return Failure{
          fmt::format("'{}' in --fake cannot be read: {} takes {}.", item, name, key->form)};
  }
  return options;
}

std::optional<std::string> refusal_for_ranks(const FakeOptions& options, std::int64_t nranks) {
  std::vector<std::pair<std::string_view, int>> named;
  for (const auto& slow : options.slow_ranks) named.emplace_back("slow_rank", slow.rank);
  for (const auto& slow : options.slow_links)
    named.emplace_back("slow_link", std::max(slow.a, slow.b));
  for (const auto& flip : options.flips) named.emplace_back("flip", flip.rank);
  for (const auto& hang : options.hangs) named.emplace_back("hang", hang.rank);
  for (const auto& death : options.deaths) named.emplace_back("die", death.rank);
  for (const auto& [key, rank] : named)
    if (rank >= nranks)
      return fmt::format("--fake {} names rank {}, but the ranks of this run are 0 to {}.", key,
                         rank, nranks - 1);
  return std::nullopt;
}

}  // namespace linerate
