// What `linerate tune` prints of a race.
#pragma once

#include "backends/host/selection.h"
#include "bench/race.h"

#include <span>
#include <vector>

namespace linerate {

void print_race_header();
// One line: the choice, the best, their ratio, and every algorithm's median with its interval.
void print_race(const RaceResult& result);

// Prints how many choices are more than 10 % slower than the best one. True when none is, where
// intervals that overlap count as equal.
bool check_summary(std::span<const RaceResult> results);

// As rows of backends/host/built_in_rules.cc.
void print_rows(std::span<const host::Rule> rules);

}  // namespace linerate
