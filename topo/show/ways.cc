#include "topo/show/ways.h"

#include "base/text.h"
#include "record/json_io.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace linerate::topo {
namespace {

std::string note_on(const Way& way) {
  if (way.taken) return "NCCL takes this";
  return way.avoided ? "only where there is no other" : "";
}

std::string used_table(std::vector<Way> ways) {
  std::erase_if(ways, [](const Way& way) { return !way.prediction; });
  std::ranges::stable_sort(ways, {}, [](const Way& way) { return way.prediction->time_us; });
  auto text = fmt::format("{:>10} {:>9} {:>9} {:>14} {:>10} {:>10}\n{:>30} {:>14} {:>10} {:>10}\n",
                          "algorithm", "protocol", "channels", "time", "algbw", "busbw", "", "(us)",
                          "(GB/s)", "(GB/s)");
  for (const auto& way : ways) {
    const auto& p = *way.prediction;
    const auto note = note_on(way);
    text += fmt::format("{:>10} {:>9} {:>9} {:>14.2f} {:>10.2f} {:>10.2f}{}{}\n",
                        name_of(p.algorithm), name_of(p.protocol), p.channels, p.time_us,
                        p.algbw_gbps, p.busbw_gbps, note.empty() ? "" : "  ", note);
  }
  return text;
}

// "Tree LL, Tree LL128": an algorithm alone where all its protocols have the same reason.
std::string names_of(const std::vector<Way>& ways, std::string_view reason) {
  std::vector<std::string> names;
  for (const auto algorithm : kAllAlgorithms) {
    std::vector<std::string> protocols;
    for (const auto& way : ways)
      if (way.scheme.algorithm == algorithm && way.off == reason)
        protocols.push_back(fmt::format("{} {}", name_of(algorithm), name_of(way.scheme.protocol)));
    if (protocols.size() == kProtocols) protocols = {std::string(name_of(algorithm))};
    names.insert(names.end(), protocols.begin(), protocols.end());
  }
  std::vector<std::string_view> views(names.begin(), names.end());
  return join(views, ", ");
}

std::string off_text(const std::vector<Way>& ways) {
  std::vector<std::string_view> reasons;
  for (const auto& way : ways)
    if (!way.off.empty() && std::ranges::count(reasons, way.off) == 0) reasons.push_back(way.off);
  std::string text;
  for (const auto& reason : reasons)
    text += fmt::format("  {}: {}\n", names_of(ways, reason), reason);
  return text.empty() ? text : "\noff:\n" + text;
}

using Json = nlohmann::ordered_json;

Json json_of(const Way& way) {
  Json json{{"algorithm", name_of(way.scheme.algorithm)},
            {"protocol", name_of(way.scheme.protocol)}};
  if (!way.prediction) {
    json["off"] = way.off;
    return json;
  }
  json["channels"] = way.prediction->channels;
  json["ncclmodel_time_us"] = way.prediction->time_us;
  json["ncclmodel_busbw_gbps"] = way.prediction->busbw_gbps;
  json["taken"] = way.taken;
  json["avoided"] = way.avoided;
  return json;
}

}  // namespace

std::vector<Way> ways_of(const Predictor& predictor, Function function, std::size_t bytes,
                         const Reduced& what) {
  const auto taken = predictor.predict(function, bytes, what);
  std::vector<Way> ways;
  for (const auto algorithm : kAllAlgorithms)
    for (const auto protocol : kAllProtocols) {
      const Scheme scheme{function, algorithm, protocol};
      ways.push_back({.scheme = scheme,
                      .prediction = predictor.predict_way(scheme, bytes, what),
                      .off = why_unused(predictor, scheme, what),
                      .avoided = is_avoided(predictor.job(), scheme, what),
                      .taken = taken.algorithm == algorithm && taken.protocol == protocol});
    }
  return ways;
}

std::string ways_table(const std::vector<Way>& ways, const WaysOf& of) {
  return fmt::format("{} of {} bytes, by NCCL's model:\n\n{}{}", name_of(of.function), of.bytes,
                     used_table(ways), off_text(ways));
}

std::string ways_json(const std::vector<Way>& ways, const WaysOf& of) {
  Json json{{"kind", "prediction_ways"},
            {"schema", kTopologySchema},
            {"collective", name_of(of.function)},
            {"nccl_version", text_of(of.job.version)},
            {"nnodes", of.job.nnodes},
            {"nranks", of.job.nranks},
            {"bytes", of.bytes},
            {"environment", Json::object()},
            {"rows", Json::array()}};
  for (const auto& [name, value] : of.job.asked.given) json["environment"][name] = value;
  for (const auto& way : ways) json["rows"].push_back(json_of(way));
  return json::document(std::move(json));
}

std::string variables_text(const TunerSettings& asked) {
  std::string text;
  for (const auto& [name, value] : asked.given)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, plain_text(value));
  return text;
}

std::string asked_text(const TunerSettings& asked) {
  return asked.given.empty() ? ""
                             : fmt::format("as the environment asks: {}\n", variables_text(asked));
}

}  // namespace linerate::topo
