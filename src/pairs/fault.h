// A fault with its evidence: what was under test, what it reached, and what it should have.
#pragma once

#include "pairs/judge.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::pairs {

enum class FaultKind : std::uint8_t { node, rank, rail, link };
std::string_view name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::node;
  std::vector<int> ranks{};  // those of the node; the rank; the two of a link; all of a rail
  int rail = -1;             // of a rail, and of a rank where nodes have several
  bool intermittent = false;
  double gbps = 0, expected_gbps = 0;  // medians
  double share = 1;                    // gbps / expected_gbps, of an intermittent one the lowest
  double send_gbps = 0, receive_gbps = 0;          // medians of a node or rank; 0: not told
  double alone_gbps = 0;                           // by itself, the median; 0: not tested so
  std::size_t tests = 0, low = 0;                  // beside few others; in how many it was low
  std::vector<std::pair<int, double>> partners{};  // rank and GB/s, the median with each
  double confidence = 0;                           // see Judged; at most 0.99
};

// The middle of what they reach; 0 of nothing.
double median_gbps(std::span<const Rate> rates);

// What each partner reached with this rank: its median.
std::vector<std::pair<int, double>> by_partner(std::span<const Rate> rates, int rank);

// Of a rank or a link. REQUIRES: it has tests.
Fault fault_of(const Layout& layout, const Suspect& suspect, const Judged& judged,
               const Reference& reference);

// The rails that are slow as a whole.
std::vector<Fault> faulty_rails(const Layout& layout, const Estimate& estimate);

// A node all of whose ranks are bad is one fault; of the others each stands for itself. Lowest
// share first.
std::vector<Fault> merged(const Layout& layout, std::vector<Fault> faults);

}  // namespace linerate::pairs
