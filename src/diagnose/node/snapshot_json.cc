// A flat object of texts, so that any tool can read it.
#include "diagnose/node/node.h"
#include "record/json_io.h"
#include "topo/read/system_json.h"

namespace linerate::node {
namespace {

constexpr int kSnapshotSchema = 1;
constexpr std::size_t kMostFacts = 100000;

}  // namespace

std::string snapshot_text(const Snapshot& snapshot) {
  json::Json facts = json::Json::object();
  for (const auto& [key, value] : snapshot.facts) facts[key] = value;
  json::Json document{{"kind", "snapshot"},
                      {"schema", kSnapshotSchema},
                      {"node", snapshot.node},
                      {"facts", std::move(facts)}};
  if (snapshot.topology) document["topology"] = topo::json_of(*snapshot.topology);
  return json::document(std::move(document));
}

Result<Snapshot> parse_snapshot(std::string_view text) {
  const auto refused = [](std::string_view why) {
    return Failure{fmt::format(": it is no snapshot of `linerate doctor snapshot`: {}.", why)};
  };
  if (text.size() > kMostSnapshotBytes) return refused("it is too long");
  // Unordered maps of nlohmann's look keys up one after the other.
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) return refused("it is not a JSON object");
  const auto schema = object.find("schema");
  if (object.value("kind", nlohmann::json()) != "snapshot" || schema == object.end())
    return refused("its kind is another one");
  if (*schema != kSnapshotSchema)
    return refused(fmt::format("its schema is not {}", kSnapshotSchema));
  const auto node = object.find("node"), facts = object.find("facts");
  if (node == object.end() || !node->is_string()) return refused("it names no node");
  if (facts == object.end() || !facts->is_object()) return refused("it holds no facts");
  if (facts->size() > kMostFacts) return refused("it holds too many facts");
  Snapshot snapshot{.node = node->get<std::string>()};
  for (const auto& [key, value] : facts->items()) {
    if (!value.is_string()) return refused(fmt::format("'{}' is not a text", plain_text(key)));
    snapshot.facts.emplace(key, value.get<std::string>());
  }
  if (const auto topology = object.find("topology"); topology != object.end()) {
    auto system = topo::system_of_json(*topology);
    if (!system) return refused(fmt::format("its topology {}", system.sentence()));
    snapshot.topology = *std::move(system);
  }
  return snapshot;
}

}  // namespace linerate::node
