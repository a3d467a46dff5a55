// What is known of the variables that steer communication: one row a variable, in tables by family.
//
// Names and versions are those that the released sources of NCCL read (2.3.5 to 2.30.7, src and
// plugins); of the other families the rows are those that jobs set most. A family is complete where
// a name that has no row is a mistake, or newer than the registry.
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace linerate::env {

// A release of NCCL 2: {21, 5} is 2.21.5. {}: none, or older than the registry.
struct Release {
  int minor = 0;
  int patch = 0;

  auto operator<=>(const Release&) const = default;
};
inline constexpr Release kNewest{30, 7};

// "2.21.5", also as "2.21.5+cuda12.4" and "2.21.5-1"; or "2.21", which is the last of that minor
// version.
Result<Release> parse_release(std::string_view text);
bool is_newer_than_known(const Release& release);
std::string text_of(const Release& release);  // "2.21.5", "2.21"

// How the library reads the value.
enum class Kind : std::uint8_t {
  text,         // any
  names,        // of devices, with commas and no blanks
  whole,        // strtoll() of base 0: what stands behind the number is dropped
  flag,         // the same, of 0 and 1
  choice,       // one of the row's choices, to the letter
  any_case,     // one of them, in any case
  list,         // several of them in any case, with commas; ^ in front excludes
  by_function,  // the same; or "allreduce:ring,tree;broadcast:ring"
  level,        // one of them to the letter, or a number of old
  decimal,      // PyTorch's stoi(): base 10, and an exception where no number begins it
  path,         // of a file: no shell replaces a ~ in it
  boolean,      // PyTorch's: 1, t, true, y, yes and their opposites in any case
};

struct Variable {
  std::string_view name = {};
  Kind kind = Kind::text;
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 1;          // whole numbers are multiples of it
  std::string_view choices = {};  // with blanks between them
  std::string_view usual = {};    // the default, where no machine changes it; empty: it depends
  Release usual_since = {};       // from this release on
  Release since = {};             // the first release that reads it
  Release until = {};             // the last one; {}: all since
  Release deprecated = {};        // {}: it is not
  std::string_view instead = {};  // what to set in place of a deprecated or removed one
};

// A name that people copy from each other, and no release of NCCL has read.
struct UnreadName {
  std::string_view name, advice;
};

struct Family {
  std::string_view prefix;
  std::string_view library;
  bool complete = false;
};

std::span<const Variable> nccl_variables();
std::span<const Variable> other_variables();
std::span<const UnreadName> unread_names();

// Null: no row has this name.
const Variable* find_variable(std::string_view name);
const UnreadName* find_unread(std::string_view name);
// Null: the name belongs to none. What only names a variable of a family slightly wrong does.
const Family* family_of(std::string_view name);
// Read by a build or set by an image, and of no effect on a run; or read by some plugin.
bool is_harmless(std::string_view name);
// The known name that this one probably means; empty: none is near enough.
std::string_view meant_name(std::string_view name);

// NCCL's variables that its documentation does not have, by the releases that read them.
struct Undocumented {
  Release since, until;
  std::string_view names;  // without NCCL_, with blanks between them
};
std::span<const Undocumented> undocumented_names();
// The row of an undocumented name, which comes with its full prefix, or null.
const Undocumented* find_undocumented(std::string_view name);
// Whether NCCL reads its value as a whole number, as it does those of most. REQUIRES: it has a row.
bool is_undocumented_number(std::string_view name);

}  // namespace linerate::env
