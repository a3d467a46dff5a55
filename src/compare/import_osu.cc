// "# OSU MPI Allreduce Latency Test v7.0", a line of column names, and rows whose first number is
// the size, whose second is what the title names.
#include "base/text.h"
#include "base/units.h"
#include "compare/import.h"
#include "compare/import_lines.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace linerate {
namespace {

// "MPI Allreduce Latency Test" of "# OSU MPI Allreduce Latency Test v7.0".
std::string title_of(std::string_view line) {
  auto title = trim(line.substr(line.find("OSU ") + 4));
  const auto version = title.rfind(" v");
  if (version != std::string_view::npos && version + 2 < title.size() &&
      std::isdigit(static_cast<unsigned char>(title[version + 2])) != 0)
    title = title.substr(0, version);
  return std::string(title);
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
  return record;
}

}  // namespace

Result<RunFile> read_osu_text(std::string_view text, const ImportLimits& limits) {
  RunFile file;
  OsuColumns columns;
  std::string title;
  LineReader lines(text, limits);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with("# OSU ")) {
      title = title_of(line);
      file.runs.push_back({.run_id = fmt::to_string(file.runs.size() + 1), .program = title});
    } else if (line.starts_with('#')) {
      const bool names = line.find("(us)") != line.npos || line.find("MB/s") != line.npos;
      if (names)
        columns = {.sizes = line.find("Size") != line.npos,
                   .bandwidth = line.find("MB/s") != line.npos};
    } else if (!file.runs.empty()) {
      auto record = result_of(words_of(line), columns);
      if (!record) continue;
      if (file.records.size() >= limits.rows)
        return Failure{fmt::format("Line {} is a row more than linerate reads.", lines.number())};
      record->run_id = file.runs.back().run_id;
      record->what.collective = title;
      file.records.push_back(*std::move(record));
    }
  }
  if (!lines.refusal().empty()) return Failure{lines.refusal()};
  return file;
}

}  // namespace linerate
