// Traces of a few calls, in the words of each format.
#pragma once

#include "replay/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

namespace linerate::replay {

struct Shape {
  std::size_t group = 0;
  std::uint64_t count = 1024;
  double start_us = 0, time_us = 10;
};

inline Call collective(OpKind kind, const Shape& shape) {
  return {.kind = kind,
          .group = shape.group,
          .count = shape.count,
          .start_us = shape.start_us,
          .time_us = shape.time_us,
          .purpose = "gradients"};
}

inline Call message(OpKind kind, int peer, const Shape& shape) {
  auto call = collective(kind, shape);
  call.peer = peer;
  return call;
}

// Of as many ranks as there are lists, in groups of which the first is all of them.
inline CommTrace trace_of(std::vector<std::vector<Call>> calls,
                          std::vector<std::vector<int>> groups = {}) {
  CommTrace trace;
  Group all;
  for (auto& mine : calls) {
    all.ranks.push_back(static_cast<int>(trace.ranks.size()));
    trace.ranks.push_back({.calls = std::move(mine)});
  }
  trace.groups.push_back(all);
  for (auto& ranks : groups) trace.groups.push_back({.ranks = std::move(ranks)});
  return trace;
}

// An event of a profiler's trace; `more` are further members of args.
inline std::string event(std::string_view name, int in, int out, std::string_view more = "") {
  return fmt::format(
      R"({{"ph":"X","cat":"cpu_op","name":"record_param_comms","ts":100.5,"dur":20,"args":{{)"
      R"("External id":7,"Collective name":"{}","In msg nelems":{},"Out msg nelems":{},)"
      R"("Group size":2,"dtype":"BFloat16","Process Group Name":"0",)"
      R"("Process Group Description":"default_pg","Process Group Ranks":"[0, 1]","Rank":0{}}}}})",
      name, in, out, more);
}

inline std::string profile(int rank, const std::vector<std::string>& events, int nranks = 2) {
  return fmt::format(
      R"({{"schemaVersion":1,"distributedInfo":{{"backend":"nccl","rank":{},"world_size":{},)"
      R"("pg_config":[{{"pg_name":"0","ranks":[]}},{{"pg_name":"5","ranks":[1,0]}}]}},)"
      R"("traceEvents":[{}]}})",
      rank, nranks, fmt::join(events, ","));
}

}  // namespace linerate::replay
