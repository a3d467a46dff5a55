// How long the rest of a plan takes, judged by what is done of it. Pure: it reads no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace linerate {

// A piece of work, which ends with its results.
struct Piece {
  int kind = 0;           // pieces of a kind cost alike: a collective in one placement, …
  double calls = 1;       // that it makes, over warm-up, window, samples and checks
  double bytes = 0;       // of a call
  double call_s = 0;      // the least that a call takes, by a model; 0: nobody knows
  double data_bytes = 0;  // that are filled and compared
  int results = 1;        // that end it
  bool alike = false;     // costs what its like did on average, not what the latest did
};

// Pieces that are done in order, again and again.
struct Block {
  std::vector<Piece> pieces{};
  std::uint64_t cycles = 1;  // 0: without end
  std::size_t row = 1;       // pieces after which something is known of the others
};

// Seconds as `fixed + rate * amount`, neither part negative: least squares of the relative error.
class LinearCost {
 public:
  struct Line {
    double fixed = 0, rate = 0;
    double at(double amount) const { return fixed + rate * amount; }
  };
  // What is believed before anything is measured, and what the line is for.
  struct Asked {
    double rate = 0;     // 0: nothing is believed
    double largest = 0;  // amount to come: the nearer a measurement is to it, the more it counts
  };

  void add(double amount, double seconds);
  bool empty() const { return measured_.empty(); }
  // Of the latest measurements, the later the more. Where they say little of the rate,
  // because all amounts were small, it is near the one believed.
  Line line(const Asked& asked) const;

 private:
  struct Measured {
    double amount, seconds;
  };
  struct Sums;
  Sums sums(double largest) const;
  double evidence(double rate, double largest) const;

  std::deque<Measured> measured_;
};

// Follows a plan of blocks from its first piece to its last one.
class TimeLeft {
 public:
  // Before the first piece: how fast data is filled.
  void filled(double bytes, double seconds) { fill_rate_ = seconds / bytes; }
  // Within the piece under way: calls that were made, and data that was filled or compared. A piece
  // of which neither is told has made its calls and nothing else.
  void called(double calls, double seconds);
  void touched(double seconds) { now_.data_s += seconds; }
  // The piece is done, after so long.
  void next(double seconds);
  // The blocks from number `first` on, whatever was planned before.
  void plan(std::size_t first, std::vector<Block> blocks);
  // Block number `block` begins, so long after the last piece of the one before, whatever was told
  // of that.
  void begin(std::size_t block, double between_s);

  // Results of the piece under way; of all blocks, 0 where one has no end; and of what is done.
  int results() const;
  std::uint64_t results_planned() const;
  std::uint64_t results_done() const { return results_done_; }
  // While there is a piece to do, from the first calls on that were told, else from the end of the
  // first row and of two pieces; `elapsed_s`: since the last piece was done.
  std::optional<double> seconds(double elapsed_s) const;

 private:
  struct Spent {
    double calls = 0, calls_s = 0, data_s = 0;
  };
  class Forecast;

  double modelled_s(const Piece& piece) const;
  void go_to(std::size_t block);
  const Piece* current() const;
  bool has_end() const;
  template <typename Visit>
  void for_rest(const Visit& visit) const;

  std::vector<Block> plan_;
  std::size_t block_ = 0, piece_ = 0;  // under way
  std::uint64_t cycle_ = 0;            // of the block
  bool between_ = false;               // the last block has ended, and the next one not begun
  std::uint64_t results_done_ = 0;
  Spent now_;
  bool calls_told_ = false;
  LinearCost all_calls_, data_;
  std::map<int, LinearCost> calls_;                                   // by kind
  std::map<std::pair<int, double>, std::deque<double>> same_call_s_;  // by kind and bytes
  std::deque<double> others_s_;   // of the latest pieces: beside calls and data
  std::deque<double> between_s_;  // of the latest blocks
  double fill_rate_ = 0;          // seconds per byte; 0: not known
};

}  // namespace linerate
