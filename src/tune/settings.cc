#include "tune/settings.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::tuning {
namespace {

// What makes data wrong or errors silent, or hides a fault, whatever it gains: with any value but
// the safe one, because libraries take many spellings of yes and no.
struct Danger {
  std::string_view name, safe_value;  // empty: none is safe
  std::string_view why;
};
constexpr auto kDangers = std::to_array<Danger>({
    {"NCCL_GDR_FLUSH_DISABLE", "0", "a GPU may read data before all of it has arrived"},
    {"NCCL_NET_FORCE_FLUSH", "1", "a GPU may read data before all of it has arrived"},
    {"NCCL_IGNORE_DISABLED_P2P", "0", "it hides that peer access does not work"},
    {"NCCL_IGNORE_NET_MISMATCH", "0", "it hides nodes with other networks"},
    {"NCCL_IGNORE_COLLNET_MISMATCH", "0", "it hides nodes with other networks"},
    {"NCCL_IB_TIMEOUT", "", "it decides when a fault is noticed, and nothing else"},
    {"NCCL_IB_RETRY_CNT", "", "it decides when a fault is noticed, and nothing else"},
    {"OMPI_MCA_mpi_param_check", "1", "wrong arguments would no longer be noticed"},
    {"OMPI_MCA_mpi_leave_pinned", "0",
     "memory that an allocator has given back may stay registered, and data may be wrong"},
    {"OMPI_MCA_mpi_leave_pinned_pipeline", "0",
     "memory that an allocator has given back may stay registered, and data may be wrong"},
});
constexpr std::string_view kForcesLl128 =
    "forced, it is used also on machines where data may be wrong; NCCL uses it by itself where it "
    "is safe";

// NCCL_PROTO is a list, "all_reduce:LL,Simple;LL" since 2.24 one for each function; behind ^ those
// that are left out, and all others are forced.
bool forces_ll128(std::string_view value) {
  return std::ranges::any_of(split(lower(value), ';'), [](std::string_view list) {
    list = trim(list.substr(list.find(':') + 1));
    const bool leaves_out = list.starts_with('^');
    const auto names = split(list.substr(leaves_out ? 1 : 0), ',');
    const bool named =
        std::ranges::any_of(names, [](std::string_view name) { return trim(name) == "ll128"; });
    return named != leaves_out;
  });
}

std::string_view prefix_of(Library library) {
  switch (library) {
    case Library::nccl:
      return "NCCL_";
    case Library::mpi:
      return "OMPI_MCA_";
    case Library::gloo:
      return "GLOO_";
  }
  __builtin_unreachable();
}

// Empty: it can.
std::string why_it_cannot_matter(Needs needs, const Facts& facts) {
  const bool one_node = facts.nodes == 1;
  switch (needs) {
    case Needs::nothing:
      return {};
    case Needs::ranks_of_a_node:
      return facts.ranks_per_node > 1 ? "" : "each node has one rank";
    case Needs::one_node:
      return one_node ? "" : "it is for one node";
    case Needs::nodes:
      return one_node ? "it is about the network, and there is one node" : "";
    case Needs::infiniband:
      if (one_node) return "it is about the network, and there is one node";
      return facts.infiniband > 0 ? "" : "no InfiniBand or RoCE adapter is here";
    case Needs::sockets:
      if (one_node) return "it is about the network, and there is one node";
      return facts.infiniband == 0 ? "" : "InfiniBand carries the data, not sockets";
  }
  __builtin_unreachable();
}

// By the doctor's registry; empty: this release reads it, or nobody knows better.
std::string why_not_read(std::string_view name, const env::Release& nccl) {
  if (!name.starts_with("NCCL_")) return {};
  env::Release since{}, until{};
  if (const auto* row = env::find_variable(name)) {
    since = row->since;
    until = row->until;
  } else if (const auto* other = env::find_undocumented(name)) {
    since = other->since;
    until = other->until;
  }
  const bool reads = nccl >= since && (until == env::Release{} || nccl <= until);
  return reads ? std::string() : fmt::format("NCCL {} does not read it", env::text_of(nccl));
}

Result<Arm> tried_arm(Library library, std::string_view text) {
  const auto equals = std::min(text.find('='), text.size());
  const auto name = text.substr(0, equals);
  const auto value = text.substr(std::min(equals + 1, text.size()));
  if (!name.starts_with(prefix_of(library)) || name == prefix_of(library) || value.empty())
    return Failure{
        fmt::format("--try '{}' is no setting of {}: give NAME=VALUE with a name that "
                    "begins with {}.",
                    plain_text(text), backend_of(library), prefix_of(library))};
  if (const auto why = danger_of(name, value); !why.empty())
    return Failure{fmt::format("--try {} is refused: {}.", plain_text(text), why)};
  return Arm{.words = std::string(text), .variables = {{std::string(name), std::string(value)}}};
}

}  // namespace

std::string_view backend_of(Library library) {
  constexpr std::string_view kNames[] = {"nccl", "mpi", "gloo"};
  return kNames[static_cast<std::size_t>(library)];
}

std::string_view danger_of(std::string_view name, std::string_view value) {
  if (name == "NCCL_PROTO" && forces_ll128(value)) return kForcesLl128;
  for (const auto& row : kDangers)
    if (row.name == name && (row.safe_value.empty() || value != row.safe_value)) return row.why;
  return {};
}

std::string set_already(const Facts& facts, std::span<const std::string_view> names) {
  for (const auto name : names)
    if (const auto found = facts.set.find(std::string(name)); found != facts.set.end())
      return fmt::format("{} is set ({}): unset it to have it tuned", name,
                         plain_text(found->second));
  return {};
}

void add_process_rows(std::span<const ProcessRow> rows, const Facts& facts, Candidates& to) {
  for (const auto& row : rows) {
    const std::array names{row.name};
    auto why = set_already(facts, names);
    if (why.empty()) why = why_not_read(row.name, facts.nccl);
    if (why.empty()) why = why_it_cannot_matter(row.needs, facts);
    if (!why.empty()) {
      to.left_out.push_back({std::string(row.name), why});
      continue;
    }
    for (const auto& value : split(row.values, ' '))
      to.arms.push_back({.words = fmt::format("{}={}", row.name, value),
                         .variables = {{std::string(row.name), value}}});
  }
}

Result<Candidates> candidates(Library library, const Facts& facts, const Collectives& collectives,
                              std::span<const std::string> tried) {
  auto all = library == Library::nccl  ? nccl_candidates(facts, collectives)
             : library == Library::mpi ? mpi_candidates(facts, collectives)
                                       : gloo_candidates(facts);
  for (const auto& text : tried) {
    auto arm = tried_arm(library, text);
    if (!arm) return arm.failure();
    all.arms.push_back(*std::move(arm));
  }
  return all;
}

}  // namespace linerate::tuning
