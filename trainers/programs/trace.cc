#include "trainers/programs/trace.h"

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "base/wire.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kMaxTraceBytes = std::size_t{256} << 20;  // what a browser still opens

std::vector<std::string> unit_names(std::size_t units) {
  std::vector<std::string> names{"embeddings"};
  for (std::size_t unit = 1; unit + 1 < units; ++unit)
    names.push_back(fmt::format("block{}", unit - 1));
  names.emplace_back("final norm");
  return names;
}

}  // namespace

Trace::Trace(RankContext& rank, const TraceOptions& options, const trainers::Trainer& trainer)
    : rank_(rank),
      options_(options),
      trainer_(trainer),
      events_(rank.rank(), rank.bootstrap().place().hostname, unit_names(trainer.table().units())) {
  if (!rank.is_first() || options.file.empty()) return;
  auto file = TextFile::create_new(options.file);
  if (!file) throw Error(file.sentence(), ExitCode::usage);
  file_.emplace(*std::move(file));
  if (file_->path() != options.file)
    say(fmt::format("note: '{}' is there already: the trace goes to '{}'", options.file,
                    file_->path()));
  const nlohmann::ordered_json about{{"nranks", rank.nranks()},
                                     {"backend", rank.backend().name()},
                                     {"clock_error_us", trainer.recorder().clock_error_us()}};
  const auto empty = trace_head(about.dump()).append(kTraceTail);
  file_->replace_end("", empty);
  bytes_ = empty.size();
}

void Trace::step(const trainers::StepResult& result) {
  if (options_.file.empty() || result.step < options_.first || result.step > options_.last) return;
  auto& process = rank_.bootstrap();
  const auto& spans = trainer_.spans();
  if (value_of_rank_0(process, full_, Deadline::never())) return;
  if (!origin_ns_)
    origin_ns_ = std::ranges::min(all_values(process, spans.step.first, Deadline::never()));
  const auto mine = events_.of(result, spans, *origin_ns_);
  std::string text;
  for (const auto& theirs : process.gather(std::as_bytes(std::span(mine)), Deadline::never())) {
    if (!text.empty()) text += kBetweenEvents;
    text.append(reinterpret_cast<const char*>(theirs.data()), theirs.size());
  }
  if (file_) write(text);
}

// The first events have none before them.
void Trace::write(std::string_view text) {
  if (bytes_ + text.size() > kMaxTraceBytes) {
    full_ = true;
    say(fmt::format("note: the trace ends before this step, because it would be larger than {}",
                    bytes_text(kMaxTraceBytes)));
    return;
  }
  auto next = fmt::format("{}{}{}", any_ ? kBetweenEvents : "", text, kTraceTail);
  any_ = true;
  file_->replace_end(kTraceTail, next);
  bytes_ += next.size();
}

}  // namespace linerate
