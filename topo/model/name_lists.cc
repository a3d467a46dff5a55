#include "topo/model/name_lists.h"

#include <array>

namespace linerate::topo {
namespace {

// NCCL's names, by Function.
constexpr std::array<std::string_view, kFunctions> kFunctionNames{
    "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};

// As strtok takes a text apart: empty pieces are none.
std::vector<std::string> tokens(std::string_view text, char separator) {
  auto pieces = split(text, separator);
  std::erase(pieces, "");
  return pieces;
}

ListEntry entry_of(std::string_view list) {
  ListEntry entry{.inverse = list.starts_with('^')};
  entry.names = tokens(list.substr(entry.inverse ? 1 : 0), ',');
  return entry;
}

// "allreduce:tree", or "tree" where it is the first entry.
std::string add_entry(std::string_view text, bool is_first, std::vector<ListEntry>& entries) {
  const auto parts = tokens(text, ':');
  if (parts.empty()) return "an entry holds no names.";
  if (parts.size() == 1 && !is_first)
    return "each entry but the first needs a function in front, as in allreduce:tree.";
  entries.push_back(entry_of(parts.size() == 1 ? parts[0] : parts[1]));
  if (parts.size() == 1) return "";
  const std::vector<std::string_view> names(kFunctionNames.begin(), kFunctionNames.end());
  const auto place = place_in(names, parts[0]);
  if (!place) return unknown_choice("function", plain_text(parts[0]), names);
  entries.back().function = kAllFunctions.at(*place);
  return "";
}

}  // namespace

std::optional<std::size_t> place_in(const std::vector<std::string_view>& names,
                                    std::string_view token) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (lower(names[i]) == lower(token)) return i;
  return std::nullopt;
}

ListText read_entries(std::string_view text, const NcclVersion& version) {
  constexpr NcclVersion kByFunction{2, 24, 0};
  ListText read;
  if (version < kByFunction) {
    read.entries.push_back(entry_of(text));
    return read;
  }
  bool is_first = !text.starts_with(';');
  for (const auto& entry : tokens(text, ';')) {
    read.sentence = add_entry(entry, is_first, read.entries);
    if (!read.sentence.empty()) break;
    is_first = false;
  }
  if (!read.sentence.empty()) read.entries.clear();
  return read;
}

}  // namespace linerate::topo
