// The table of selection.h: rows that `linerate tune host` printed, corrected by hand where --check
// then found another algorithm faster.
#include "backends/host/algorithms/rows.h"
#include "backends/host/selection.h"

#include <array>
#include <limits>

namespace linerate::host {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

const std::array kRules{
    Rule{OpKind::all_reduce, 2, 1024, &kEager},      Rule{OpKind::all_reduce, 2, kAny, &kFlat},
    Rule{OpKind::all_reduce, 3, 4096, &kEager},      Rule{OpKind::all_reduce, 3, kAny, &kFlat},
    Rule{OpKind::all_reduce, 4, 4096, &kEager},      Rule{OpKind::all_reduce, 4, kAny, &kFlat},
    Rule{OpKind::all_reduce, 8, 4096, &kEager},      Rule{OpKind::all_reduce, 8, kAny, &kFlat},
    Rule{OpKind::all_gather, 2, 2048, &kEager},      Rule{OpKind::all_gather, 2, kAny, &kFlat},
    Rule{OpKind::all_gather, 3, 16384, &kEager},     Rule{OpKind::all_gather, 3, kAny, &kFlat},
    Rule{OpKind::all_gather, 4, 16384, &kEager},     Rule{OpKind::all_gather, 4, kAny, &kFlat},
    Rule{OpKind::all_gather, 8, 65536, &kEager},     Rule{OpKind::all_gather, 8, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 2, 1024, &kEager},  Rule{OpKind::reduce_scatter, 2, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 3, 8192, &kEager},  Rule{OpKind::reduce_scatter, 3, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 4, 8192, &kEager},  Rule{OpKind::reduce_scatter, 4, kAny, &kFlat},
    Rule{OpKind::reduce_scatter, 8, 16384, &kEager}, Rule{OpKind::reduce_scatter, 8, kAny, &kFlat},
    Rule{OpKind::broadcast, 2, 4096, &kEager},       Rule{OpKind::broadcast, 2, 16384, &kPull},
    Rule{OpKind::broadcast, 2, kAny, &kFlat},        Rule{OpKind::broadcast, 3, 16384, &kEager},
    Rule{OpKind::broadcast, 3, 262144, &kPull},      Rule{OpKind::broadcast, 3, kAny, &kFlat},
    Rule{OpKind::broadcast, 4, 16384, &kEager},      Rule{OpKind::broadcast, 4, 262144, &kPull},
    Rule{OpKind::broadcast, 4, kAny, &kFlat},        Rule{OpKind::broadcast, 8, 16384, &kEager},
    Rule{OpKind::broadcast, 8, 2097152, &kPull},     Rule{OpKind::broadcast, 8, kAny, &kFlat},
    Rule{OpKind::reduce, 2, 4096, &kEager},          Rule{OpKind::reduce, 2, 8192, &kPull},
    Rule{OpKind::reduce, 2, kAny, &kFlat},           Rule{OpKind::reduce, 3, 16384, &kEager},
    Rule{OpKind::reduce, 3, 32768, &kPull},          Rule{OpKind::reduce, 3, kAny, &kFlat},
    Rule{OpKind::reduce, 4, 16384, &kEager},         Rule{OpKind::reduce, 4, kAny, &kFlat},
    Rule{OpKind::reduce, 8, 16384, &kEager},         Rule{OpKind::reduce, 8, 131072, &kPull},
    Rule{OpKind::reduce, 8, kAny, &kFlat},           Rule{OpKind::all_to_all, 2, 512, &kEager},
    Rule{OpKind::all_to_all, 2, kAny, &kFlat},       Rule{OpKind::all_to_all, 3, 8192, &kEager},
    Rule{OpKind::all_to_all, 3, kAny, &kFlat},       Rule{OpKind::all_to_all, 4, 8192, &kEager},
    Rule{OpKind::all_to_all, 4, kAny, &kFlat},       Rule{OpKind::all_to_all, 8, 8192, &kEager},
    Rule{OpKind::all_to_all, 8, kAny, &kFlat},       Rule{OpKind::gather, 2, 8192, &kEager},
    Rule{OpKind::gather, 2, kAny, &kFlat},           Rule{OpKind::gather, 3, 32768, &kEager},
    Rule{OpKind::gather, 3, kAny, &kFlat},           Rule{OpKind::gather, 4, 32768, &kEager},
    Rule{OpKind::gather, 4, kAny, &kFlat},           Rule{OpKind::gather, 8, 65536, &kEager},
    Rule{OpKind::gather, 8, kAny, &kFlat},           Rule{OpKind::scatter, 2, 8192, &kEager},
    Rule{OpKind::scatter, 2, kAny, &kFlat},          Rule{OpKind::scatter, 3, 16384, &kEager},
    Rule{OpKind::scatter, 3, kAny, &kFlat},          Rule{OpKind::scatter, 4, 16384, &kEager},
    Rule{OpKind::scatter, 4, kAny, &kFlat},          Rule{OpKind::scatter, 8, 16384, &kEager},
    Rule{OpKind::scatter, 8, kAny, &kFlat},
};

}  // namespace

std::span<const Rule> built_in_rules() { return kRules; }

std::string_view built_in_machine() {
  return "2 virtual cores of an Intel Xeon with AMX and an L3 of 480 MiB";
}

}  // namespace linerate::host
