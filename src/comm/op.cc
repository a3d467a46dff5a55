#include "comm/op.h"

#include "base/text.h"
#include "comm/data_type.h"

#include <algorithm>
#include <array>

namespace linerate {
namespace {

template <typename Table>
const typename Table::value_type* find_row(const Table& table, std::string_view name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name == name; });
  return row == table.end() ? nullptr : &*row;
}

template <typename Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

// In the order of OpKind.
constexpr std::array<std::string_view, kOpKinds> kOpNames{
    "all_reduce",   "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all",
    "all_to_all_v", "gather",     "scatter",        "send",      "recv",   "send_recv"};

}  // namespace

Result<DataType> parse_data_type(std::string_view text) {
  if (const auto* row = find_row(kDataTypes, text)) return row->type;
  return Failure{unknown_choice("data type", text, names_of(kDataTypes))};
}

Result<RedOp> parse_red_op(std::string_view text) {
  if (const auto* row = find_row(kRedOps, text)) return row->op;
  return Failure{unknown_choice("reduction operator", text, names_of(kRedOps))};
}

std::string_view name_of(OpKind kind) { return kOpNames[static_cast<std::size_t>(kind)]; }

Extent extent_of(const Op& op, int rank, int nranks) {
  const std::size_t one = bytes_of_count(op);
  const std::size_t all = one * static_cast<std::size_t>(nranks);
  const bool root = op.peer == rank;
  switch (op.kind) {
    case OpKind::all_reduce:
    case OpKind::send_recv:
      return {one, one};
    case OpKind::all_gather:
      return {one, all};
    case OpKind::reduce_scatter:
      return {all, one};
    case OpKind::broadcast:
      return {root ? one : 0, one};
    case OpKind::reduce:
      return {one, root ? one : 0};
    case OpKind::all_to_all:
      return {all, all};
    case OpKind::all_to_all_v:
      return {end_of(op.send_ranges) * bytes_of(op.type),
              end_of(op.recv_ranges) * bytes_of(op.type)};
    case OpKind::gather:
      return {one, root ? all : 0};
    case OpKind::scatter:
      return {root ? all : 0, one};
    case OpKind::send:
      return {one, 0};
    case OpKind::recv:
      return {0, one};
  }
  __builtin_unreachable();
}

bool has_its_extent(const Op& op, int rank, int nranks) {
  const auto least = extent_of(op, rank, nranks);
  return op.send.size() >= least.send && op.recv.size() >= least.recv;
}

std::size_t end_of(std::span<const Range> ranges) {
  std::size_t end = 0;
  for (const Range& range : ranges)
    if (range.count > 0) end = std::max(end, range.offset + range.count);
  return end;
}

std::vector<Range> consecutive(std::span<const std::size_t> counts) {
  std::vector<Range> ranges;
  std::size_t offset = 0;
  for (const std::size_t count : counts) {
    ranges.push_back({.offset = offset, .count = count});
    offset += count;
  }
  return ranges;
}

}  // namespace linerate
