#include "replay/recorded.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::replay {
namespace {

// c10::ScalarType's names, and those of tensors in execution traces.
constexpr auto kTypes = std::to_array<std::pair<std::string_view, DataType>>({
    {"Float", DataType::float32},
    {"Half", DataType::float16},
    {"BFloat16", DataType::bfloat16},
    {"Double", DataType::float64},
    {"Int", DataType::int32},
    {"Long", DataType::int64},
    {"Char", DataType::int8},
    {"Byte", DataType::uint8},
    {"Bool", DataType::uint8},
    {"UInt32", DataType::uint32},
    {"UInt64", DataType::uint64},
    {"Float8_e4m3fn", DataType::f8e4m3},
    {"Float8_e5m2", DataType::f8e5m2},
    {"Float8_e4m3fnuz", DataType::f8e4m3},
    {"Float8_e5m2fnuz", DataType::f8e5m2},
});

// Which elements a call's count is of: those that go in, or that come out.
enum class Counts : std::uint8_t { in, out };
struct Collective {
  std::string_view name;
  OpKind kind;
  Counts counts;
};
constexpr auto kCollectives = std::to_array<Collective>({
    {"allreduce", OpKind::all_reduce, Counts::in},
    {"all_reduce", OpKind::all_reduce, Counts::in},
    {"allreduce_coalesced", OpKind::all_reduce, Counts::in},
    {"allgather", OpKind::all_gather, Counts::in},
    {"all_gather", OpKind::all_gather, Counts::in},
    {"_allgather_base", OpKind::all_gather, Counts::in},
    {"allgather_into_tensor_coalesced", OpKind::all_gather, Counts::in},
    {"all_gather_into_tensor_coalesced", OpKind::all_gather, Counts::in},
    {"reduce_scatter", OpKind::reduce_scatter, Counts::out},
    {"_reduce_scatter_base", OpKind::reduce_scatter, Counts::out},
    {"reduce_scatter_tensor_coalesced", OpKind::reduce_scatter, Counts::out},
    {"broadcast", OpKind::broadcast, Counts::in},
    {"_broadcast_oop", OpKind::broadcast, Counts::in},
    {"reduce", OpKind::reduce, Counts::in},
    {"_reduce_oop", OpKind::reduce, Counts::in},
    {"gather", OpKind::gather, Counts::in},
    {"scatter", OpKind::scatter, Counts::out},
    {"all_to_all", OpKind::all_to_all, Counts::in},
    {"all_to_allv", OpKind::all_to_all, Counts::in},
    {"alltoall", OpKind::all_to_all, Counts::in},
    {"alltoall_base", OpKind::all_to_all, Counts::in},
    {"send", OpKind::send, Counts::in},
    {"recv", OpKind::recv, Counts::out},
    {"barrier", OpKind::all_reduce, Counts::in},
});

// Splits are of the first dimension: of each, so many elements. None: all parts are as large.
bool scale(std::vector<std::int64_t> splits, std::uint64_t elements, std::size_t nranks,
           std::vector<std::uint64_t>& into) {
  if (splits.empty()) splits.assign(nranks, 1);
  if (splits.size() != nranks) return false;
  std::uint64_t sum = 0;
  for (const auto split : splits) {
    if (split < 0 || split > static_cast<std::int64_t>(kMostElements)) return false;
    sum += static_cast<std::uint64_t>(split);
  }
  if (sum == 0 ? elements != 0 : elements % sum != 0) return false;
  const auto row = sum == 0 ? 0 : elements / sum;
  for (const auto split : splits) into.push_back(static_cast<std::uint64_t>(split) * row);
  return true;
}

// What the group is for; where PyTorch knows no description, how far apart its ranks are: groups
// along one dimension of a mesh are alike.
std::string purpose_of(const Recorded& recorded, const std::vector<int>& ranks) {
  if (!recorded.about_group.empty() && recorded.about_group != "undefined")
    return plain_text(recorded.about_group);
  const int stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 0;
  const auto off = [&](int a, int b) { return b - a != stride; };
  const bool even = std::ranges::adjacent_find(ranks, off) == ranks.end();
  return stride != 0 && even ? fmt::format("stride {}", stride) : plain_text(recorded.group);
}

}  // namespace

// Those of the group in their order; none: the file does not name them.
std::vector<int> Recording::ranks_of(const Recorded& recorded) const {
  const auto size = static_cast<std::size_t>(recorded.nranks);
  auto ranks = recorded.ranks;
  const auto known = groups_.find(recorded.group);
  if (!recorded.ranks_are_whole || ranks.size() != size)
    ranks = known != groups_.end() ? known->second : std::vector<std::int64_t>();
  const bool even = recorded.first >= 0 && (recorded.stride > 0 || size == 1);
  const bool world = recorded.nranks == trace_.nranks || trace_.nranks == 0;
  if (ranks.size() != size && (even || world)) {
    const std::int64_t first = even ? recorded.first : 0, stride = even ? recorded.stride : 1;
    ranks.clear();
    for (std::int64_t i = 0; i < recorded.nranks; ++i) ranks.push_back(first + i * stride);
  }
  const auto is_rank = [](std::int64_t rank) {
    return rank >= 0 && rank < static_cast<std::int64_t>(kMostTraceRanks);
  };
  if (ranks.size() != size || !std::ranges::all_of(ranks, is_rank)) return {};
  std::vector<int> members(ranks.begin(), ranks.end());
  auto sorted = members;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? members : std::vector<int>();
}

std::size_t Recording::place_of(const Recorded& recorded, std::vector<int> ranks) {
  const auto [at, is_new] = places_.emplace(std::pair(recorded.group, ranks), trace_.groups.size());
  if (is_new) trace_.groups.emplace_back(recorded.group, Group{std::move(ranks)});
  return at->second;
}

// The root, or the other rank. Where a root is not told, rank 0 stands for it: as many bytes move.
bool Recording::set_peer(const Recorded& recorded, Call& call) {
  const bool rooted = is_rooted(call.kind);
  if (!rooted && call.kind != OpKind::send && call.kind != OpKind::recv) return true;
  call.peer = recorded.rank;
  if (call.peer >= 0) return true;
  if (!rooted) return false;
  call.peer = 0;
  if (recorded.nranks > 1) ++trace_.assumed[fmt::format("the root of {}", recorded.name)];
  return true;
}

// Yields why the call is left out, where it is.
std::optional<std::string> Recording::add_call(const Recorded& recorded) {
  const auto what = std::ranges::find(kCollectives, recorded.name, &Collective::name);
  if (what == kCollectives.end()) return recorded.name;
  const auto type =
      std::ranges::find(kTypes, recorded.type, &std::pair<std::string_view, DataType>::first);
  const bool barrier = recorded.name == "barrier";
  if (type == kTypes.end() && !barrier)
    return fmt::format("{} of {}", recorded.name, recorded.type);
  Call call{.kind = what->kind, .type = barrier ? DataType::uint8 : type->second};
  if (recorded.nranks < 1 || recorded.nranks > static_cast<int>(kMostTraceRanks))
    return fmt::format("{} in a group of {} ranks", recorded.name, recorded.nranks);
  auto ranks = ranks_of(recorded);
  if (ranks.empty())
    return fmt::format("{} in a group whose ranks the file does not name", recorded.name);
  const auto nranks = static_cast<std::uint64_t>(recorded.nranks);
  call.count = barrier ? 1 : what->counts == Counts::in ? recorded.in : recorded.out;
  if (call.kind == OpKind::all_to_all) {
    call.count /= nranks;
    if (!recorded.in_split.empty() || !recorded.out_split.empty()) {
      call.kind = OpKind::all_to_all_v;
      call.count = 0;
      if (!scale(recorded.in_split, recorded.in, nranks, call.send_counts) ||
          !scale(recorded.out_split, recorded.out, nranks, call.recv_counts))
        return fmt::format("{} whose parts the file does not tell", recorded.name);
    }
  }
  if (!set_peer(recorded, call))
    return fmt::format("{} whose peer the file does not tell", recorded.name);
  call.start_us = recorded.start_us;
  if (const auto kernel = kernels_.find(recorded.external_id); kernel != kernels_.end()) {
    call.start_us = kernel->second.start_us;
    call.time_us = kernel->second.time_us;
  }
  call.purpose = purpose_of(recorded, ranks);
  call.group = place_of(recorded, std::move(ranks));
  auto& latest_us = latest_us_.emplace(call.group, call.start_us).first->second;
  latest_us = std::max(latest_us, call.start_us);
  if (!call.time_us) call.start_us = latest_us;
  trace_.calls.calls.push_back(std::move(call));
  return {};
}

// Calls of a group run in the order in which they were recorded. A kernel begins later than its
// call was recorded: a call without one begins no earlier than those before it.
PytorchTrace Recording::build() {
  std::ranges::stable_sort(recorded_, {}, &Recorded::start_us);
  for (const auto& recorded : recorded_)
    if (const auto left_out = add_call(recorded)) ++trace_.left_out[plain_text(*left_out)];
  return std::move(trace_);
}

}  // namespace linerate::replay
