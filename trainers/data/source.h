// What is learnt: sequences of tokens, each a pure function of its index, so that any rank can read
// any of them, in any order.
//
//   source    where tokens come from: made up with a known entropy, or the bytes of a file
//   sampler   which sequences a step reads, and which of them a rank does
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace linerate::trainers {

// Reading changes nothing: any thread may.
class Source {
 public:
  virtual ~Source() = default;

  // "markov", "copy", "random", "text", or the file's path.
  const std::string& name() const { return name_; }
  // Tokens are 0 to vocabulary() - 1.
  std::size_t vocabulary() const { return vocabulary_; }
  // Positions of a sequence that a model reads; one more token follows them.
  std::size_t length() const { return length_; }
  // How many different sequences there are; nothing where they have no end.
  virtual std::optional<std::uint64_t> sequences() const { return std::nullopt; }
  // Nats per counted target: the lowest expected loss. Nothing where it is not known.
  virtual std::optional<double> entropy() const { return std::nullopt; }
  // The first position whose target counts.
  virtual std::size_t first_target() const { return 0; }
  // Targets of a sequence that count.
  std::size_t counted() const { return length_ - first_target(); }

  // REQUIRES: out.size() == length() + 1; sequence < sequences().
  virtual void tokens(std::uint64_t sequence, std::span<std::int32_t> out) const = 0;
  // A sequence as a model takes it: what it reads, and for each position the token that follows, -1
  // where that does not count. REQUIRES: both are of length(); sequence < sequences().
  void read(std::uint64_t sequence, std::span<std::int32_t> inputs,
            std::span<std::int32_t> targets) const;

 protected:
  Source(std::string name, std::size_t vocabulary, std::size_t length)
      : name_(std::move(name)), vocabulary_(vocabulary), length_(length) {}

 private:
  const std::string name_;
  const std::size_t vocabulary_, length_;
};

struct SourceOptions {
  std::string data = "markov";             // a name of source_names(), or the path of a file
  std::size_t vocabulary = 0, length = 0;  // the model's
  std::uint64_t seed = 0;                  // of what is made up
};

// markov   a chain of order 1 over all of the vocabulary, of known entropy
// copy     random tokens, and the same once more: learnt by attention to the first half alone
// random   each token for itself: nothing to learn, for speed
// text     linerate's own documentation, as bytes
std::span<const std::string_view> source_names();

// Files are bytes, a token each. The sentence says why there is no such source: an unknown name, a
// file that cannot be read or is shorter than a sequence, a vocabulary that is too small.
Result<std::unique_ptr<Source>> make_source(const SourceOptions& options);

}  // namespace linerate::trainers
