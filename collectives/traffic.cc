// A message for each pair of ranks, from a formula or from a file.
#include "collectives/traffic.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

namespace linerate {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double closeness(int distance, int nranks) {
  return 1.0 / (1 + std::min(distance, nranks - distance));
}

template <typename ElementsOf>
std::vector<Range> ranges_of(int nranks, ElementsOf elements_of) {
  std::vector<std::size_t> counts;
  for (int peer = 0; peer < nranks; ++peer) counts.push_back(elements_of(peer));
  return consecutive(counts);
}

constexpr double kMaxBytes = 1099511627776.0;  // 2^40 a pair: sums of 4096 stay far below 2^63
constexpr std::string_view kBlank = " \t\r\v\f";

using Row = std::vector<std::size_t>;

Failure refused(std::size_t line, std::string_view why) {
  return Failure{fmt::format("line {} {}.", line, why)};
}

// A wrong word as a message may show it: short and printable.
std::string shown(std::string_view word) {
  constexpr std::size_t kLongest = 24;
  std::string text(word.substr(0, kLongest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return word.size() > kLongest ? text + "…" : text;
}

// Takes the next word off `line`; nothing at its end.
std::optional<std::string_view> take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  if (line.empty()) return std::nullopt;
  const auto word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

// Bytes after scaling and rounding; empty for a line of blanks.
Result<Row> parse_row(std::string_view text, std::size_t line, double scale) {
  Row bytes;
  while (const auto word = take_word(text)) {
    const auto value = parse_number("value", *word);
    if (!value || *value < 0)
      return refused(line, fmt::format("holds '{}', which is not a number of bytes", shown(*word)));
    const double scaled = *value * scale;
    if (scaled > kMaxBytes)
      return refused(line, fmt::format("holds '{}': more than 2^40 bytes between two ranks once "
                                       "multiplied by {}",
                                       shown(*word), scale));
    if (bytes.size() == TrafficMatrix::kMaxRows)
      return refused(line, fmt::format("has more than {} values", TrafficMatrix::kMaxRows));
    bytes.push_back(static_cast<std::size_t>(scaled) / kGrainBytes * kGrainBytes);
  }
  return bytes;
}

// All rows, each as long as the first, and no more of them than that.
Result<std::vector<Row>> parse_rows(std::string_view text, double scale) {
  std::vector<Row> rows;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    auto row = parse_row(text.substr(0, end), line, scale);
    if (!row) return row.failure();
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row->empty()) continue;
    const std::size_t wanted = rows.empty() ? row->size() : rows.front().size();
    if (row->size() != wanted)
      return refused(line,
                     fmt::format("has {} values, but the first row has {}", row->size(), wanted));
    if (rows.size() == wanted)
      return refused(line, fmt::format("is one row too many: with {} values a row, {} rows make "
                                       "the matrix square",
                                       wanted, wanted));
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace

TrafficMatrix TrafficMatrix::weighted(double spread, int nranks) {
  assert(nranks >= 1 && spread >= 0 && spread <= 1);
  TrafficMatrix matrix(nranks);
  double sum = 0;
  for (int d = 0; d < nranks; ++d) sum += closeness(d, nranks);
  auto& shares = matrix.shares_;
  shares.push_back(0);
  for (int d = 0; d < nranks; ++d)
    shares.push_back(shares.back() + 1 - spread + spread * closeness(d, nranks) * nranks / sum);
  shares.back() = nranks;  // exactly, whatever was rounded on the way
  return matrix;
}

// Elements for the ranks at distances 0 … distance - 1.
std::size_t TrafficMatrix::up_to(std::size_t count, int distance) const {
  constexpr std::size_t kGrain = 16;
  const std::size_t grain = std::min(count & (~count + 1), kGrain);
  if (grain == 0) return 0;
  const std::size_t grains = count / grain;
  return static_cast<std::size_t>(shares_[at(distance)] * static_cast<double>(grains)) * grain;
}

std::size_t TrafficMatrix::elements(const Sizing& sizing, int src, int dst) const {
  if (fixed()) return bytes_[at(src) * at(nranks_) + at(dst)] / bytes_of(sizing.type);
  const int distance = (dst - src + nranks_) % nranks_;
  return up_to(sizing.count, distance + 1) - up_to(sizing.count, distance);
}

std::size_t TrafficMatrix::sent(const Sizing& sizing, int src) const {
  return fixed() ? sent_[at(src)] / bytes_of(sizing.type) : sizing.count * at(nranks_);
}

std::size_t TrafficMatrix::received(const Sizing& sizing, int dst) const {
  return fixed() ? received_[at(dst)] / bytes_of(sizing.type) : sizing.count * at(nranks_);
}

std::vector<Range> TrafficMatrix::send_ranges(const Sizing& sizing) const {
  return ranges_of(nranks_, [&](int dst) { return elements(sizing, sizing.rank, dst); });
}

std::vector<Range> TrafficMatrix::recv_ranges(const Sizing& sizing) const {
  return ranges_of(nranks_, [&](int src) { return elements(sizing, src, sizing.rank); });
}

std::size_t TrafficMatrix::send_offset(const Sizing& sizing, int src, int dst) const {
  std::size_t offset = 0;
  for (int peer = 0; peer < dst; ++peer) offset += elements(sizing, src, peer);
  return offset;
}

Result<TrafficMatrix> TrafficMatrix::parse(std::string_view text, int nranks, double scale) {
  if (text.size() > kMaxTextBytes)
    return Failure{fmt::format("it has {} bytes of text; at most {} are read.", text.size(),
                               bytes_text(kMaxTextBytes))};
  if (!std::isfinite(scale) || scale < 0)
    return Failure{fmt::format("it cannot be multiplied by {}.", scale)};
  const auto rows = parse_rows(text, scale);
  if (!rows) return rows.failure();
  if (rows->empty()) return Failure{"it is empty: a row of numbers for each rank is needed."};
  const auto n = static_cast<std::size_t>(nranks);
  if (rows->size() < n || rows->front().size() != rows->size())
    return Failure{
        fmt::format("it has {} row{} of {} value{}: it needs a row for each of the {} "
                    "ranks at least, and as many columns as rows.",
                    rows->size(), rows->size() == 1 ? "" : "s", rows->front().size(),
                    rows->front().size() == 1 ? "" : "s", n)};
  TrafficMatrix matrix(nranks);
  matrix.sent_.resize(n);
  matrix.received_.resize(n);
  for (std::size_t src = 0; src < n; ++src)
    for (std::size_t dst = 0; dst < n; ++dst) {
      const std::size_t bytes = (*rows)[src][dst];
      matrix.bytes_.push_back(bytes);
      matrix.sent_[src] += bytes;
      matrix.received_[dst] += bytes;
    }
  return matrix;
}

}  // namespace linerate
