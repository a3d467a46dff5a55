// The options of linerate report.
#include "base/text.h"
#include "cli/option.h"
#include "cli/report_config.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::array<std::string_view, 5> kReportFormats{"html", "md", "png", "svg", "openmetrics"};

Refusal set_formats(const Argument& given, ReportConfig& config) {
  config.formats.clear();
  for (const auto& word : split(given.text, ',')) {
    const auto* format = std::ranges::find(kReportFormats, word);
    if (word == "all") {
      config.formats.assign(kReportFormats.begin(), kReportFormats.end());
      return {};
    }
    if (format == kReportFormats.end()) {
      std::vector<std::string_view> choices(kReportFormats.begin(), kReportFormats.end());
      choices.emplace_back("all");
      return unknown_choice("format", word, choices);
    }
    if (std::ranges::find(config.formats, *format) == config.formats.end())
      config.formats.push_back(*format);
  }
  return {};
}

constexpr auto kReportRows = std::to_array<OptionRow>({
    {.short_name = 'o',
     .long_name = "output",
     .metavar = "DIR",
     .default_text = "report",
     .help = "the folder to write into; it is made",
     .note = "Files of an earlier report in it are replaced.",
     .apply = set_text<ReportConfig, &ReportConfig::folder>},
    {.long_name = "format",
     .metavar = "LIST",
     .default_text = "html",
     .help = "what is written: html, md, png, svg, openmetrics, separated by commas, or all",
     .note = "report.html is one page that needs nothing else, report.md the same without charts; "
             "png and svg are pictures: busbw, latency, ratio, pairs; openmetrics is "
             "linerate.prom, for [monitoring](gates.md). Only png needs matplotlib. Of the file "
             "of linerate sweep there is html alone.",
     .apply = set_formats},
    {.long_name = "title",
     .metavar = "TEXT",
     .help = "the purpose of the runs, as the title of the page",
     .apply = set_text<ReportConfig, &ReportConfig::title>},
});

}  // namespace

std::span<const OptionRow> report_options() { return kReportRows; }

Result<ReportConfig> parse_report(const std::vector<std::string>& words) {
  ReportConfig config;
  const auto [options, files] = without_operands(words, Audience::report);
  const auto given = read_options(options, Audience::report, config);
  if (!given) return given.failure();
  if (files.empty())
    return Failure{
        "linerate report needs the files of runs, as --jsonl writes them: FILE, or NAME=FILE to "
        "give one a name; or the file of linerate sweep."};
  config.files = files;
  return config;
}

}  // namespace linerate
