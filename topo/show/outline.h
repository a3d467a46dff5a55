// A tree drawn with lines for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linerate::topo {

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
