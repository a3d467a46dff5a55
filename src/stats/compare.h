// Whether two series of runs of one case differ: by how much, how surely, and what to call it.
//
// The run is the unit: one number for each process that was started, such as the median of its
// samples. Samples of one process share its memory's pages, its cores and its moment, so that they
// say little about the next process.
//
// Everything here rests on ranks, and is exact: no assumption on the distribution of runs, which
// may have two modes or outliers, and no random numbers.
//   ratio     B over A. Its logarithm is the shift that puts the ranks of both sides in balance
//             (Hodges & Lehmann, Ann. Math. Statist. 34, 1963). For one block that is the median of
//             all quotients b / a.
//   p         how often ranks would lie so far apart if each run's side had been drawn by lot
//             within its block: the exact distribution of Wilcoxon's rank sum over blocks of
//             aligned values (Hodges & Lehmann, Ann. Math. Statist. 33, 1962). Two-sided: twice the
//             smaller tail.
//   interval  every ratio that this test does not refuse at 5 %.
// Aligned: from each block's logarithms the median of the block and its two neighbours is
// subtracted, so that a machine that changes during the study favours neither side. That median
// does not change when runs of a block change sides, which keeps the test exact. Blocks whose runs
// saw the same disturbances are aligned by themselves alone.
//
// Of several cases the p are adjusted as Benjamini & Hochberg do (J. R. Statist. Soc. B 57, 1995):
// of all cases called SLOWER or FASTER at most a share Rule::false_discoveries is expected to be
// wrong, also where cases of one run resemble each other (Benjamini & Yekutieli, Ann. Statist. 29,
// 2001). Where nothing has changed, at most that share of comparisons says anything else. Holm's
// method would also hold the second, but finds less where many cases change at once, as they do
// when a library or a driver changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace linerate::stats {

// Runs that were made close together, in an order drawn by lot, one positive number for each. A
// study's blocks stand in the order of time. Series that were not interleaved are one block.
struct Block {
  std::vector<double> a{}, b{};
};

struct Effect {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double ratio = kNone;              // B / A; NaN where a side has no run
  double low = kNone, high = kNone;  // 95 %; NaN where so few runs exclude nothing
  double p = 1;                      // that there is no difference
};

// Whose median is subtracted from a block's runs.
enum class Level : std::uint8_t {
  with_neighbours,  // runs one after the other: a block alone would follow each outlier
  of_block,         // runs at the same time, in turns
};

// Blocks in which a side has no run do not count.
Effect effect_of(std::span<const Block> blocks, Level level = Level::with_neighbours);

// For each p the smallest share of false discoveries at which its case is one of them.
std::vector<double> adjusted(std::span<const double> p);

enum class Difference : std::uint8_t { same, faster, slower, unsure };
std::string_view name_of(Difference difference);  // "SAME", "FASTER", …

struct Rule {
  double smallest = 0.02;           // a ratio nearer to 1 does not matter
  double false_discoveries = 0.01;  // expected share among SLOWER and FASTER
};

// SLOWER, FASTER: adjusted_p is at most rule.false_discoveries, and the ratio matters. SAME: the
// whole interval is within what does not matter. UNSURE: neither. The numbers are times.
Difference difference_of(const Effect& effect, double adjusted_p, const Rule& rule);

// The smallest p that these blocks allow: where all of B's runs in each lie beyond A's.
double smallest_p(std::span<const Block> blocks);

// The fewest runs of each side with which one of `cases` cases that differs alone could be told; of
// one case that is also what any number of them needs that all differ. In blocks of `per_block`
// runs of each side; 0: in one block.
std::size_t fewest_runs(std::size_t cases, const Rule& rule, std::size_t per_block = 0);

// About how many runs of each side would make an UNSURE case SAME or not, where `nruns` left this
// interval: widths shrink with the root of their number. Nothing where there is no interval.
std::optional<std::size_t> runs_to_decide(const Effect& effect, std::size_t nruns,
                                          const Rule& rule);

}  // namespace linerate::stats
