// See copy_tests.h: one line a kind.
#include "bench/memcpy/copy_tests.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace linerate {
namespace {

using E = CopyEnds;
using W = CopyWay;
using A = CopyAccess;

// nvbandwidth names a test after who acts: in its all_to_one_read all GPUs read from one, so that
// the data goes from one into all.
constexpr std::array<CopyKind, 17> kKinds{{
    {"h2d", {"host_to_device_memcpy"}, "host to GPU", E::host, W::down},
    {"d2h", {"device_to_host_memcpy"}, "GPU to host", E::host, W::up},
    {"host_bidir",
     {"host_to_device_bidirectional_memcpy", "device_to_host_bidirectional_memcpy"},
     "host to GPU and back at once, sum of both directions",
     E::host,
     W::both},
    {"local", {"device_local_copy"}, "within a GPU, bytes read plus bytes written", E::local},
    {"d2d_read",
     {"device_to_device_memcpy_read"},
     "row to column, which reads",
     E::pair,
     W::down,
     A::read},
    {"d2d_write",
     {"device_to_device_memcpy_write"},
     "row to column, the row writes",
     E::pair,
     W::down,
     A::write},
    {"d2d_bidir_read",
     {"device_to_device_bidirectional_memcpy_read"},
     "both ways at once, each reads, sum of both directions",
     E::pair,
     W::both,
     A::read},
    {"d2d_bidir_write",
     {"device_to_device_bidirectional_memcpy_write"},
     "both ways at once, each writes, sum of both directions",
     E::pair,
     W::both,
     A::write},
    {"host_to_all", {"host_to_all_memcpy"}, "host to all GPUs at once", E::all_host, W::down},
    {"all_to_host", {"all_to_host_memcpy"}, "all GPUs to host at once", E::all_host, W::up},
    {"all_host_bidir",
     {"host_to_all_bidirectional_memcpy", "all_to_host_bidirectional_memcpy"},
     "host to all GPUs and back at once, sum of both directions",
     E::all_host,
     W::both},
    {"into_one_write",
     {"all_to_one_write"},
     "into the column from all others at once, they write",
     E::into_one,
     W::down,
     A::write},
    {"into_one_read",
     {"one_to_all_read"},
     "into the column from all others at once, it reads",
     E::into_one,
     W::down,
     A::read},
    {"from_one_write",
     {"one_to_all_write"},
     "from the column into all others at once, it writes",
     E::from_one,
     W::down,
     A::write},
    {"from_one_read",
     {"all_to_one_read"},
     "from the column into all others at once, they read",
     E::from_one,
     W::down,
     A::read},
    {"host_copy", {}, "within the host's memory, bytes read plus bytes written", E::thread},
    {"host_copy_all",
     {},
     "within the host's memory, a thread on each core, bytes read plus bytes written",
     E::threads},
}};

constexpr std::string_view kLocalAlias = "device_local_copy";  // the one without _ce

CopyTest test_of(const CopyKind& kind, CopyEngine engine) {
  if (engine == CopyEngine::cpu) return {std::string(kind.name), {}, &kind, engine};
  CopyTest test{fmt::format("{}_{}", kind.name, name_of(engine)), {}, &kind, engine};
  for (const auto alias : kind.aliases) {
    if (alias.empty()) continue;
    if (alias != kLocalAlias)
      test.aliases.push_back(fmt::format("{}_{}", alias, name_of(engine)));
    else if (engine == CopyEngine::ce)
      test.aliases.emplace_back(alias);
  }
  return test;
}

std::vector<CopyTest> make_tests() {
  std::vector<CopyTest> tests;
  for (const CopyKind& kind : kKinds)
    if (kind.needs_gpu())
      for (const auto engine : {CopyEngine::ce, CopyEngine::sm})
        tests.push_back(test_of(kind, engine));
    else
      tests.push_back(test_of(kind, CopyEngine::cpu));
  return tests;
}

bool is_called(const CopyTest& test, std::string_view word) {
  return test.name == word || std::ranges::find(test.aliases, word) != test.aliases.end();
}

bool begins(std::string_view name, std::string_view word) {
  return name.starts_with(word) && name.substr(word.size()).starts_with('_') && !word.empty();
}

bool is_of(const CopyTest& test, std::string_view word) {
  return word == "all" || begins(test.name, word);
}

bool has_alias_of(const CopyTest& test, std::string_view word) {
  return std::ranges::any_of(test.aliases, [&](const auto& alias) { return begins(alias, word); });
}

// Those of that very name, else those that the word begins, else the same of nvbandwidth's names.
std::vector<const CopyTest*> tests_of(std::string_view word) {
  for (const auto matches : {is_called, is_of, has_alias_of}) {
    std::vector<const CopyTest*> found;
    for (const CopyTest& test : all_copy_tests())
      if (matches(test, word)) found.push_back(&test);
    if (!found.empty()) return found;
  }
  return {};
}

// What nvbandwidth measures and memcpy_perf does not.
std::optional<Failure> foreign_test(std::string_view word) {
  if (word.starts_with("multinode_"))
    return Failure{fmt::format(
        "Test '{}' copies between hosts, and memcpy_perf within one: p2p_perf and sendrecv_perf "
        "measure between them.",
        word)};
  if (word == "host_device_latency_sm" || word == "device_to_device_latency_sm")
    return Failure{fmt::format(
        "Test '{}' measures the latency of single loads, and memcpy_perf bandwidths only: p2p_perf "
        "measures the latency of messages between GPUs.",
        word)};
  return std::nullopt;
}

// The choices are ours; the nearest match may be one of nvbandwidth's names.
Failure unknown_test(std::string_view word) {
  if (auto foreign = foreign_test(word)) return *foreign;
  std::vector<std::string_view> kinds, names;
  for (const CopyKind& kind : kKinds) kinds.push_back(kind.name);
  for (const CopyTest& test : all_copy_tests()) {
    names.emplace_back(test.name);
    names.insert(names.end(), test.aliases.begin(), test.aliases.end());
  }
  names.insert(names.end(), kinds.begin(), kinds.end());
  const auto near = nearest_match(word, names);
  const auto hint = near.empty() ? std::string() : fmt::format(" Did you mean '{}'?", near);
  return Failure{
      fmt::format("Unknown test '{}': choose all or one of {}, each with _ce or _sm behind it "
                  "where one engine is wanted (--list shows all).{}",
                  word, join(kinds, ", "), hint)};
}

Failure misfit(std::string_view word, bool gpus) {
  if (gpus) return Failure{fmt::format("Test '{}' needs no GPU: give --backend host.", word)};
  return Failure{fmt::format(
      "Test '{}' needs a GPU, and --backend host has none: choose host_copy or host_copy_all.",
      word)};
}

}  // namespace

std::span<const CopyTest> all_copy_tests() {
  static const std::vector<CopyTest> kTests = make_tests();
  return kTests;
}

std::string_view name_of(CopyEngine engine) {
  switch (engine) {
    case CopyEngine::ce:
      return "ce";
    case CopyEngine::sm:
      return "sm";
    case CopyEngine::cpu:
      return "cpu";
  }
  __builtin_unreachable();
}

std::string summary_of(const CopyTest& test) {
  std::string summary(test.kind->summary);
  if (test.engine == CopyEngine::cpu) return summary;
  return summary + (test.engine == CopyEngine::ce ? ", by copy engine" : ", by kernel");
}

Result<std::vector<const CopyTest*>> find_copy_tests(std::string_view list, bool gpus) {
  std::set<const CopyTest*> chosen;  // of one array, so in its order
  for (const auto& word : split(list, ',')) {
    const auto found = tests_of(word);
    if (found.empty()) return unknown_test(word);
    bool fits = false;
    for (const auto* test : found) {
      if (test->kind->needs_gpu() != gpus) continue;
      chosen.insert(test);
      fits = true;
    }
    if (!fits) return misfit(word, gpus);
  }
  return std::vector<const CopyTest*>(chosen.begin(), chosen.end());
}

}  // namespace linerate
