#include "replay/trace.h"

#include "base/clock.h"
#include "base/text.h"
#include "record/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace linerate::replay {
namespace {

using json::get;
using json::Json;
using json::parse_bounded;

constexpr int kSchema = 1;
constexpr std::size_t kMostLineBytes = std::size_t{8} << 20;
constexpr std::size_t kMostHeadBytes = 4096;
constexpr std::string_view kKind = "comm_trace";

// Whole nanoseconds: where one call ends and the next begins is told exactly, also after hours.
double whole_ns(double us) { return std::round(us * kNsPerUs) / kNsPerUs; }

std::string text_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::optional<OpKind> op_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < kOpKinds; ++i)
    if (name_of(static_cast<OpKind>(i)) == name) return static_cast<OpKind>(i);
  return std::nullopt;
}

// Reads line after line into a trace; each function yields what is wrong, or nothing.
class LineReader {
 public:
  std::string read(const Json& line);
  std::string missing() const;
  CommTrace take() { return std::move(trace_); }

 private:
  std::string head(const Json& line);
  std::string group(const Json& line);
  std::string step(const Json& line);
  std::string call(const Json& line);
  static std::string shape(const Json& line, Call& call);
  template <typename T>
  static bool get_all(const Json& line, const char* key, std::vector<T>& into) {
    const auto at = line.find(key);
    if (at == line.end()) return true;
    if (!at->is_array()) return false;
    into.resize(at->size());
    for (std::size_t i = 0; i < into.size(); ++i)
      if (!json::convert((*at)[i], into[i])) return false;
    return true;
  }
  bool get_rank(const Json& line, std::size_t& rank) const {
    return get(line, "rank", rank) && rank < trace_.ranks.size();
  }

  CommTrace trace_;
  std::map<std::int64_t, std::size_t> groups_;
};

std::string LineReader::read(const Json& line) {
  std::string kind;
  if (!line.is_object() || !get(line, "kind", kind)) return "is not an object with a kind";
  if (kind == kKind) return head(line);
  if (trace_.ranks.empty()) return "comes before the line comm_trace";
  if (kind == "group") return group(line);
  if (kind == "step") return step(line);
  if (kind == "call") return call(line);
  return fmt::format("is of the kind '{}': comm_trace, group, step and call are known",
                     plain_text(kind));
}

std::string LineReader::head(const Json& line) {
  int schema = 0;
  std::size_t nranks = 0;
  std::string program, backend;
  if (!trace_.ranks.empty()) return "begins a second trace: give one trace";
  if (!get(line, "schema", schema) || schema != kSchema)
    return fmt::format("is of a schema that is not read: {} is", kSchema);
  if (!get(line, "nranks", nranks) || nranks < 1 || nranks > kMostTraceRanks)
    return fmt::format("has no number of ranks from 1 to {}", kMostTraceRanks);
  get(line, "program", program);
  get(line, "backend", backend);
  trace_.ranks.resize(nranks);
  trace_.origin = plain_text(fmt::format("{}, {} backend", program, backend));
  return {};
}

std::string LineReader::group(const Json& line) {
  std::int64_t number = 0;
  Group group;
  if (!get(line, "group", number) || !get_all(line, "ranks", group.ranks) || group.ranks.empty())
    return "has no group and ranks";
  auto sorted = group.ranks;
  std::ranges::sort(sorted);
  if (sorted.front() < 0 || sorted.back() >= static_cast<int>(trace_.ranks.size()) ||
      std::ranges::adjacent_find(sorted) != sorted.end())
    return fmt::format("has ranks that are not 0 to {}, each once", trace_.ranks.size() - 1);
  if (!groups_.emplace(number, trace_.groups.size()).second)
    return fmt::format("defines group {} again", number);
  trace_.groups.push_back(std::move(group));
  return {};
}

std::string LineReader::step(const Json& line) {
  std::size_t rank = 0;
  TimeSpan span;
  if (!get_rank(line, rank)) return "has no rank of the trace";
  if (!get(line, "start_us", span.start_us) || !get(line, "time_us", span.time_us) ||
      span.time_us < 0)
    return "has no start_us and time_us";
  trace_.ranks[rank].steps.push_back(span);
  return {};
}

// What is called, and how large; `call` has its kind.
std::string LineReader::shape(const Json& line, Call& call) {
  std::string type, op = "sum";
  get(line, "type", type);
  if (line.contains("redop") && !get(line, "redop", op)) return "has a redop that is no word";
  const auto read_type = parse_data_type(type);
  const auto read_op = parse_red_op(op);
  if (!read_type || !read_op) return "has an unknown type or redop";
  call.type = *read_type;
  call.op = *read_op;
  if (call.kind == OpKind::all_to_all_v) {
    if (!get_all(line, "send_counts", call.send_counts) ||
        !get_all(line, "recv_counts", call.recv_counts))
      return "has counts that are no numbers";
  } else if (!get(line, "count", call.count)) {
    return "has no count";
  }
  if ((is_rooted(call.kind) || is_between_two(call.kind)) && !get(line, "peer", call.peer))
    return "has no peer";
  if (call.kind == OpKind::send_recv && !get(line, "source", call.source)) return "has no source";
  return {};
}

std::string LineReader::call(const Json& line) {
  std::size_t rank = 0;
  std::int64_t group = 0;
  std::string name, axis, purpose;
  Call call;
  if (!get_rank(line, rank)) return "has no rank of the trace";
  if (!get(line, "group", group) || !groups_.contains(group))
    return "has no group that a line before it defines";
  if (!get(line, "op", name)) return "has no op";
  const auto kind = op_kind_of(name);
  if (!kind) return fmt::format("has the unknown op '{}'", plain_text(name));
  call.kind = *kind;
  if (auto problem = shape(line, call); !problem.empty()) return problem;
  if (!get(line, "start_us", call.start_us)) return "has no start_us";
  if (line.contains("time_us") &&
      (!get(line, "time_us", call.time_us.emplace()) || *call.time_us < 0))
    return "has a time_us that is no time";
  get(line, "axis", axis);
  get(line, "purpose", purpose);
  call.group = groups_.at(group);
  call.purpose = plain_text(axis.empty() ? purpose : axis + ' ' + purpose);
  trace_.ranks[rank].calls.push_back(std::move(call));
  return {};
}

std::string LineReader::missing() const {
  if (trace_.ranks.empty()) return "The file has no line comm_trace.";
  for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank)
    if (trace_.ranks[rank].calls.empty() && trace_.ranks[rank].steps.empty())
      return fmt::format("Rank {} of {} is missing: the trace has no line of it.", rank,
                         trace_.ranks.size());
  return {};
}

}  // namespace

std::string line_of(const TraceHead& head) {
  return text_of({{"kind", kKind},
                  {"schema", kSchema},
                  {"nranks", head.nranks},
                  {"program", head.program},
                  {"backend", head.backend}});
}

std::string group_line(std::int64_t number, const std::vector<int>& ranks) {
  return text_of({{"kind", "group"}, {"group", number}, {"ranks", ranks}});
}

std::string step_line(int rank, const TimeSpan& step) {
  return text_of({{"kind", "step"},
                  {"rank", rank},
                  {"start_us", whole_ns(step.start_us)},
                  {"time_us", whole_ns(step.time_us)}});
}

std::string call_line(int rank, std::int64_t group, const Call& call, const Tag& tag) {
  Json line{{"kind", "call"},
            {"rank", rank},
            {"group", group},
            {"op", name_of(call.kind)},
            {"type", name_of(call.type)}};
  if (is_reduction(call.kind)) line["redop"] = name_of(call.op);
  if (call.kind == OpKind::all_to_all_v) {
    line["send_counts"] = call.send_counts;
    line["recv_counts"] = call.recv_counts;
  } else {
    line["count"] = call.count;
  }
  if (is_rooted(call.kind) || is_between_two(call.kind)) line["peer"] = call.peer;
  if (call.kind == OpKind::send_recv) line["source"] = call.source;
  line["start_us"] = whole_ns(call.start_us);
  if (call.time_us) line["time_us"] = whole_ns(*call.time_us);
  line["axis"] = tag.axis;
  line["purpose"] = tag.purpose;
  return text_of(line);
}

bool is_comm_trace(std::string_view text) {
  const auto first = text.substr(0, text.find('\n'));
  if (first.size() > kMostHeadBytes) return false;
  const auto head = parse_bounded(first);
  std::string kind;
  return head && head->is_object() && get(*head, "kind", kind) && kind == kKind;
}

Result<CommTrace> read_comm_trace(std::string_view text) {
  LineReader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    const auto refuse = [&](std::string_view why) {
      return Failure{fmt::format("Line {} {}.", number, why)};
    };
    if (end == std::string_view::npos) return refuse("has no end: the file was cut");
    text.remove_prefix(end + 1);
    if (line.size() > kMostLineBytes) return refuse("is longer than linerate reads");
    const auto object = parse_bounded(line);
    if (!object) return refuse("is not JSON, or nests deeper than linerate reads");
    if (const auto problem = reader.read(*object); !problem.empty()) return refuse(problem);
  }
  if (auto missing = reader.missing(); !missing.empty()) return Failure{std::move(missing)};
  return reader.take();
}

}  // namespace linerate::replay
