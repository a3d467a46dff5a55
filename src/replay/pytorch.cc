#include "replay/pytorch.h"

#include "base/text.h"
#include "record/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace linerate::replay {
namespace {

using json::get;
using json::Json;
using json::parse_bounded;

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

// A call of record_param_comms in the words of PyTorch.
struct Recorded {
  std::string name{}, type{}, group{}, about_group{};
  std::uint64_t in = 0, out = 0;
  std::vector<std::int64_t> in_split{}, out_split{}, ranks{};
  bool ranks_are_whole = false;
  int nranks = 0, rank = -1, first = -1, stride = 0;
  std::int64_t external_id = -1;
  double start_us = 0;
};

// "[0, 1, 2]", or a list; false where it was shortened: "[0, 1, ..., 63]".
bool read_list(const Json& value, std::vector<std::int64_t>& into) {
  auto list = value;
  if (value.is_string()) {
    const auto parsed = parse_bounded(value.get_ref<const std::string&>());
    if (!parsed) return false;
    list = *parsed;
  }
  if (!list.is_array() || list.size() > kMostTraceRanks) return false;
  into.resize(list.size());
  for (std::size_t i = 0; i < into.size(); ++i)
    if (!json::convert(list[i], into[i])) return false;
  return true;
}

bool get_list(const Json& object, const char* key, std::vector<std::int64_t>& into) {
  const auto at = object.find(key);
  return at != object.end() && read_list(*at, into);
}

// Puts what was recorded together, once the whole file is read.
class Builder {
 public:
  // What moves no data is none: PyTorch records the wait for each call, too.
  void add(Recorded call) {
    if (call.name != "wait" && call.name != "init") recorded_.push_back(std::move(call));
  }
  void add_kernel(std::int64_t external_id, const TimeSpan& span) {
    kernels_.emplace(external_id, span);
  }
  void add_step(const TimeSpan& span) { trace_.calls.steps.push_back(span); }
  // A list of process groups: pg_name and ranks.
  void add_groups(const Json& list);
  PytorchTrace& trace() { return trace_; }
  bool empty() const { return recorded_.empty(); }

  PytorchTrace build();

 private:
  std::optional<std::string> add_call(const Recorded& recorded);
  std::vector<int> ranks_of(const Recorded& recorded) const;
  std::size_t place_of(const Recorded& recorded, std::vector<int> ranks);

  PytorchTrace trace_;
  std::vector<Recorded> recorded_;
  std::map<std::int64_t, TimeSpan> kernels_;
  std::map<std::string, std::vector<std::int64_t>> groups_;
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> places_;
  std::map<std::size_t, double> latest_us_;  // start of a call of each group
};

void Builder::add_groups(const Json& list) {
  if (!list.is_array()) return;
  for (const auto& group : list) {
    std::string name;
    std::vector<std::int64_t> ranks;
    if (group.is_object() && get(group, "pg_name", name) && get_list(group, "ranks", ranks) &&
        !ranks.empty())
      groups_[name] = std::move(ranks);
  }
}

// Those of the group in their order; none: the file does not name them.
std::vector<int> Builder::ranks_of(const Recorded& recorded) const {
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

std::size_t Builder::place_of(const Recorded& recorded, std::vector<int> ranks) {
  const auto [at, is_new] = places_.emplace(std::pair(recorded.group, ranks), trace_.groups.size());
  if (is_new) trace_.groups.emplace_back(recorded.group, Group{std::move(ranks)});
  return at->second;
}

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

// Yields why the call is left out, where it is.
std::optional<std::string> Builder::add_call(const Recorded& recorded) {
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
  const bool has_peer =
      is_rooted(call.kind) || call.kind == OpKind::send || call.kind == OpKind::recv;
  if (has_peer) call.peer = recorded.rank;
  call.start_us = recorded.start_us;
  if (const auto kernel = kernels_.find(recorded.external_id); kernel != kernels_.end()) {
    call.start_us = kernel->second.start_us;
    call.time_us = kernel->second.time_us;
  }
  call.purpose = plain_text(recorded.about_group.empty() ? recorded.group : recorded.about_group);
  call.group = place_of(recorded, std::move(ranks));
  auto& latest_us = latest_us_.emplace(call.group, call.start_us).first->second;
  latest_us = std::max(latest_us, call.start_us);
  if (!call.time_us) call.start_us = latest_us;
  trace_.calls.calls.push_back(std::move(call));
  return {};
}

// Calls of a group run in the order in which they were recorded. A kernel begins later than its
// call was recorded: a call without one begins no earlier than those before it.
PytorchTrace Builder::build() {
  std::ranges::stable_sort(recorded_, {}, &Recorded::start_us);
  for (const auto& recorded : recorded_)
    if (const auto left_out = add_call(recorded)) ++trace_.left_out[plain_text(*left_out)];
  return std::move(trace_);
}

// An event of traceEvents.
void read_event(const Json& event, Builder& to) {
  constexpr std::string_view kStep = "ProfilerStep#";
  std::string name, category;
  TimeSpan span;
  const auto args = event.find("args");
  if (!get(event, "name", name) || !get(event, "ts", span.start_us)) return;
  get(event, "dur", span.time_us);
  get(event, "cat", category);
  span.time_us = std::max(0.0, span.time_us);
  if (name.starts_with(kStep) && category == "user_annotation") return to.add_step(span);
  if (args == event.end() || !args->is_object()) return;
  Recorded call{.start_us = span.start_us};
  get(*args, "External id", call.external_id);
  if (category == "kernel" && name.starts_with("nccl"))
    return to.add_kernel(call.external_id, span);
  if (name != "record_param_comms" || !get(*args, "Collective name", call.name)) return;
  get(*args, "dtype", call.type);
  get(*args, "In msg nelems", call.in);
  get(*args, "Out msg nelems", call.out);
  get(*args, "Group size", call.nranks);
  get(*args, "Process Group Name", call.group);
  get(*args, "Process Group Description", call.about_group);
  get(*args, "Rank", call.rank);
  get(*args, "Global rank start", call.first);
  get(*args, "Global rank stride", call.stride);
  get_list(*args, "In split size", call.in_split);
  get_list(*args, "Out split size", call.out_split);
  call.ranks_are_whole = get_list(*args, "Process Group Ranks", call.ranks);
  to.add(std::move(call));
}

// What stands before the name of the collective among a node's inputs.
int rank_of(const Json& inputs, const std::string& collective) {
  const auto values = inputs.find("values");
  int rank = -1;
  if (values == inputs.end() || !values->is_array()) return rank;
  for (std::size_t i = 1; i < values->size(); ++i)
    if ((*values)[i] == collective && json::convert((*values)[i - 1], rank)) break;
  return rank;
}

// A node of an execution trace.
void read_node(const Json& node, Builder& to) {
  std::string name;
  const auto inputs = node.find("inputs"), attributes = node.find("attrs");
  if (!get(node, "name", name) || inputs == node.end() || !inputs->is_object()) return;
  if (name == "## process_group:init ##") {
    const auto values = inputs->find("values");
    if (values == inputs->end() || !values->is_array() || values->empty()) return;
    if (!values->front().is_string()) return;
    if (const auto list = parse_bounded(values->front().get_ref<const std::string&>()))
      to.add_groups(*list);
  }
  if (name != "record_param_comms" || attributes == node.end() || !attributes->is_array()) return;
  Json known = Json::object();
  for (const auto& attribute : *attributes) {
    std::string key;
    if (attribute.is_object() && get(attribute, "name", key) && attribute.contains("value") &&
        known.size() < 64)
      known[key] = attribute["value"];
  }
  Recorded call;
  std::int64_t id = 0;
  if (!get(known, "collective_name", call.name)) return;
  get(node, "id", id);
  get(known, "dtype", call.type);
  get(known, "in_msg_nelems", call.in);
  get(known, "out_msg_nelems", call.out);
  get(known, "pg_size", call.nranks);
  get(known, "pg_name", call.group);
  get(known, "pg_desc", call.about_group);
  get(known, "global_rank_start", call.first);
  get(known, "global_rank_stride", call.stride);
  get_list(known, "in_split_size", call.in_split);
  get_list(known, "out_split_size", call.out_split);
  call.rank = rank_of(*inputs, call.name);
  call.start_us = static_cast<double>(id);  // their order
  to.add(std::move(call));
}

}  // namespace

Result<PytorchTrace> read_pytorch(std::string_view text) {
  Builder builder;
  const auto document = parse_bounded(text, [&](const Json& object) {
    object.contains("inputs") ? read_node(object, builder) : read_event(object, builder);
  });
  if (!document)
    return Failure{
        "It is not JSON: it was cut, or is no trace of calls. Give a file of "
        "--trace-comm, of torch.profiler, or an execution trace of PyTorch in JSON."};
  if (!document->is_object() ||
      (!document->contains("traceEvents") && !document->contains("nodes")))
    return Failure{
        "It is no trace of calls: it has neither traceEvents, as of torch.profiler, nor "
        "nodes, as an execution trace of PyTorch."};
  if (builder.empty())
    return Failure{
        "It names no collectives: it has no record_param_comms with their names, which "
        "PyTorch 2.2 and newer write for NCCL."};
  auto& trace = builder.trace();
  if (const auto job = document->find("distributedInfo");
      job != document->end() && job->is_object()) {
    int rank = 0;
    if (get(*job, "rank", rank) && rank >= 0) trace.rank = rank;
    if (!get(*job, "world_size", trace.nranks) || trace.nranks < 1 ||
        trace.nranks > static_cast<int>(kMostTraceRanks))
      return Failure{"Its distributedInfo has no world_size that makes sense."};
    if (const auto groups = job->find("pg_config"); groups != job->end())
      builder.add_groups(*groups);
  }
  return builder.build();
}

}  // namespace linerate::replay
