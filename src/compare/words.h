// Cells and sentences that the texts of a comparison share.
#pragma once

#include "compare/comparison.h"

#include <string>
#include <vector>

namespace linerate {

// "all_reduce float sum", and what else tells the case from others of its size. What a file says
// of it is made safe to show. telling_words: those that the key has, which may be none.
std::string telling_words(const CaseKey& key);
std::string case_words(const CaseKey& key);
// "out-of-place"; of pairs "0 and 1".
std::string placement_words(const CaseKey& key);
// "1.041".
std::string ratio_words(double ratio);
// "[1.021, 1.062]"; "[too few runs]".
std::string interval_words(const stats::Effect& effect);
// "2.1 ms ±3 %".
std::string time_words(const SideTime& time);
// "10 runs"
std::string runs_words(const Side& side);

// How the runs were made, and which number stands for each.
std::string method_sentence(const RunComparison& comparison);
// What keeps a verdict from being believed: too few runs, sides one after the other, what was left
// out.
std::vector<std::string> cautions(const RunComparison& comparison);
// "B is SLOWER in 2 of 22 cases, …": one to three sentences.
std::vector<std::string> summary(const RunComparison& comparison);

}  // namespace linerate
