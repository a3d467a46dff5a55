// Dumps of PyTorch's flight recorder as JSON, and the same as a pickle in the way PyTorch writes
// it.
#pragma once

#include "diagnose/hang/hang.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace linerate::hang {

using Json = nlohmann::json;

inline std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// Protocol 2; texts are kept in the memo and named by it from the second time on.
class PickleWriter {
 public:
  static std::string text_of(const Json& json) {
    PickleWriter writer;
    return "\x80\x02" + writer.value(json) + ".";
  }

 private:
  std::string value(const Json& json) {
    if (json.is_null()) return "N";
    if (json.is_boolean()) return json.get<bool>() ? "\x88" : "\x89";
    if (json.is_number_float()) return "G" + std::string(8, '\0');
    if (json.is_number()) return integer(json.get<std::int64_t>());
    if (json.is_string()) return text(json.get<std::string>());
    std::string bytes = json.is_array() ? "](" : "}(";
    for (const auto& [key, item] : json.items()) {
      if (json.is_object()) bytes += text(key);
      bytes += value(item);
    }
    return bytes + (json.is_array() ? "e" : "u");
  }

  static std::string integer(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    if (number >= 0 && number < 256) return "K" + little_endian(bits, 1);
    if (number >= 0 && number < 65536) return "M" + little_endian(bits, 2);
    if (number == static_cast<std::int32_t>(number)) return "J" + little_endian(bits, 4);
    return "\x8a\x08" + little_endian(bits, 8);
  }

  std::string text(const std::string& text) {
    const auto [known, is_new] = memo_.emplace(text, memo_.size());
    const auto place = known->second;
    const auto name = place < 256 ? little_endian(place, 1) : little_endian(place, 4);
    if (!is_new) return (place < 256 ? "h" : "j") + name;
    return "X" + little_endian(text.size(), 4) + text + (place < 256 ? "q" : "r") + name;
  }

  std::map<std::string, std::size_t> memo_;
};

// A call as the recorder has it.
struct CallMade {
  int sequence = 0;
  std::string operation = "nccl:all_reduce";
  std::string state = "completed";
  Json sizes = Json::array({Json::array({1024, 8})});
  std::string type = "Float";
  std::string group = "0";
};

inline Json entry_of(const CallMade& call) {
  const bool sends =
      call.operation.starts_with("nccl:send") || call.operation.starts_with("nccl:recv");
  return {
      {"record_id", 3'000'000'000 + call.sequence},
      {"pg_id", 0},
      {"process_group", Json::array({call.group, call.group == "0" ? "default_pg" : "undefined"})},
      {"collective_seq_id", call.sequence},
      {"p2p_seq_id", 0},
      {"profiling_name", call.operation},
      {"time_created_ns", 1'700'000'000'000'000'000},
      {"duration_ms", 0.5},
      {"input_sizes", call.sizes},
      {"input_dtypes", Json::array({call.type})},
      {"output_sizes", call.sizes},
      {"output_dtypes", Json::array({call.type})},
      {"state", call.state},
      {"time_discovered_completed_ns", nullptr},
      {"retired", false},
      {"timeout_ms", 600'000},
      {"is_p2p", sends},
      {"frames",
       {{{"name", "all_reduce"}, {"filename", "/x/torch/distributed/c10d.py"}, {"line", 9}},
        {{"name", "step"}, {"filename", "train.py"}, {"line", 88 + call.sequence}}}}};
}

// Of rank, with group 0 of `nranks`, and group 1 of the first two.
inline Json dump_of(const std::vector<CallMade>& calls, int nranks = 3) {
  std::string all;
  for (int rank = 0; rank < nranks; ++rank) all += (rank == 0 ? "[" : ", ") + std::to_string(rank);
  Json dump{{"version", "2.9"},
            {"entries", Json::array()},
            {"pg_config",
             {{"0", {{"name", "0"}, {"desc", "default_pg"}, {"ranks", all + "]"}}},
              {"1", {{"name", "1"}, {"desc", "undefined"}, {"ranks", "[0, 1]"}}}}}};
  for (const auto& call : calls) dump["entries"].push_back(entry_of(call));
  return dump;
}

// Rank r's calls are calls[r]; the dumps of odd ranks are JSON.
inline Dumps dumps_of(const std::vector<std::vector<CallMade>>& calls, int nranks = 3) {
  Dumps dumps;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const auto dump = dump_of(calls[rank], nranks);
    const auto name = "trace_" + std::to_string(rank);
    const auto refused = rank % 2 == 0 ? dumps.add(name, PickleWriter::text_of(dump))
                                       : dumps.add(name + ".json", dump.dump());
    if (refused) throw std::runtime_error(*refused);
  }
  return dumps;
}

}  // namespace linerate::hang
