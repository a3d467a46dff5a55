// See verdict_text.h.
#include "output/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

// Other than their wordings, lines below the table must not hold the words that parsers look for.
std::string_view place(const Record& record) {
  return record.what.placement == Placement::in_place ? "one buffer" : "two buffers";
}

std::string reached_text(const Record& record) {
  if (record.pair)
    return fmt::format("{}, {} B, rank {} to rank {}: {:.2f} of {:.4g} GB/s, bound by {}",
                       record.what.collective, record.what.bytes, record.pair->first,
                       record.pair->second, efficiency(record), record.expected->busbw_gbps,
                       record.expected->bound_by);
  return fmt::format("{} B, {}: {:.2f} of {:.4g} GB/s, bound by {}", record.what.bytes,
                     place(record), efficiency(record), record.expected->busbw_gbps,
                     record.expected->bound_by);
}

// A rank that all others wait for in the mean is the one to look at.
std::string late_rank(const Record& record) {
  constexpr double kShareOfTime = 0.1;
  if (!record.samples || record.samples->late_us.empty()) return {};
  const auto& late_us = record.samples->late_us;
  const auto worst = std::ranges::max_element(late_us);
  if (*worst < kShareOfTime * record.window.time_us) return {};
  return fmt::format("; rank {} comes {:.4g} us after the first", worst - late_us.begin(), *worst);
}

std::string changed_line(std::string_view what, double factor) {
  return fmt::format(
      "# {:<20} : unstable machine: {} changed by a factor of {:.1f} during the run; "
      "see what else runs here, and measure again\n",
      "Verdict", what, factor);
}

// "; rank 3 is slow: 14 pairs of ranks reach 0.24 of what they should"; empty for none.
std::string suspects_text(std::span<const Suspect> suspects) {
  std::string text;
  for (const auto& suspect : suspects)
    text += fmt::format("; {} is slow: {} pairs of ranks reach {:.2f} of what they should",
                        suspect.subject, suspect.pairs, suspect.reached);
  return text;
}

}  // namespace

void VerdictText::add(const Record& record) {
  if (!record.expected) return;
  judged_.push_back(record);
  if (judged_.back().samples) judged_.back().samples->raw_us.clear();
}

std::string VerdictText::result_line(const Record& record) const {
  const auto verdict = verdict_of(record);
  auto text = fmt::format("# {:<20} : {}: {}", "Verdict", name_of(verdict), reached_text(record));
  if (verdict == Verdict::low) text += late_rank(record);
  return text + '\n';
}

const Record& VerdictText::least() const {
  return *std::ranges::min_element(judged_, {}, [](const Record& r) { return efficiency(r); });
}

std::string VerdictText::summary(std::span<const Suspect> suspects) const {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(judged_, verdict, [](const Record& r) { return verdict_of(r); });
  };
  const auto low = count(Verdict::low), above = count(Verdict::above);
  const auto heading = [](std::string_view verdict, auto number, std::size_t of) {
    return fmt::format("# {:<20} : {} at {} of {} results", "Verdict", verdict, number, of);
  };
  std::string text;
  if (above > 0)
    text += heading(name_of(Verdict::above), above, judged_.size()) +
            "; then the bound or the measurement is wrong\n";
  if (low > 0) {
    const Record* worst = nullptr;
    for (const auto& record : judged_)
      if (verdict_of(record) == Verdict::low &&
          (worst == nullptr || efficiency(record) < efficiency(*worst)))
        worst = &record;
    return text + heading(name_of(Verdict::low), low, judged_.size()) + "; " +
           reached_text(*worst) + late_rank(*worst) + suspects_text(suspects) + '\n';
  }
  if (above > 0) return text;
  return heading(name_of(Verdict::ok), judged_.size(), judged_.size()) + "; least " +
         reached_text(least()) + '\n';
}

bool VerdictText::any_bound_by_memory() const {
  return std::ranges::any_of(judged_,
                             [](const Record& r) { return r.expected->bound_by == "memory"; });
}

// Over several hosts memory hardly ever binds.
std::string VerdictText::lines(bool each, const ProbedBefore& before, const EndInfo& end) const {
  if (judged_.empty()) return {};
  std::string text;
  if (each)
    for (const auto& record : judged_) text += result_line(record);
  const double network = network_change(before.network, end.network);
  if (network > kUnstable) return text + changed_line("the network", network);
  const double memory = memory_change(before.memory, end.memory);
  const bool memory_counts = before.network.empty() || any_bound_by_memory();
  return text + (memory_counts && memory > kUnstable ? changed_line("memory", memory)
                                                     : summary(end.suspects));
}

}  // namespace linerate
