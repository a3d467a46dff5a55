// A slot is cut into pieces of one content each: what it holds before a call, and after it.
#include "bench/verify.h"

#include "base/splitmix.h"

#include <algorithm>

namespace linerate {
namespace {

// A part of a slot and what must be there.
struct Piece {
  std::size_t offset = 0;  // elements from the start of the slot
  std::size_t count = 0;
  Content content;
};

// Groups must not mistake each other's data for their own.
std::uint64_t seed_of(const Session& session, const LocalRank& local) {
  return session.config().seed + kSplitMixStep * static_cast<std::uint64_t>(local.group + 1);
}

Content content_of(Session& session, LocalRank& local, const Case& what) {
  return {.kind = Content::Kind::input,
          .type = what.type,
          .op = what.op,
          .rank = local.comm().rank(),
          .nranks = local.comm().nranks(),
          .seed = seed_of(session, local)};
}

Content content_of(const Content& own, const Oracle::Segment& segment) {
  Content content = own;
  content.first_index = segment.source_index;
  content.kind =
      segment.source_rank == Oracle::kReduction ? Content::Kind::reduction : Content::Kind::input;
  if (segment.source_rank != Oracle::kReduction) content.rank = segment.source_rank;
  return content;
}

// What the recv side of a slot holds before the call: its own input in place, else poison.
std::vector<Piece> pieces_before(const Layout& layout, const Content& own, std::size_t elements) {
  Content poison = own;
  poison.kind = Content::Kind::poison;
  if (layout.placement == Placement::out_of_place) return {{0, elements, poison}};
  const auto first = layout.shape.in_place_send_offset;
  const auto end = first + layout.shape.sendcount;
  return {{0, first, poison}, {first, layout.shape.sendcount, own}, {end, elements - end, poison}};
}

// The poison in [from, to). In place, send elements that are no result are unspecified afterwards.
void add_untouched(const std::vector<Piece>& before, std::size_t from, std::size_t to,
                   std::vector<Piece>& pieces) {
  for (const auto& piece : before) {
    const auto first = std::max(from, piece.offset);
    const auto last = std::min(to, piece.offset + piece.count);
    if (first >= last || piece.content.kind == Content::Kind::input) continue;
    Piece part{first, last - first, piece.content};
    part.content.first_index += first - piece.offset;
    pieces.push_back(part);
  }
}

std::vector<Piece> pieces_after(Session& session, std::size_t index,
                                const CaseOnThread& on_thread) {
  auto& local = session.ranks()[index];
  const auto& layout = on_thread.layouts[index];
  const auto own = content_of(session, local, on_thread.what);
  const std::size_t elements = layout.recv_slot(local, 0).size() / layout.element_bytes;
  const auto before = pieces_before(layout, own, elements);
  Oracle oracle({.rank = local.comm().rank(), .root = on_thread.what.root});
  on_thread.what.collective->expect(oracle, on_thread.sizings[index]);
  const std::size_t shift =
      layout.placement == Placement::in_place ? layout.shape.in_place_recv_offset : 0;
  std::vector<Piece> pieces;
  std::size_t covered = 0;
  for (const auto& segment : oracle.segments()) {
    add_untouched(before, covered, segment.offset + shift, pieces);
    pieces.push_back({segment.offset + shift, segment.count, content_of(own, segment)});
    covered = segment.offset + shift + segment.count;
  }
  add_untouched(before, covered, elements, pieces);
  return pieces;
}

View view_of(const Piece& piece, View slot, std::size_t element_bytes) {
  return slot.subspan(piece.offset * element_bytes, piece.count * element_bytes);
}

}  // namespace

void add_checks(std::span<const RankCheck> checks, std::span<const int> ranks, Record& record) {
  std::uint64_t total = 0;
  WrongWhere where;
  for (const int rank : ranks) {
    std::uint64_t of_rank = 0;
    for (const auto& check : checks) {
      if (check.rank != rank || check.wrong == 0) continue;
      if (total == 0 && of_rank == 0) {
        where.rank = check.rank;
        where.first = check.first;
      }
      of_rank += check.wrong;
    }
    if (of_rank > 0) where.count_per_rank.emplace_back(rank, of_rank);
    total += of_rank;
  }
  record.wrong = total;
  if (total > 0) record.where = where;
}

void fill_sliding(Session& session, const CaseOnThread& on_thread, std::uint64_t calls) {
  for (std::size_t i = 0; i < session.ranks().size(); ++i) {
    auto& local = session.ranks()[i];
    const auto& layout = on_thread.layouts[i];
    const auto used = std::min<std::uint64_t>(layout.slots.sliding, calls) * layout.stride;
    const auto inputs = content_of(session, local, on_thread.what);
    local.device->fill(local.send.view(layout.lead, used), inputs);
    local.device->fill(local.recv.view(layout.lead, used), inputs);
  }
}

void fill_slot(Session& session, const CaseOnThread& on_thread, std::size_t slot) {
  for (std::size_t i = 0; i < session.ranks().size(); ++i) {
    auto& local = session.ranks()[i];
    const auto& layout = on_thread.layouts[i];
    const auto own = content_of(session, local, on_thread.what);
    const View recv = layout.recv_slot(local, slot);
    for (const auto& piece : pieces_before(layout, own, recv.size() / layout.element_bytes))
      local.device->fill(view_of(piece, recv, layout.element_bytes), piece.content);
    if (layout.placement == Placement::in_place || slot == kSpareSlot) continue;
    const auto sent = layout.send_view(local, slot).size();
    local.device->fill(local.send.view(layout.lead + slot * layout.stride, sent), own);
  }
}

std::vector<RankCheck> check_slot(Session& session, const CaseOnThread& on_thread,
                                  std::size_t slot) {
  std::vector<RankCheck> checks;
  for (std::size_t i = 0; i < session.ranks().size(); ++i) {
    auto& local = session.ranks()[i];
    const auto& layout = on_thread.layouts[i];
    RankCheck check{.rank = local.rank};
    for (const auto& piece : pieces_after(session, i, on_thread)) {
      const View part = view_of(piece, layout.recv_slot(local, slot), layout.element_bytes);
      const auto found = local.device->count_wrong(part, piece.content);
      if (check.wrong == 0 && found.first) {
        check.first = *found.first;
        check.first.index += piece.offset;
      }
      check.wrong += found.wrong;
    }
    checks.push_back(check);
  }
  return checks;
}

}  // namespace linerate
