// The table of selection.h: rows that `linerate tune host` printed, corrected by hand where --check
// then found another algorithm faster.
#include "backends/host/algorithms/rows.h"
#include "backends/host/selection.h"

#include <array>
#include <limits>

namespace linerate::host {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

}  // namespace

std::span<const Rule> built_in_rules() {
  static const std::array kRules{
      Rule{OpKind::all_reduce, 2, 512, &kEager},     Rule{OpKind::all_reduce, 2, kAny, &kFlat},
      Rule{OpKind::all_reduce, 3, 512, &kEager},     Rule{OpKind::all_reduce, 3, 2048, &kTree},
      Rule{OpKind::all_reduce, 3, kAny, &kFlat},     Rule{OpKind::all_reduce, 4, 512, &kEager},
      Rule{OpKind::all_reduce, 4, kAny, &kFlat},     Rule{OpKind::all_reduce, 8, 512, &kEager},
      Rule{OpKind::all_reduce, 8, kAny, &kFlat},     Rule{OpKind::all_gather, 2, 1024, &kEager},
      Rule{OpKind::all_gather, 2, kAny, &kFlat},     Rule{OpKind::all_gather, 3, 2048, &kEager},
      Rule{OpKind::all_gather, 3, kAny, &kFlat},     Rule{OpKind::all_gather, 4, 2048, &kEager},
      Rule{OpKind::all_gather, 4, kAny, &kFlat},     Rule{OpKind::all_gather, 8, 4096, &kEager},
      Rule{OpKind::all_gather, 8, kAny, &kFlat},     Rule{OpKind::reduce_scatter, 2, 512, &kEager},
      Rule{OpKind::reduce_scatter, 2, kAny, &kFlat}, Rule{OpKind::reduce_scatter, 3, 512, &kEager},
      Rule{OpKind::reduce_scatter, 3, kAny, &kFlat}, Rule{OpKind::reduce_scatter, 4, 512, &kEager},
      Rule{OpKind::reduce_scatter, 4, kAny, &kFlat}, Rule{OpKind::reduce_scatter, 8, 512, &kEager},
      Rule{OpKind::reduce_scatter, 8, kAny, &kFlat}, Rule{OpKind::broadcast, 2, 512, &kEager},
      Rule{OpKind::broadcast, 2, 16384, &kPull},     Rule{OpKind::broadcast, 2, kAny, &kFlat},
      Rule{OpKind::broadcast, 3, 512, &kEager},      Rule{OpKind::broadcast, 3, 524288, &kPull},
      Rule{OpKind::broadcast, 3, kAny, &kFlat},      Rule{OpKind::broadcast, 4, 512, &kEager},
      Rule{OpKind::broadcast, 4, 524288, &kPull},    Rule{OpKind::broadcast, 4, 8388608, &kFlat},
      Rule{OpKind::broadcast, 4, 67108864, &kPull},  Rule{OpKind::broadcast, 4, kAny, &kFlat},
      Rule{OpKind::broadcast, 8, 512, &kEager},      Rule{OpKind::broadcast, 8, kAny, &kPull},
      Rule{OpKind::reduce, 2, 512, &kEager},         Rule{OpKind::reduce, 2, 8192, &kPull},
      Rule{OpKind::reduce, 2, kAny, &kFlat},         Rule{OpKind::reduce, 3, 512, &kEager},
      Rule{OpKind::reduce, 3, 32768, &kPull},        Rule{OpKind::reduce, 3, kAny, &kFlat},
      Rule{OpKind::reduce, 4, 512, &kEager},         Rule{OpKind::reduce, 4, 32768, &kPull},
      Rule{OpKind::reduce, 4, kAny, &kFlat},         Rule{OpKind::reduce, 8, 512, &kEager},
      Rule{OpKind::reduce, 8, 131072, &kPull},       Rule{OpKind::reduce, 8, kAny, &kFlat},
      Rule{OpKind::all_to_all, 2, 512, &kEager},     Rule{OpKind::all_to_all, 2, kAny, &kFlat},
      Rule{OpKind::all_to_all, 3, 512, &kEager},     Rule{OpKind::all_to_all, 3, kAny, &kFlat},
      Rule{OpKind::all_to_all, 4, 512, &kEager},     Rule{OpKind::all_to_all, 4, kAny, &kFlat},
      Rule{OpKind::all_to_all, 8, 512, &kEager},     Rule{OpKind::all_to_all, 8, kAny, &kFlat},
      Rule{OpKind::gather, 2, 1024, &kEager},        Rule{OpKind::gather, 2, kAny, &kFlat},
      Rule{OpKind::gather, 3, 2048, &kEager},        Rule{OpKind::gather, 3, kAny, &kFlat},
      Rule{OpKind::gather, 4, 2048, &kEager},        Rule{OpKind::gather, 4, kAny, &kFlat},
      Rule{OpKind::gather, 8, 4096, &kEager},        Rule{OpKind::gather, 8, kAny, &kFlat},
      Rule{OpKind::scatter, 2, 512, &kEager},        Rule{OpKind::scatter, 2, kAny, &kFlat},
      Rule{OpKind::scatter, 3, 512, &kEager},        Rule{OpKind::scatter, 3, kAny, &kFlat},
      Rule{OpKind::scatter, 4, 512, &kEager},        Rule{OpKind::scatter, 4, kAny, &kFlat},
      Rule{OpKind::scatter, 8, 512, &kEager},        Rule{OpKind::scatter, 8, kAny, &kFlat},
  };
  return kRules;
}

std::string_view built_in_machine() {
  return "2 virtual cores of an Intel Xeon with AMX and an L3 of 480 MiB";
}

}  // namespace linerate::host
