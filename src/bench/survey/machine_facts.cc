// A file that anybody may have written: the first key that is not as it should be refuses it.
#include "bench/survey/machine_facts.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "record/fields.h"
#include "record/json_io.h"
#include "topo/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace linerate {

// The keys, for the writer and the reader.
void bandwidth_fields(auto& io, auto& of) {
  io.exact("read_gbps", of.read_gbps);
  io.exact("write_gbps", of.write_gbps);
  io.exact("copy_gbps", of.copy_gbps);
  io.exact("triad_gbps", of.triad_gbps);
}

void fields(auto& io, Is<SizeBandwidths> auto& row) {
  io.field("bytes", row.bytes);
  bandwidth_fields(io, row.of);
}

void fields(auto& io, Is<CoreBandwidths> auto& row) {
  io.field("nthreads", row.nthreads);
  io.field("memory_nodes", row.nmemory_nodes);
  bandwidth_fields(io, row.of);
}

void fields(auto& io, Is<LineLatency> auto& line) {
  io.field("between", line.between);
  io.field("first", line.first);
  io.field("second", line.second);
  io.exact("round_trip_ns", line.round_trip_ns);
}

void fields(auto& io, Is<Survey> auto& survey) {
  io.field("nthreads", survey.nthreads);
  io.field("by_size", survey.by_size);
  io.field("by_cores", survey.by_cores);
  io.field("lines", survey.lines);
}

void fields(auto& io, Is<MachineFacts> auto& facts) {
  io.field("hardware", facts.hardware);
  io.field("measured", facts.measured);
  io.field("survey", facts.survey);
}

namespace {

// Takes keys from an object; says what is wrong with the first that is not as it should be. The
// verbs are those of record/fields.h.
class FactsReader {
 public:
  // `where` names the object in sentences; `object` and `wrong` must live as long.
  FactsReader(const json::Json& object, std::string where, std::string& wrong)
      : object_(object), where_(std::move(where)), wrong_(wrong) {
    if (!object.is_object()) complain(fmt::format("{} is not an object", where_));
  }

  // Leaves `into` alone where the key is missing or of another kind.
  template <typename T>
  void field(const char* key, T& into) {
    const auto found = object_.find(key);
    if (!wrong_.empty()) return;
    if (found == object_.end()) return complain(fmt::format("{} has no '{}'", where_, key));
    if constexpr (json::is_vector<T>) {
      rows(key, *found, into);
    } else if constexpr (std::is_arithmetic_v<T>) {
      T value{};
      if (!json::convert(*found, value) || value < 0 || !std::isfinite(static_cast<double>(value)))
        return complain(fmt::format("'{}' of {} is no number that it can be", key, where_));
      into = value;
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json::convert(*found, into)) complain(fmt::format("'{}' of {} is no text", key, where_));
    } else {
      FactsReader inner(*found, fmt::format("'{}'", key), wrong_);
      fields(inner, into);
    }
  }
  void exact(const char* key, double& into) { field(key, into); }

 private:
  static constexpr std::size_t kMaxRows = 256;  // of a list

  void rows(const char* key, const json::Json& list, auto& into) {
    if (!list.is_array() || list.size() > kMaxRows)
      return complain(
          fmt::format("'{}' of {} is no list of at most {} rows", key, where_, kMaxRows));
    for (const auto& item : list) {
      FactsReader row(item, fmt::format("row {} of '{}'", into.size() + 1, key), wrong_);
      fields(row, into.emplace_back());
    }
  }
  void complain(std::string sentence) {
    if (wrong_.empty()) wrong_ = std::move(sentence);
  }

  const json::Json& object_;
  std::string where_;
  std::string& wrong_;
};

using json::Json;

constexpr int kSchema = 1;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::string_view kPrefix = "machine-";

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

std::string survey_json(const Survey& survey) {
  Json json;
  json::Writer writer(json);
  fields(writer, survey);
  json::round_numbers(json);
  return json.dump();
}

std::string facts_text(const MachineFacts& facts) {
  Json json{{"schema", kSchema}};
  json::Writer writer(json);
  fields(writer, facts);
  json::round_numbers(json);
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
  std::string wrong;
  FactsReader in(json, "it", wrong);
  int schema = 0;
  in.field("schema", schema);
  if (wrong.empty() && schema != kSchema)
    return refused(fmt::format("its schema is {} and not {}", schema, kSchema));
  MachineFacts facts;
  fields(in, facts);
  if (!wrong.empty()) return refused(wrong);
  if (!std::ranges::is_sorted(facts.survey.by_size, {}, &SizeBandwidths::bytes))
    return refused("its sizes do not grow");
  return facts;
}

std::optional<std::filesystem::path> facts_path(const Environment& environment,
                                                std::string_view hardware) {
  const auto folder = cache_folder(environment);
  if (!folder) return std::nullopt;
  return *folder / fmt::format("{}{:016x}.json", kPrefix, fnv1a(hardware));
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
