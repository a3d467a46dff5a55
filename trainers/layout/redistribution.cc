#include "trainers/layout/redistribution.h"

#include "model/training_bytes.h"

#include <cassert>
#include <utility>

namespace linerate::trainers {
namespace {

using Kind = Placement::Kind;

Layout changed(Layout layout, std::size_t axis, Placement placement) {
  layout.placements[axis] = placement;
  return layout;
}

// Elements in memory: those of a box, and nothing between them.
struct Part {
  Box box{};
  Array array{};
};

// Row-major, of the box's first element 0.
std::size_t position(const Box& box, const std::vector<std::size_t>& index) {
  std::size_t at = 0;
  for (std::size_t dim = 0; dim < box.shape.size(); ++dim)
    at = at * box.shape[dim] + index[dim] - box.offset[dim];
  return at;
}

// What both hold, a run of elements that follow each other in both at a time.
void copy_common(Device& device, const Part& to, const Part& from, Stream& stream) {
  const auto box = common(to.box, from.box);
  if (box.count() == 0) return;
  auto dims = box.shape.size();  // that runs are counted over; those behind are whole in both
  std::size_t run = 1;
  for (bool whole = true; whole && dims > 0;) {
    run *= box.shape[--dims];
    whole = box.shape[dims] == to.box.shape[dims] && box.shape[dims] == from.box.shape[dims];
  }
  for (std::size_t i = 0; i < box.count() / run; ++i) {
    auto index = box.offset;
    for (auto dim = dims, rest = i; dim-- > 0; rest /= box.shape[dim])
      index[dim] += rest % box.shape[dim];
    const auto bytes = run * bytes_of(to.array.type);
    device.copy({to.array.from(position(to.box, index)).data, bytes},
                {from.array.from(position(from.box, index)).data, bytes}, stream);
  }
}

// One transition of a rank's part.
class Move {
 public:
  Move(const Layout& before, const Transition& what, const RedistributionTools& tools,
       DataType type)
      : before_(before),
        after_(changed(before, what.axis, what.to)),
        what_(what),
        tools_(tools),
        comm_(*tools.axes[what.axis]),
        type_(type) {}

  Block run(const Array& local) {
    const Part from{box_of(before_, tools_.mesh, tools_.rank), local};
    auto result = allocate(after(me()).count());
    const Part to{after(me()), result.array(type_)};
    if (what_.from.kind == Kind::replicate) {
      copy_common(device(), to, from, tools_.stream);
    } else if (what_.from.kind == Kind::shard) {
      what_.to.kind == Kind::shard ? exchange(to, from) : gather(to, from);
    } else {
      what_.to.kind == Kind::shard ? scatter(to, from) : all_reduce(to, from);
    }
    tools_.stream.synchronize(Deadline::never());  // what it worked in is given back
    return result;
  }

 private:
  std::size_t nranks() const { return tools_.mesh.axes()[what_.axis].size; }
  std::size_t me() const { return tools_.mesh.coordinate(tools_.rank, what_.axis); }
  std::size_t peer(std::size_t place) const {
    return tools_.mesh.moved(tools_.rank, what_.axis, place);
  }
  Box before(std::size_t place) const { return box_of(before_, tools_.mesh, peer(place)); }
  Box after(std::size_t place) const { return box_of(after_, tools_.mesh, peer(place)); }
  Device& device() const { return tools_.arena.device(); }
  Block allocate(std::size_t count) const {
    return tools_.arena.allocate(Category::comm, type_, count);
  }
  Buffers buffers(ConstView send, View recv, std::size_t count) const {
    const std::string_view axis = tools_.mesh.axes()[what_.axis].name;
    return {.send = send,
            .recv = recv,
            .count = count,
            .type = type_,
            .tag = {.axis = axis, .purpose = "redistribution"}};
  }
  View view(const Part& part) const {
    return {part.array.data, part.box.count() * bytes_of(type_)};
  }

  void all_reduce(const Part& to, const Part& from) {
    if (to.box.count() > 0)
      comm_.all_reduce(buffers(view(from), view(to), to.box.count()), {}, tools_.stream);
  }

  // Of parts of one size, which is the first one's.
  void gather(const Part& to, const Part& from) {
    const auto count = before(0).count();
    if (count == 0) return;
    const auto send = allocate(count), recv = allocate(count * nranks());
    device().zero(send.view(), tools_.stream);
    copy_common(device(), {from.box, send.array(type_)}, from, tools_.stream);
    comm_.all_gather(buffers(send.view(), recv.view(), count), tools_.stream);
    for (std::size_t place = 0; place < nranks(); ++place)
      copy_common(device(), to, {before(place), recv.array(type_).from(place * count)},
                  tools_.stream);
  }

  void scatter(const Part& to, const Part& from) {
    const auto count = after(0).count();
    if (count == 0) return;
    const auto send = allocate(count * nranks()), recv = allocate(count);
    device().zero(send.view(), tools_.stream);
    for (std::size_t place = 0; place < nranks(); ++place)
      copy_common(device(), {after(place), send.array(type_).from(place * count)}, from,
                  tools_.stream);
    comm_.reduce_scatter(buffers(send.view(), recv.view(), count), {}, tools_.stream);
    copy_common(device(), to, {to.box, recv.array(type_)}, tools_.stream);
  }

  // With each peer what one holds and the other one shall hold.
  void exchange(const Part& to, const Part& from) {
    const auto send = allocate(from.box.count()), recv = allocate(to.box.count());
    std::vector<Range> send_ranges, recv_ranges;
    std::vector<Part> received;
    std::size_t sent = 0, taken = 0;
    for (std::size_t place = 0; place < nranks(); ++place) {
      const Part out{common(from.box, after(place)), send.array(type_).from(sent)};
      copy_common(device(), out, from, tools_.stream);
      send_ranges.push_back({sent, out.box.count()});
      sent += out.box.count();
      received.push_back({common(to.box, before(place)), recv.array(type_).from(taken)});
      recv_ranges.push_back({taken, received.back().box.count()});
      taken += recv_ranges.back().count;
    }
    comm_.all_to_all_v(buffers(send.view(), recv.view(), 0), send_ranges, recv_ranges,
                       tools_.stream);
    for (const auto& part : received) copy_common(device(), to, part, tools_.stream);
  }

  const Layout before_, after_;
  const Transition what_;
  const RedistributionTools& tools_;
  Communicator& comm_;
  const DataType type_;
};

std::uint64_t sends_of(const Layout& before, const Transition& what, const Mesh& mesh,
                       std::size_t rank) {
  const auto nranks = mesh.axes()[what.axis].size;
  const auto after = changed(before, what.axis, what.to);
  const auto first = mesh.moved(rank, what.axis, 0);  // has the largest part
  if (what.from.kind == Kind::replicate) return 0;
  if (what.from.kind == Kind::shard && what.to.kind == Kind::shard) {
    const auto mine = box_of(before, mesh, rank);
    return mine.count() - common(mine, box_of(after, mesh, rank)).count();
  }
  if (what.from.kind == Kind::shard) return box_of(before, mesh, first).count() * (nranks - 1);
  const auto count = box_of(after, mesh, first).count();
  return what.to.kind == Kind::shard ? count * (nranks - 1) : all_reduce_sends(count, nranks);
}

}  // namespace

std::vector<Transition> transitions(const Placements& from, const Placements& to) {
  std::vector<Transition> steps;
  auto now = from;
  const auto change = [&](std::size_t axis, Placement placement) {
    assert(placement.kind != Kind::partial || now[axis] == placement);
    if (now[axis] != placement) steps.push_back({axis, now[axis], placement});
    now[axis] = placement;
  };
  const auto splits_what_changes = [&](std::size_t axis) {
    bool splits = false;
    for (std::size_t outer = 0; outer < axis; ++outer)
      splits |= now[outer] != to[outer] && (now[outer] == now[axis] || to[outer] == now[axis]);
    return splits && now[axis].kind == Kind::shard;
  };
  for (auto axis = now.size(); axis-- > 0;)
    if (splits_what_changes(axis)) change(axis, replicate());
  for (std::size_t axis = 0; axis < now.size(); ++axis) change(axis, to[axis]);
  return steps;
}

std::uint64_t redistribution_sends(const Layout& from, const Placements& to, const Mesh& mesh,
                                   std::size_t rank) {
  std::uint64_t sends = 0;
  auto layout = from;
  for (const auto& what : transitions(from.placements, to)) {
    sends += sends_of(layout, what, mesh, rank);
    layout = changed(std::move(layout), what.axis, what.to);
  }
  return sends;
}

Block redistribute(const Layout& from, const Placements& to, const Array& local,
                   const RedistributionTools& tools) {
  auto layout = from;
  const auto count = box_of(from, tools.mesh, tools.rank).count();
  auto part = tools.arena.allocate(Category::comm, local.type, count);
  tools.arena.device().copy(part.view(), {local.data, part.bytes()}, tools.stream);
  for (const auto& what : transitions(from.placements, to)) {
    part = Move(layout, what, tools, local.type).run(part.array(local.type));
    layout = changed(std::move(layout), what.axis, what.to);
  }
  tools.stream.synchronize(Deadline::never());
  return part;
}

}  // namespace linerate::trainers
