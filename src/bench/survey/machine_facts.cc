// A file that anybody may have written: the first key that is not as it should be refuses it.
#include "bench/survey/machine_facts.h"

#include "base/environment.h"
#include "base/file.h"
#include "record/json_io.h"
#include "topo/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace linerate {
namespace {

// Takes keys from an object; says what is wrong with the first that is not as it should be.
class FactsReader {
 public:
  // `where` names the object in sentences; `object` must live as long.
  FactsReader(const json::Json& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object.is_object()) wrong_ = fmt::format("{} is not an object", where_);
  }

  // Leave `into` alone where the key is missing or of another kind.
  template <typename Number>
  void number(const char* key, Number& into) {
    const auto* found = find(key);
    if (found == nullptr) return;
    Number value{};
    if (json::convert(*found, value) && value >= 0 && std::isfinite(static_cast<double>(value)))
      into = value;
    else
      wrong_ = fmt::format("'{}' of {} is no number that it can be", key, where_);
  }
  void text(const char* key, std::string& into) {
    const auto* found = find(key);
    if (found == nullptr) return;
    if (!json::convert(*found, into)) wrong_ = fmt::format("'{}' of {} is no text", key, where_);
  }
  // Each row of the list `key` by `read(reader, row)`.
  template <typename Row, typename Read>
  void rows(const char* key, std::vector<Row>& into, const Read& read) {
    const auto* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array() || found->size() > kMaxRows) {
      wrong_ = fmt::format("'{}' of {} is no list of at most {} rows", key, where_, kMaxRows);
      return;
    }
    for (const auto& item : *found) {
      FactsReader row(item, fmt::format("row {} of '{}'", into.size() + 1, key));
      read(row, into.emplace_back());
      if (!row.wrong_.empty()) wrong_ = row.wrong_;
    }
  }
  // Empty: nothing was.
  const std::string& wrong() const { return wrong_; }

 private:
  static constexpr std::size_t kMaxRows = 256;  // of a list

  // Null where it is missing or something was wrong before.
  const json::Json* find(const char* key) {
    if (!wrong_.empty()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    wrong_ = fmt::format("{} has no '{}'", where_, key);
    return nullptr;
  }

  const json::Json& object_;
  std::string where_;
  std::string wrong_;
};

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::string_view kPrefix = "machine-";

Json& put_bandwidths(Json& to, const Bandwidths& of) {
  to["read_gbps"] = of.read_gbps;
  to["write_gbps"] = of.write_gbps;
  to["copy_gbps"] = of.copy_gbps;
  to["triad_gbps"] = of.triad_gbps;
  return to;
}

Json json_of(const Survey& survey) {
  Json json{{"nthreads", survey.nthreads}};
  json["by_size"] = Json::array();
  for (const auto& [bytes, of] : survey.by_size) {
    Json row{{"bytes", bytes}};
    json["by_size"].push_back(put_bandwidths(row, of));
  }
  json["by_cores"] = Json::array();
  for (const auto& [nthreads, nnodes, of] : survey.by_cores) {
    Json row{{"nthreads", nthreads}, {"memory_nodes", nnodes}};
    json["by_cores"].push_back(put_bandwidths(row, of));
  }
  json["lines"] = Json::array();
  for (const auto& line : survey.lines)
    json["lines"].push_back(Json{{"between", line.between},
                                 {"first", line.first},
                                 {"second", line.second},
                                 {"round_trip_ns", line.round_trip_ns}});
  return json;
}

void read_bandwidths(FactsReader& in, Bandwidths& into) {
  in.number("read_gbps", into.read_gbps);
  in.number("write_gbps", into.write_gbps);
  in.number("copy_gbps", into.copy_gbps);
  in.number("triad_gbps", into.triad_gbps);
}

void read_survey(FactsReader& in, Survey& survey) {
  in.number("nthreads", survey.nthreads);
  in.rows("by_size", survey.by_size, [](FactsReader& row, SizeBandwidths& into) {
    row.number("bytes", into.bytes);
    read_bandwidths(row, into.of);
  });
  in.rows("by_cores", survey.by_cores, [](FactsReader& row, CoreBandwidths& into) {
    row.number("nthreads", into.nthreads);
    row.number("memory_nodes", into.nmemory_nodes);
    read_bandwidths(row, into.of);
  });
  in.rows("lines", survey.lines, [](FactsReader& row, LineLatency& into) {
    row.text("between", into.between);
    row.number("first", into.first);
    row.number("second", into.second);
    row.number("round_trip_ns", into.round_trip_ns);
  });
}

// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), of 64 bits: the text itself may be too long for a name.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// So that nobody without any is kept waiting for a description of the hardware.
bool has_facts(const Environment& environment) {
  const auto folder = cache_folder(environment);
  std::error_code missing;
  if (!folder) return false;
  std::filesystem::directory_iterator entry(*folder, missing);
  for (; !missing && entry != std::filesystem::directory_iterator(); entry.increment(missing))
    if (entry->path().filename().string().starts_with(kPrefix)) return true;
  return false;
}

}  // namespace

std::string survey_json(const Survey& survey) { return json_of(survey).dump(); }

std::string facts_text(const MachineFacts& facts) {
  const Json json{{"schema", kSchema},
                  {"hardware", facts.hardware},
                  {"measured", facts.measured},
                  {"survey", json_of(facts.survey)}};
  return json.dump() + '\n';
}

Result<MachineFacts> parse_facts(std::string_view text, std::string_view origin) {
  const auto refused = [&](std::string_view why) {
    return Failure{fmt::format(
        "{} holds no facts about a machine: {}. `linerate topo --measure` writes them anew.",
        origin, why)};
  };
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return refused("it is not a JSON object");
  FactsReader in(json, "it");
  int schema = 0;
  in.number("schema", schema);
  if (in.wrong().empty() && schema != kSchema)
    return refused(fmt::format("its schema is {} and not {}", schema, kSchema));
  MachineFacts facts;
  in.text("hardware", facts.hardware);
  in.text("measured", facts.measured);
  if (!in.wrong().empty()) return refused(in.wrong());
  if (!json.contains("survey")) return refused("it has no 'survey'");
  FactsReader survey(json["survey"], "'survey'");
  read_survey(survey, facts.survey);
  if (!survey.wrong().empty()) return refused(survey.wrong());
  if (!std::ranges::is_sorted(facts.survey.by_size, {}, &SizeBandwidths::bytes))
    return refused("its sizes do not grow");
  return facts;
}

std::optional<std::filesystem::path> facts_path(const Environment& environment,
                                                std::string_view hardware) {
  const auto folder = cache_folder(environment);
  if (!folder) return std::nullopt;
  return *folder / fmt::format("{}{:016x}.json", kPrefix, hash_of(hardware));
}

std::optional<MachineFacts> find_facts(const Environment& environment, std::string& complaint) {
  if (!has_facts(environment)) return std::nullopt;
  const auto hardware = hardware_text();
  const auto path = facts_path(environment, hardware);
  std::error_code unknown;  // then reading says why
  if (!path || !std::filesystem::exists(*path, unknown)) return std::nullopt;
  const auto text = read_regular_file(path->string(), kMaxFileBytes);
  if (!text) {
    complaint = fmt::format("{}: {}", path->string(), text.sentence());
    return std::nullopt;
  }
  auto facts = parse_facts(*text, path->string());
  if (facts && facts->hardware == hardware) return *std::move(facts);
  complaint = facts ? fmt::format("{} is of another machine ({}).", path->string(), facts->hardware)
                    : facts.sentence();
  return std::nullopt;
}

}  // namespace linerate
