// See traffic.h.
#include "collectives/traffic.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;  // 4096 x 4096 numbers of 4 digits
constexpr double kMostBytes = 1e15;                            // of one block
constexpr std::size_t kGrainBytes = 16;

using Numbers = std::vector<double>;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trim(line)).empty()) {
    const auto end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

Result<Numbers> parse_row(std::string_view line, std::size_t line_number) {
  Numbers row;
  for (const auto word : words_of(line)) {
    const auto value = parse_number("matrix entry", word);
    if (!value || *value < 0 || *value > kMostBytes)
      return Failure{
          fmt::format("Line {} of the traffic matrix: '{}' is not a number of bytes "
                      "(0 to 1e15).",
                      line_number, word.substr(0, 40))};
    row.push_back(*value);
  }
  return row;
}

Result<std::vector<Numbers>> parse_rows(std::string_view text) {
  std::vector<Numbers> rows;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto row = parse_row(text.substr(0, end), line_number);
    if (!row) return row.failure();
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row->empty()) continue;
    if (!rows.empty() && rows.front().size() != row->size())
      return Failure{
          fmt::format("Line {} of the traffic matrix has {} numbers, the first row has "
                      "{}: all rows must be equally long.",
                      line_number, row->size(), rows.front().size())};
    rows.push_back(std::move(row).value());
  }
  return rows;
}

std::vector<Range> consecutive(std::vector<std::size_t> counts) {
  std::vector<Range> ranges;
  std::size_t offset = 0;
  for (const auto count : counts) {
    ranges.push_back({offset, count});
    offset += count;
  }
  return ranges;
}

}  // namespace

TrafficMatrix::TrafficMatrix(double spread, int nranks, std::vector<std::size_t> bytes)
    : spread_(spread), nranks_(nranks), bytes_(std::move(bytes)) {}

TrafficMatrix TrafficMatrix::weighted(double spread, int nranks) { return {spread, nranks, {}}; }

Result<TrafficMatrix> TrafficMatrix::parse(std::string_view text, int nranks, double scale) {
  if (text.size() > kMostTextBytes)
    return Failure{fmt::format("The traffic matrix is larger than {} bytes.", kMostTextBytes)};
  const auto rows = parse_rows(text);
  if (!rows) return rows.failure();
  const auto n = static_cast<std::size_t>(nranks);
  if (rows->size() < n || rows->front().size() != rows->size())
    return Failure{
        fmt::format("The traffic matrix has {} rows of {} numbers: it must be square, with "
                    "a row for each of the {} ranks.",
                    rows->size(), rows->empty() ? 0 : rows->front().size(), nranks)};
  std::vector<std::size_t> bytes;
  for (std::size_t src = 0; src < n; ++src)
    for (std::size_t dst = 0; dst < n; ++dst) {
      const double scaled = std::min((*rows)[src][dst] * scale, kMostBytes);
      bytes.push_back(static_cast<std::size_t>(scaled) / kGrainBytes * kGrainBytes);
    }
  return TrafficMatrix(0, nranks, std::move(bytes));
}

std::size_t TrafficMatrix::elements(const Sizing& sizing, int src, int dst) const {
  if (fixed()) {
    const auto at = static_cast<std::size_t>(src) * static_cast<std::size_t>(nranks_) +
                    static_cast<std::size_t>(dst);
    return bytes_[at] / bytes_of(sizing.type);
  }
  const int distance = (dst - src + nranks_) % nranks_;
  const double weight = 1 - spread_ + spread_ * 2 * (distance + 1) / (nranks_ + 1);
  return static_cast<std::size_t>(static_cast<double>(sizing.count) * weight);
}

std::size_t TrafficMatrix::sent(const Sizing& sizing, int src) const {
  std::size_t sum = 0;
  for (int dst = 0; dst < nranks_; ++dst) sum += elements(sizing, src, dst);
  return sum;
}

std::size_t TrafficMatrix::received(const Sizing& sizing, int dst) const {
  std::size_t sum = 0;
  for (int src = 0; src < nranks_; ++src) sum += elements(sizing, src, dst);
  return sum;
}

std::size_t TrafficMatrix::busiest(const Sizing& sizing) const {
  std::size_t most = 0;
  for (int rank = 0; rank < nranks_; ++rank)
    most = std::max({most, sent(sizing, rank), received(sizing, rank)});
  return most;
}

std::vector<Range> TrafficMatrix::send_ranges(const Sizing& sizing) const {
  std::vector<std::size_t> counts;
  for (int dst = 0; dst < nranks_; ++dst) counts.push_back(elements(sizing, sizing.rank, dst));
  return consecutive(std::move(counts));
}

std::vector<Range> TrafficMatrix::recv_ranges(const Sizing& sizing) const {
  std::vector<std::size_t> counts;
  for (int src = 0; src < nranks_; ++src) counts.push_back(elements(sizing, src, sizing.rank));
  return consecutive(std::move(counts));
}

}  // namespace linerate
