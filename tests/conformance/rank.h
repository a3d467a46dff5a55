// One rank of a conformance run: makes one call after another and compares all memory around it.
#pragma once

#include "collectives/traffic.h"
#include "comm/communicator.h"
#include "conformance/cases.h"

#include <optional>
#include <string>
#include <vector>

namespace linerate::conformance {

class Rank {
 public:
  // `comm` outlives the rank. `bytes` is the most that a buffer of any case needs.
  Rank(Communicator& comm, std::size_t bytes, StreamKind stream = StreamKind::own);

  // Bytes of the larger buffer of the case on the rank that needs most, its surroundings included.
  static std::size_t bytes_of_case(const Case& c, int nranks);

  // Collective: makes the call with inputs of `seed`. Yields what is wrong in this rank's memory.
  std::optional<std::string> failure_of(const Case& c, std::uint64_t seed);

 private:
  // A range of elements of a buffer and what it holds.
  struct Piece {
    std::size_t offset = 0;
    std::size_t count = 0;
    Content content{};
  };
  // One case on this rank.
  struct Trial {
    const Case& what;
    Sizing sizing{};
    Shape shape{};
    std::uint64_t seed = 0;
    std::size_t elements = 0;  // of both buffers, lead and tail included
    std::size_t send_at = 0;   // first element sent
    std::size_t recv_at = 0;   // first element received
  };

  Trial trial_of(const Case& c, std::uint64_t seed) const;
  Content content_of(const Trial& t, Content::Kind kind) const;
  View part(const Trial& t, Buffer& buffer, std::size_t offset, std::size_t count) const;
  void fill(const Trial& t);
  void launch(const Trial& t);
  std::vector<Piece> expected(const Trial& t) const;
  std::optional<std::string> difference(const Trial& t, Buffer& buffer, const Piece& piece) const;

  Communicator& comm_;
  std::unique_ptr<Stream> stream_;
  TrafficMatrix weighted_;
  TrafficMatrix matrix_;
  Buffer send_;
  Buffer recv_;
};

}  // namespace linerate::conformance
