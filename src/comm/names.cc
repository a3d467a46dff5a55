// Parsing of the printed names of data types and reduction operators.
#include "base/text.h"
#include "comm/data_type.h"
#include "comm/red_op.h"

#include <algorithm>
#include <vector>

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

}  // namespace

Result<DataType> parse_data_type(std::string_view text) {
  if (const auto* row = find_row(kDataTypes, text)) return row->type;
  return Failure{unknown_choice("data type", text, names_of(kDataTypes))};
}

Result<RedOp> parse_red_op(std::string_view text) {
  if (const auto* row = find_row(kRedOps, text)) return row->op;
  return Failure{unknown_choice("reduction operator", text, names_of(kRedOps))};
}

}  // namespace linerate
