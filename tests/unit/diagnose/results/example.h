// Tables of benchmarks, made up, in the layouts of all times.
#pragma once

#include "base/units.h"
#include "collectives/collective.h"
#include "compare/import.h"
#include "diagnose/results/results.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::results {

enum class Layout : std::uint8_t { old_error, unified, timestamps, per_iteration, cpu_time };
inline constexpr Layout kLayouts[] = {Layout::old_error, Layout::unified, Layout::timestamps,
                                      Layout::per_iteration, Layout::cpu_time};

struct ExampleRow {
  std::uint64_t bytes = 0;
  double us = 0, in_place_us = 0;
  int wrong = 0;  // in place
};

// 8 B to 128 MiB on GPUs of a host: 20 us, and 360 GB/s for what is large.
inline std::vector<ExampleRow> healthy_rows() {
  std::vector<ExampleRow> rows;
  for (std::uint64_t bytes = 8; bytes <= 128 << 20; bytes *= 2) {
    const double us = 20 + static_cast<double>(bytes) * 1.75 / 360e3;
    rows.push_back({bytes, us, us * 1.02});
  }
  return rows;
}

struct ExampleTable {
  std::vector<ExampleRow> rows = healthy_rows();
  std::string program = "all_reduce_perf";
  int nranks = 8, nhosts = 1;
  std::string device = "NVIDIA H100 80GB HBM3";
  Layout layout = Layout::unified;
};

inline double bus_factor(const ExampleTable& table) {
  return find_collective(table.program)->bus_factor(table.nranks);
}

inline std::string heading(Layout layout) {
  const bool is_old = layout == Layout::old_error;
  const std::string half =
      fmt::format("  {} algbw busbw {}{}", layout == Layout::cpu_time ? "cputime" : "time",
                  is_old ? "error" : "#wrong",
                  layout == Layout::per_iteration ? " i_min i_max i_p99 i_cv%" : "");
  return fmt::format("#      out-of-place      in-place\n# size count type redop{}{}{}{}\n",
                     is_old ? "" : " root", half, half,
                     layout == Layout::timestamps ? " timestamp" : "");
}

inline std::string half_row(const ExampleTable& table, std::uint64_t bytes, double us, int wrong) {
  const double algbw = gbps_of(static_cast<double>(bytes), us);
  const bool is_cpu = table.layout == Layout::cpu_time;
  const auto checked =
      table.layout == Layout::old_error ? std::string("2e-07") : fmt::to_string(wrong);
  return fmt::format("  {:.2f}  {:.2f}  {:.2f}  {}{}", is_cpu ? 1.5 : us, algbw,
                     algbw * bus_factor(table), checked,
                     table.layout == Layout::per_iteration ? "  1.00  2.00  2.00  5.00" : "");
}

inline std::string text_of(const ExampleTable& table) {
  const bool is_old = table.layout == Layout::old_error;
  auto text =
      is_old ? std::string() : fmt::format("# Collective test starting: {}\n", table.program);
  text += fmt::format("# nThread 1 nGpus 1 minBytes {} maxBytes {} step: 2(factor)\n",
                      table.rows.front().bytes, table.rows.back().bytes);
  for (int rank = 0; rank < table.nranks; ++rank)
    text += fmt::format("#  Rank {:2}{} Pid {} on host{} device  {} [0000:18:00] {}\n", rank,
                        is_old ? "" : " Group  0", 100 + rank, rank * table.nhosts / table.nranks,
                        rank, table.device);
  text += heading(table.layout);
  double sum = 0;
  for (const auto& row : table.rows) {
    text += fmt::format("  {}  {}  float  sum{}{}{}{}\n", row.bytes, row.bytes / 4,
                        is_old ? "" : "  -1", half_row(table, row.bytes, row.us, 0),
                        half_row(table, row.bytes, row.in_place_us, row.wrong),
                        table.layout == Layout::timestamps ? "  2026-01-02 03:04:05" : "");
    for (const double us : {row.us, row.in_place_us})
      sum += gbps_of(static_cast<double>(row.bytes), us) * bus_factor(table);
  }
  return text + fmt::format("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:.6g} \n#\n",
                            sum / static_cast<double>(2 * table.rows.size()));
}

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

inline std::vector<Run> read(const std::string& text) {
  auto file = read_runs("file", text);
  EXPECT_TRUE(file) << (file ? "" : file.sentence());
  return file ? runs_of("file", *std::move(file)) : std::vector<Run>();
}

inline std::vector<Finding> found_in(const std::string& text) {
  std::vector<Finding> all;
  for (const auto& run : read(text))
    for (auto& finding : examine(run)) all.push_back(std::move(finding));
  return all;
}

// "warning slow-sizes"; infos are left out.
inline std::vector<std::string> faults_of(std::span<const Finding> findings) {
  std::vector<std::string> faults;
  for (const auto& finding : findings)
    if (finding.severity > Severity::info)
      faults.push_back(fmt::format("{} {}", name_of(finding.severity), finding.rule));
  return faults;
}
inline std::vector<std::string> faults_in(const std::string& text) {
  return faults_of(found_in(text));
}

inline bool has_rule(const std::string& text, std::string_view rule) {
  return std::ranges::any_of(found_in(text), [&](const Finding& f) { return f.rule == rule; });
}

}  // namespace linerate::results
