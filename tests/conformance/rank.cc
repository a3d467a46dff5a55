#include "conformance/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate::conformance {
namespace {

constexpr std::size_t kTail = 16;  // elements behind the buffers that nothing may touch

// Ragged, and a third of the parts empty.
TrafficMatrix ragged_matrix(int nranks) {
  std::string text;
  for (int src = 0; src < nranks; ++src) {
    for (int dst = 0; dst < nranks; ++dst)
      text += fmt::format("{} ", (src + 2 * dst) % 3 * (48 + 304 * ((src * dst) % 5)));
    text += '\n';
  }
  return TrafficMatrix::parse(text, nranks, 1).value();
}

Sizing sizing_of(const Case& c, int rank, int nranks, const TrafficMatrix* traffic) {
  return {.count = c.size.count,
          .rank = rank,
          .nranks = nranks,
          .traffic = c.collective->varies ? traffic : nullptr,
          .type = c.type};
}

std::size_t elements_of(const Shape& shape, const Case& c) {
  const std::size_t in_place = std::max(shape.sendcount + shape.in_place_send_offset,
                                        shape.recvcount + shape.in_place_recv_offset);
  const std::size_t apart = std::max(shape.sendcount, shape.recvcount);
  return c.size.lead + (c.in_place ? in_place : apart) + kTail;
}

// The parts of [0, end) that no range covers; ranges may overlap.
std::vector<Range> gaps_between(std::vector<Range> ranges, std::size_t end) {
  std::ranges::sort(ranges, {}, &Range::offset);
  ranges.push_back({end, 0});
  std::vector<Range> gaps;
  std::size_t at = 0;
  for (const auto& range : ranges) {
    if (range.offset > at) gaps.push_back({at, range.offset - at});
    at = std::max(at, range.offset + range.count);
  }
  return gaps;
}

}  // namespace

Rank::Rank(Communicator& comm, std::size_t bytes, StreamKind stream)
    : comm_(comm),
      stream_(comm.device().open_stream(stream)),
      weighted_(TrafficMatrix::weighted(1.0, comm.nranks())),
      matrix_(ragged_matrix(comm.nranks())),
      send_(comm.allocate(bytes, MemoryKind::host)),
      recv_(comm.allocate(bytes, MemoryKind::host)) {}

std::size_t Rank::bytes_of_case(const Case& c, int nranks) {
  const auto weighted = TrafficMatrix::weighted(1.0, nranks);
  const auto matrix = ragged_matrix(nranks);
  std::size_t most = 0;
  for (int rank = 0; rank < nranks; ++rank) {
    const auto sizing = sizing_of(c, rank, nranks, c.size.matrix ? &matrix : &weighted);
    most = std::max(most, elements_of(c.collective->shape(sizing), c));
  }
  return most * bytes_of(c.type);
}

std::optional<std::string> Rank::failure_of(const Case& c, std::uint64_t seed) {
  const Trial t = trial_of(c, seed);
  fill(t);
  launch(t);
  for (const auto& piece : expected(t))
    if (auto wrong = difference(t, recv_, piece)) return "recv: " + *wrong;
  if (c.in_place) return std::nullopt;
  const Piece input{t.send_at, t.shape.sendcount, content_of(t, Content::Kind::input)};
  if (auto wrong = difference(t, send_, input)) return "send was changed: " + *wrong;
  return std::nullopt;
}

Rank::Trial Rank::trial_of(const Case& c, std::uint64_t seed) const {
  Trial t{.what = c, .seed = seed};
  t.sizing = sizing_of(c, comm_.rank(), comm_.nranks(), c.size.matrix ? &matrix_ : &weighted_);
  t.shape = c.collective->shape(t.sizing);
  t.elements = elements_of(t.shape, c);
  t.send_at = c.size.lead + (c.in_place ? t.shape.in_place_send_offset : 0);
  t.recv_at = c.size.lead + (c.in_place ? t.shape.in_place_recv_offset : 0);
  return t;
}

Content Rank::content_of(const Trial& t, Content::Kind kind) const {
  return {.kind = kind,
          .type = t.what.type,
          .op = t.what.op,
          .rank = comm_.rank(),
          .nranks = comm_.nranks(),
          .seed = t.seed};
}

View Rank::part(const Trial& t, Buffer& buffer, std::size_t offset, std::size_t count) const {
  const std::size_t width = bytes_of(t.what.type);
  return buffer.view(offset * width, count * width);
}

void Rank::fill(const Trial& t) {
  Device& device = comm_.device();
  Buffer& input = t.what.in_place ? recv_ : send_;
  device.fill(part(t, recv_, 0, t.elements), content_of(t, Content::Kind::poison));
  device.fill(part(t, input, t.send_at, t.shape.sendcount), content_of(t, Content::Kind::input));
}

void Rank::launch(const Trial& t) {
  Buffer& input = t.what.in_place ? recv_ : send_;
  Call call{.buffers = {.send = part(t, input, t.send_at, t.shape.sendcount),
                        .recv = part(t, recv_, t.recv_at, t.shape.recvcount),
                        .count = t.what.size.count,
                        .type = t.what.type},
            .reduction = {.op = t.what.op, .premul = premul_of(comm_.rank())},
            .root = t.what.root,
            .stream = stream_.get()};
  std::vector<Range> send_ranges, recv_ranges;
  if (t.sizing.traffic != nullptr) {
    send_ranges = t.sizing.traffic->send_ranges(t.sizing);
    recv_ranges = t.sizing.traffic->recv_ranges(t.sizing);
    call.send_ranges = send_ranges;
    call.recv_ranges = recv_ranges;
  }
  for (; call.step < steps_of(*t.what.collective, comm_.nranks()); ++call.step)
    t.what.collective->launch(comm_, call);
  stream_->synchronize(Deadline::never());
}

// Everything in recv: the results, and poison around them. In place, an input that is no result is
// left out: the call may do with it what it likes.
std::vector<Rank::Piece> Rank::expected(const Trial& t) const {
  Oracle oracle({.rank = comm_.rank(), .root = t.what.root});
  t.what.collective->expect(oracle, t.sizing);
  std::vector<Piece> pieces;
  std::vector<Range> written;
  for (const auto& segment : oracle.segments()) {
    Content content =
        content_of(t, segment.source_rank == Oracle::kReduction ? Content::Kind::reduction
                                                                : Content::Kind::input);
    if (segment.source_rank != Oracle::kReduction) content.rank = segment.source_rank;
    content.first_index = segment.source_index;
    pieces.push_back({t.recv_at + segment.offset, segment.count, content});
    written.push_back({pieces.back().offset, segment.count});
  }
  if (t.what.in_place) written.push_back({t.send_at, t.shape.sendcount});
  for (const auto& gap : gaps_between(std::move(written), t.elements))
    pieces.push_back({gap.offset, gap.count, content_of(t, Content::Kind::poison)});
  return pieces;
}

std::optional<std::string> Rank::difference(const Trial& t, Buffer& buffer,
                                            const Piece& piece) const {
  const auto compared =
      comm_.device().count_wrong(part(t, buffer, piece.offset, piece.count), piece.content);
  if (compared.wrong == 0) return std::nullopt;
  return fmt::format(
      "rank {} of {}: {} of {} elements from {} on are wrong; element {} is {:#x} "
      "instead of {:#x}{}",
      comm_.rank(), comm_.nranks(), compared.wrong, piece.count, piece.offset,
      piece.offset + compared.first->index, compared.first->got_bits, compared.first->expected_bits,
      piece.content.kind == Content::Kind::poison ? " (untouched)" : "");
}

}  // namespace linerate::conformance
