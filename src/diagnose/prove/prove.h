// Suspicions that a benchmark can settle: what can be switched for one run, and what runs with and
// without it say.
//
//   proofs.cc   the table, and the commands of both sides
//   verdict.cc  what the comparison of both sides says, as text and as JSON
// Pure: who starts the commands and compares their runs hands the comparison over.
//
// Side A runs with what is suspected, side B with what should be faster. The suspicion is proven
// where B is faster, whichever way a setting is switched.
#pragma once

#include "base/result.h"
#include "compare/comparison.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::prove {

// One thing that can be switched.
struct Proof {
  std::string_view id;
  std::string_view what;     // a phrase: what it decides
  std::string_view backend;  // the one that reads it; empty: any
  // A variable (NCCL_ALGO), an option of our benchmarks (--algo), or what stands in front of the
  // program (taskset -c).
  std::string_view setting;
  std::string_view usual;     // the value that is tried where none is set; empty: who asks has one
  std::string_view findings;  // the doctor's rules that suggest it, with blanks between them

  bool is_variable() const { return setting[0] >= 'A' && setting[0] <= 'Z'; }
  bool is_option() const { return setting[0] == '-'; }
};

std::span<const Proof> all_proofs();
Result<const Proof*> find_proof(std::string_view id);

// Those that a rule suggests.
std::vector<std::string_view> proofs_of(std::string_view rule);

using Value = std::optional<std::string>;  // of the setting; nothing: it is not set
inline constexpr std::string_view kUnset = "unset";

struct Sides {
  Value a{}, b{};
};
// `a` and `b` are what was asked for, kUnset for no value. Without them A has what is set now, and
// B nothing, or the usual value where A has nothing.
Result<Sides> sides_of(const Proof& proof, const Value& now, const Value& a, const Value& b);

// "NCCL_ALGO=Tree", "NCCL_ALGO unset"; "--algo ring", "no --algo".
std::string words_of(const Proof& proof, const Value& value);

// What sh runs: behind `launch`, so that each of its processes has the setting.
std::string command_of(const Proof& proof, const Value& value, std::string_view launch,
                       std::string_view program);

enum class Ruling : std::uint8_t { proven, refuted, undecided };
constexpr std::string_view name_of(Ruling ruling) {
  constexpr std::string_view kNames[] = {"proven", "refuted", "not decided"};
  return kNames[static_cast<std::size_t>(ruling)];
}

// Proven: B is FASTER in a case and SLOWER in none. Refuted: it is FASTER in none, and in each the
// interval leaves out that it might be, by as much as matters.
Ruling ruling_of(std::span<const ComparedCase> cases, const stats::Rule& rule);

struct Proved {
  const Proof& proof;
  Sides sides{};
  RunComparison comparison{};
};
std::string proved_text(const Proved& proved, bool colours);
std::string proved_json(const Proved& proved);

}  // namespace linerate::prove
