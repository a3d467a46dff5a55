// Columns of read, write, copy and triad; nodes and links below a share of the best are named.
#include "commands/survey_text.h"

#include "base/units.h"
#include "bench/survey/machine_facts.h"
#include "record/json_io.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWorthTelling = 0.8;  // of the fastest: a node or a link below is named

std::string columns_text(const Bandwidths& of) {
  return fmt::format("{:9.1f} {:9.1f} {:9.1f} {:9.1f}\n", of.read_gbps, of.write_gbps, of.copy_gbps,
                     of.triad_gbps);
}

std::string heading(std::string_view what) {
  return fmt::format("{:>12} {:>9} {:>9} {:>9} {:>9}\n", what, "read", "write", "copy", "triad");
}

std::string sizes_text(const Survey& survey) {
  auto text = fmt::format(
      "\nBandwidth of {} threads together by size, GB/s (10^9 bytes; a copy counts what it reads "
      "and what it writes)\n{}",
      survey.nthreads, heading("size"));
  for (const auto& [bytes, of] : survey.by_size)
    text += fmt::format("{:>12} ", about_bytes_text(bytes)) + columns_text(of);
  const auto end = cache_end(survey);
  return text + (end == 0 ? std::string("Caches may hold all of it: no size is clearly slower.\n")
                          : fmt::format("From {} on it is memory's.\n", about_bytes_text(end)));
}

std::string cores_text(const Survey& survey) {
  auto text = "\nBandwidth of memory by threads, GB/s\n" + heading("threads");
  for (const auto& [nthreads, nnodes, of] : survey.by_cores) {
    text += fmt::format("{:>12} ", nthreads) + columns_text(of);
    if (nnodes > 1) text.insert(text.size() - 1, fmt::format("   on {} memory nodes", nnodes));
  }
  return text;
}

std::string lines_text(const Survey& survey) {
  if (survey.lines.empty()) return "\nOne thread alone has nobody to send a cache line to.\n";
  std::string text = "\nA cache line to another thread and back, ns\n";
  for (const auto& line : survey.lines)
    text += fmt::format("{:12.0f}  threads {} and {}, which share {}\n", line.round_trip_ns,
                        line.first, line.second, line.between);
  return text;
}

// Copies beyond the caches with all threads.
double copy_gbps(const MeasuredNode& node) {
  return node.survey.by_size.empty() ? 0 : node.survey.by_size.back().of.copy_gbps;
}

std::string nodes_text(std::span<const MeasuredNode> nodes) {
  if (nodes.size() < 2) return {};
  const auto& best = *std::ranges::max_element(nodes, {}, copy_gbps);
  std::string text = "\nCopies in memory by all threads of each node, GB/s\n";
  for (const auto& node : nodes) {
    text += fmt::format("{:12.1f}  {}", copy_gbps(node), node.hostname);
    if (copy_gbps(node) < kWorthTelling * copy_gbps(best))
      text += fmt::format("   only {:.2f} of {}", copy_gbps(node) / copy_gbps(best), best.hostname);
    if (node.hardware != nodes.front().hardware) text += "   other hardware: " + node.hardware;
    text += '\n';
  }
  return text;
}

const std::string& host_of(int member, std::span<const MeasuredNode> nodes) {
  return nodes[static_cast<std::size_t>(member)].hostname;
}

std::string pair_text(const NodeLink& link, std::span<const MeasuredNode> nodes) {
  return fmt::format("{} - {}", host_of(link.first, nodes), host_of(link.second, nodes));
}

std::string worst_text(std::span<const NodeLink> links, std::span<const MeasuredNode> nodes) {
  std::vector<NodeLink> measured;
  std::ranges::copy_if(links, std::back_inserter(measured),
                       [](const auto& link) { return link.failure.empty(); });
  if (measured.size() < 2) return {};
  const auto gbps = [](const auto& link) { return link.speed.all_gbps(); };
  const auto [slowest, fastest] = std::ranges::minmax_element(measured, {}, gbps);
  const auto farthest = std::ranges::max_element(
      measured, {}, [](const auto& link) { return link.speed.round_trip_us; });
  return fmt::format("Slowest: {}, {:.2f} of the fastest. Farthest: {}, {:.1f} us.\n",
                     pair_text(*slowest, nodes), gbps(*slowest) / gbps(*fastest),
                     pair_text(*farthest, nodes), farthest->speed.round_trip_us);
}

Json json_of(const NodeLink& link, std::span<const MeasuredNode> nodes) {
  Json json{{"first", host_of(link.first, nodes)}, {"second", host_of(link.second, nodes)}};
  if (!link.failure.empty()) {
    json["failure"] = link.failure;
    return json;
  }
  json["address"] = link.address;
  json["round_trip_us"] = link.speed.round_trip_us;
  json["one_stream_gbps"] = link.speed.one_gbps;
  json["all_streams_gbps"] = link.speed.all_gbps();
  return json;
}

}  // namespace

std::string survey_text(std::span<const MeasuredNode> nodes) {
  const auto& first = nodes.front();
  return fmt::format("{}: {}\n", first.hostname, first.hardware) + lines_text(first.survey) +
         cores_text(first.survey) + sizes_text(first.survey) + nodes_text(nodes);
}

std::string links_text(std::span<const NodeLink> links, std::span<const MeasuredNode> nodes) {
  if (links.empty()) return {};
  auto text =
      fmt::format("\nTCP between nodes, GB/s of the slower direction\n{:>12} {:>10} {:>11}\n",
                  "round trip", "1 stream", "4 streams");
  for (const auto& link : links) {
    if (link.failure.empty())
      text += fmt::format("{:9.1f} us {:10.3f} {:11.3f}  {} ({})\n", link.speed.round_trip_us,
                          link.speed.one_gbps, link.speed.all_gbps(), pair_text(link, nodes),
                          link.address);
    else
      text += fmt::format("{:>35}  {}: {}\n", "not measured", pair_text(link, nodes), link.failure);
  }
  return text + worst_text(links, nodes);
}

std::string measured_json(std::span<const MeasuredNode> nodes, std::span<const NodeLink> links) {
  Json json{{"nodes", Json::array()}, {"tcp", Json::array()}};
  for (const auto& node : nodes)
    json["nodes"].push_back(Json{{"hostname", node.hostname},
                                 {"hardware", node.hardware},
                                 {"cache_end_bytes", cache_end(node.survey)},
                                 {"survey", Json::parse(survey_json(node.survey))}});
  for (const auto& link : links) json["tcp"].push_back(json_of(link, nodes));
  return json::document(std::move(json));
}

}  // namespace linerate
