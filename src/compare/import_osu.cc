// "# OSU MPI Allreduce Latency Test v7.0", "# Datatype: MPI_INT." of new versions, a line of column
// names, and rows whose first number is the size, whose second is what the title names, and whose
// last word says with -c whether the data was right.
#include "base/text.h"
#include "base/units.h"
#include "compare/import.h"
#include "compare/import_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <utility>

namespace linerate {
namespace {

struct OsuTitle {
  std::string name{};     // "MPI Allreduce Latency Test" of "# OSU MPI Allreduce Latency Test v7.0"
  std::string version{};  // "OSU 7.0"; empty: it says none
};

OsuTitle title_of(std::string_view line) {
  const auto title = trim(line.substr(line.find("OSU ") + 4));
  const auto version = title.rfind(" v");
  if (version == std::string_view::npos || version + 2 >= title.size() ||
      std::isdigit(static_cast<unsigned char>(title[version + 2])) == 0)
    return {.name = std::string(title)};
  return {.name = std::string(title.substr(0, version)),
          .version = fmt::format("OSU {}", title.substr(version + 2))};
}

struct OsuColumns {
  bool sizes = true;       // else the first number is the value: osu_barrier
  bool bandwidth = false;  // MB/s, which are bytes in a microsecond; else us
};

std::optional<Record> result_of(const std::vector<std::string_view>& words,
                                const OsuColumns& columns) {
  const std::size_t at = columns.sizes ? 1 : 0;
  if (words.size() <= at) return std::nullopt;
  const auto bytes = columns.sizes ? whole(words[0]) : std::optional<std::uint64_t>(0);
  const auto value = decimal(words[at]);
  if (!bytes || !value || !(*value > 0)) return std::nullopt;
  Record record;
  record.what.redop = "none";
  record.what.bytes = *bytes;
  const auto amount = static_cast<double>(*bytes);
  record.window.time_us = columns.bandwidth ? amount / *value : *value;
  record.algbw_gbps = record.busbw_gbps = gbps_of(amount, record.window.time_us);
  if (words.back() == "Pass") record.wrong = 0;
  if (words.back() == "Fail") record.wrong = 1;
  return record;
}

class OsuText {
 public:
  OsuText(std::string_view text, const ImportLimits& limits)
      : lines_(text, limits), limits_(limits) {}

  Result<RunFile> read() {
    for (std::string_view line; lines_.next(line);) {
      if (line.starts_with("# OSU ")) {
        begin_run(title_of(line));
      } else if (line.starts_with('#')) {
        if (!file_.runs.empty()) heading(line);
      } else if (!file_.runs.empty()) {
        if (auto record = result_of(words_of(line), columns_)) add(*std::move(record));
        if (file_.records.size() > limits_.rows)
          return Failure{
              fmt::format("Line {} is a row more than linerate reads.", lines_.number())};
      }
    }
    if (!lines_.refusal().empty()) return Failure{lines_.refusal()};
    finish_run();
    return std::move(file_);
  }

 private:
  void begin_run(const OsuTitle& title) {
    finish_run();
    file_.runs.push_back({.run_id = fmt::to_string(file_.runs.size() + 1),
                          .version = title.version,
                          .program = title.name});
  }

  // Names of columns, the data type, or where buffers are and how windows are made.
  void heading(std::string_view line) {
    constexpr std::string_view kType = "Datatype: ";
    auto text = trim(line.substr(1));
    if (text.find("(us)") != std::string_view::npos ||
        text.find("MB/s") != std::string_view::npos) {
      columns_ = {.sizes = text.find("Size") != std::string_view::npos,
                  .bandwidth = text.find("MB/s") != std::string_view::npos};
    } else if (text.starts_with(kType)) {
      text = trim(text.substr(kType.size()));
      type_ = text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
    } else if (!text.empty()) {
      notes_ += fmt::format("{}{}", notes_.empty() ? "" : "; ", text);
    }
  }

  void add(Record record) {
    record.run_id = file_.runs.back().run_id;
    record.what.collective = file_.runs.back().program;
    record.what.type = type_;
    file_.records.push_back(std::move(record));
  }

  void finish_run() {
    using Json = nlohmann::json;
    if (!file_.runs.empty()) file_.ends.push_back({.run_id = file_.runs.back().run_id});
    if (!notes_.empty())
      file_.runs.back().settings.push_back(
          {"heading", Json(notes_).dump(-1, ' ', false, Json::error_handler_t::replace)});
    type_.clear();
    notes_.clear();
  }

  LineReader lines_;
  const ImportLimits& limits_;
  RunFile file_;
  OsuColumns columns_;
  std::string type_, notes_;  // of the run under way
};

}  // namespace

Result<RunFile> read_osu_text(std::string_view text, const ImportLimits& limits) {
  return OsuText(text, limits).read();
}

}  // namespace linerate
