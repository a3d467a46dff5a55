#include "replay/pytorch.h"

#include "record/json_text.h"
#include "replay/recorded.h"

#include <algorithm>
#include <utility>

namespace linerate::replay {
namespace {

using json::get;
using json::Json;
using json::parse_bounded;

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

// A list of process groups: pg_name and ranks.
void read_groups(const Json& list, Recording& to) {
  if (!list.is_array()) return;
  for (const auto& group : list) {
    std::string name;
    std::vector<std::int64_t> ranks;
    if (group.is_object() && get(group, "pg_name", name) && get_list(group, "ranks", ranks) &&
        !ranks.empty())
      to.add_group(std::move(name), std::move(ranks));
  }
}

// The root or peer, which PyTorch before 2.5 tells with record_shapes: the fourth input.
int rank_among_inputs(const Json& args) {
  constexpr std::size_t kPlace = 3;
  const auto inputs = args.find("Concrete Inputs");
  int rank = -1;
  if (inputs != args.end() && inputs->is_array() && inputs->size() > kPlace &&
      (*inputs)[kPlace].is_string())
    if (const auto number = parse_bounded((*inputs)[kPlace].get_ref<const std::string&>()))
      (void)json::convert(*number, rank);
  return rank;
}

// An event of traceEvents.
void read_event(const Json& event, Recording& to) {
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
  if (!get(*args, "Rank", call.rank)) call.rank = rank_among_inputs(*args);
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
void read_node(const Json& node, Recording& to) {
  std::string name;
  const auto inputs = node.find("inputs"), attributes = node.find("attrs");
  if (!get(node, "name", name) || inputs == node.end() || !inputs->is_object()) return;
  if (name == "## process_group:init ##") {
    const auto values = inputs->find("values");
    if (values == inputs->end() || !values->is_array() || values->empty()) return;
    if (!values->front().is_string()) return;
    if (const auto list = parse_bounded(values->front().get_ref<const std::string&>()))
      read_groups(*list, to);
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
  Recording recording;
  const auto document = parse_bounded(text, [&](const Json& object) {
    object.contains("inputs") ? read_node(object, recording) : read_event(object, recording);
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
  if (recording.empty())
    return Failure{
        "It names no collectives: it has no record_param_comms with their names, which PyTorch "
        "writes for NCCL, from 2.2 on into profiles and from 2.4 on into execution traces."};
  auto& trace = recording.trace();
  if (const auto job = document->find("distributedInfo");
      job != document->end() && job->is_object()) {
    int rank = 0;
    if (get(*job, "rank", rank) && rank >= 0) trace.rank = rank;
    if (!get(*job, "world_size", trace.nranks) || trace.nranks < 1 ||
        trace.nranks > static_cast<int>(kMostTraceRanks))
      return Failure{"Its distributedInfo has no world_size that makes sense."};
    if (const auto groups = job->find("pg_config"); groups != job->end())
      read_groups(*groups, recording);
  }
  return recording.build();
}

}  // namespace linerate::replay
