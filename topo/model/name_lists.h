// Lists of algorithms and protocols as NCCL's variables hold them: "ring,tree", "^ll", and since
// 2.24 "ring;allreduce:tree".
#pragma once

#include "base/text.h"
#include "topo/model/constants.h"
#include "topo/version.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::topo {

// The names that a list may hold, and what it makes of those in it and of the others.
template <typename Use>
struct ListWords {
  std::string_view what;                  // "algorithm"
  std::vector<std::string_view> names{};  // of the uses first; what lies behind changes nothing
  Use on{}, off{};
};

// One entry: the uses of all functions, or of one.
struct ListEntry {
  std::optional<Function> function{};
  bool inverse = false;              // "^": all but these
  std::vector<std::string> names{};  // as they were typed
};

// What a variable holds. `sentence`: why NCCL ends with an error, in words; empty: it does not.
struct ListText {
  std::vector<ListEntry> entries{};
  std::string sentence{};
};

// parseList in src/graph/tuning.cc of the version. Since 2.24 lists may name functions.
ListText read_entries(std::string_view text, const NcclVersion& version);

// Where a token stands among the names, in either case of letters.
std::optional<std::size_t> place_in(const std::vector<std::string_view>& names,
                                    std::string_view token);

// Writes what `text` says into the uses of each function, as NCCL does. Names that are unknown are
// skipped up to 2.23; from then on NCCL ends with an error, and here is a sentence. Else it is
// empty.
template <typename Use, std::size_t kCount>
std::string apply_lists(std::string_view text, const ListWords<Use>& words,
                        const NcclVersion& version,
                        std::array<std::array<Use, kCount>, kFunctions>& uses) {
  constexpr NcclVersion kStrictSince{2, 24, 0};
  const auto read = read_entries(text, version);
  for (const auto& entry : read.entries)
    for (const auto function : kAllFunctions) {
      if (entry.function && *entry.function != function) continue;
      auto& of_function = uses[index_of(function)];
      of_function.fill(entry.inverse ? words.on : words.off);
      for (const auto& name : entry.names) {
        const auto place = place_in(words.names, name);
        if (!place && version >= kStrictSince)
          return unknown_choice(words.what, plain_text(name), words.names);
        if (place && *place < kCount) of_function[*place] = entry.inverse ? words.off : words.on;
      }
    }
  return read.sentence;
}

}  // namespace linerate::topo
