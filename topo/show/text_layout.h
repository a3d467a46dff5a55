// Text in lines, columns and trees for a terminal, and names in short.
#pragma once

#include "base/text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// Lines of at most `columns`, broken after blanks, commas and hyphens, and only in words that are
// longer than a line nowhere: these stand out. At least one line.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns);

// Rows of cells, each column as wide as its widest cell and two blanks; every line ended, none with
// blanks. `indent`: blanks in front of each line.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);

// "GPU0-GPU3, GPU6": numbered names in a row are told by the first and the last, from three on.
std::string names_in_short(const std::vector<std::string>& names);

enum class Tone : std::uint8_t { plain, dim, strong, gpu, nic, bad };

// What is said of a branch, in a few words.
struct Fact {
  std::string text{};
  Tone tone = Tone::plain;
};

struct Branch {
  std::string label{};
  Tone tone = Tone::plain;
  std::vector<Fact> facts{};
  std::vector<Branch> children{};
};

struct TreeOptions {
  bool color = false;  // escape sequences of ANSI terminals
  int width = 0;       // columns; 0: as many as it takes
};

// Lines, each ended. Facts stand behind the label, those of siblings below each other; what does
// not fit in the width goes to the next line.
std::string outline_text(const Branch& root, const TreeOptions& options);

}  // namespace linerate::topo
