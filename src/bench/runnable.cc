#include "bench/runnable.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace linerate {
namespace {

using Types = std::vector<DataType>;

// The one call that a collective consists of; nothing where it is made of others.
std::optional<OpKind> call_of(const Collective& collective) {
  for (std::size_t i = 0; i < kOpKinds; ++i)
    if (const auto kind = static_cast<OpKind>(i); name_of(kind) == collective.name) return kind;
  return std::nullopt;
}

std::string refusal_of(const Case& what, const Inspector& comm) {
  const auto kind = call_of(*what.collective);
  return kind ? comm.refusal({.kind = *kind, .type = what.type, .op = what.op}) : std::string();
}

template <typename Value>
void add_once(std::vector<Value>& values, Value value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

Types types_with(const std::vector<Case>& cases, RedOp op) {
  Types types;
  for (const Case& what : cases)
    if (what.op == op) add_once(types, what.type);
  return types;
}

std::string names_of(const Types& types) {
  std::vector<std::string_view> names;
  names.reserve(types.size());
  for (const DataType type : types) names.push_back(name_of(type));
  return join(names, ", ");
}

// "prod; sum of f8e4m3, f8e5m2": an operator alone is left out with every type that was asked for.
std::string names_of_left_out(const std::vector<Case>& left_out, const std::vector<Case>& asked) {
  std::vector<RedOp> ops;
  for (const Case& what : left_out) add_once(ops, what.op);
  std::string text;
  for (const RedOp op : ops) {
    const Types types = types_with(left_out, op);
    text += fmt::format("{}{}", text.empty() ? "" : "; ", name_of(op));
    if (types != types_with(asked, op)) text += fmt::format(" of {}", names_of(types));
  }
  return text;
}

}  // namespace

RunnableCases runnable_cases(const std::vector<Case>& cases, const Inspector& comm) {
  RunnableCases runnable;
  std::vector<Case> left_out;
  for (const Case& what : cases)
    (refusal_of(what, comm).empty() ? runnable.cases : left_out).push_back(what);
  if (left_out.empty()) return runnable;
  if (runnable.cases.empty()) throw Unavailable(refusal_of(left_out.front(), comm));
  runnable.note = fmt::format("note: left out, as there is no kernel for them: {}",
                              names_of_left_out(left_out, cases));
  return runnable;
}

}  // namespace linerate
