// Runs in other programs' formats: nccl-tests' and rccl-tests' table, nccl-tests' report (-J), the
// text of the OSU micro-benchmarks, and perftest's JSON.
#pragma once

#include "base/result.h"
#include "record/json_lines.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace linerate {

// What a file must not exceed; beyond it a text is refused in a sentence.
struct ImportLimits {
  std::size_t bytes = std::size_t{256} << 20;  // JSON takes ten times as much memory
  std::size_t line_bytes = 65536;
  std::size_t rows = 1'000'000;
};

// Any of the formats, and linerate's own JSON Lines. `name` stands in sentences. Runs of
// other programs get a run_id of what the text says of them, so that a copy is told from another
// run; where that is little, which two runs may share by chance, `name` counts too.
// A refusal says what is wrong behind the file's name and a colon, as a sentence.
Result<RunFile> read_runs(const std::string& name, std::string_view text,
                          const ImportLimits& limits = {});

// Each table is a run: `linerate … --repeat` prints several. Tokens are told by the heading, not by
// their column, so that all versions since 2.0 are read, and decorations of launchers
// ("[1,0]<stdout>:", "0: ") are left out.
// Runs whose last lines are there have an `end`; so has one that says that it failed.
Result<RunFile> read_nccl_tests_text(std::string_view text, const ImportLimits& limits);
// The first line by which nccl-tests says that it failed; empty: none.
std::string_view failure_line(std::string_view text);
// What -J writes, versions 1 to 3.
Result<RunFile> read_nccl_tests_json(std::string_view text);
// osu_latency, osu_bw, osu_allreduce, …: "# OSU MPI Allreduce Latency Test v7.0".
Result<RunFile> read_osu_text(std::string_view text, const ImportLimits& limits);
// What ib_write_bw, ib_send_lat, … write with --out_json: two ranks, one size. busbw is algbw.
Result<RunFile> read_perftest_json(std::string_view text);

}  // namespace linerate
