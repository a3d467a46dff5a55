#include "backends/gloo/gloo_communicator.h"

#include "backends/gloo/exchanges.h"
#include "backends/gloo/failure.h"
#include "comm/split.h"
#include "devices/cpu/reduce.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

namespace linerate::gloo {
namespace {

// Gloo takes its inputs as pointers that are not const, and leaves them alone.
char* memory(ConstView view) {
  return const_cast<char*>(reinterpret_cast<const char*>(view.data()));
}

bool in_place(const Op& op) { return op.send.data() == op.recv.data(); }

// The operator of each step: avg and mulsum are sums.
RedOp step_of(RedOp op) { return op == RedOp::avg || op == RedOp::mulsum ? RedOp::sum : op; }

// As Gloo calls it: c[i] = a[i] op b[i], where c may be a.
auto reduction_of(const Op& op) {
  return [type = op.type, step = step_of(op.op)](void* c, const void* a, const void* b,
                                                 std::size_t count) {
    const std::array<const std::byte*, 2> sources{static_cast<const std::byte*>(a),
                                                  static_cast<const std::byte*>(b)};
    linerate::reduce(static_cast<std::byte*>(c), sources, count, {.type = type, .op = step});
  };
}

// The buffers of a reduction: the output alone where it holds the input already.
template <typename Options>
void set_elements(Options& options, const Op& op, std::byte* out) {
  with_type(op.type, [&]<typename T>() {
    if (out != op.send.data() && op.op != RedOp::mulsum)
      options.setInput(reinterpret_cast<T*>(memory(op.send)), op.count);
    options.setOutput(reinterpret_cast<T*>(out), op.count);
  });
}

std::vector<SplitChoice> choices_in(const Bytes& all) {
  std::vector<SplitChoice> choices(all.size() / sizeof(SplitChoice));
  std::memcpy(choices.data(), all.data(), all.size());
  return choices;
}

}  // namespace

GlooCommunicator::GlooCommunicator(Device& device, Mesh mesh)
    : device_(device), mesh_(std::move(mesh)) {}

// "tcp, pci=, iface=eth0, speed=10000, addr=[10.0.0.1]" -> "TCP on eth0"
std::string GlooCommunicator::transport() const {
  constexpr std::string_view kLabel = "iface=";
  const std::string text = mesh_.own().device->str();
  const auto begin = text.find(kLabel);
  if (begin == std::string::npos) return "TCP";
  const auto name = text.substr(begin + kLabel.size());
  return "TCP on " + name.substr(0, name.find(','));
}

void GlooCommunicator::call(const Op& op, Stream& /*stream*/) {
  assert(has_its_extent(op, rank(), nranks()));
  begin_call();
  try {
    mesh_.links().throw_if_aborted();
    run(op);
  } catch (...) {
    give_up(name_of(op.kind));
  }
}

void GlooCommunicator::call_batch(std::span<const Op> ops, Stream& /*stream*/) {
  begin_call();
  try {
    mesh_.links().throw_if_aborted();
    linerate::gloo::exchange(*mesh_.context(), ops);
  } catch (...) {
    give_up("batch of messages");
  }
}

void GlooCommunicator::barrier() {
  settle();
  begin_call();
  try {
    ::gloo::BarrierOptions options(mesh_.context());
    ::gloo::barrier(options);
  } catch (...) {
    give_up("barrier");
  }
}

// The connections are closed before others can wait for what this rank will not do.
void GlooCommunicator::give_up(std::string_view call) {
  mesh_.context()->closeConnections();
  rethrow_as_error(call);
}

void GlooCommunicator::run(const Op& op) {
  auto& context = *mesh_.context();
  if (op.kind == OpKind::all_to_all_v) return linerate::gloo::all_to_all_v(context, op);
  if (op.count == 0) return;
  switch (op.kind) {
    case OpKind::all_reduce:
      return all_reduce(op);
    case OpKind::all_gather:
      return all_gather(op);
    case OpKind::reduce_scatter:
      return reduce_scatter(op);
    case OpKind::broadcast:
      return broadcast(op);
    case OpKind::reduce:
      return reduce(op);
    case OpKind::all_to_all:
      return all_to_all(op);
    case OpKind::gather:
      return gather(op);
    case OpKind::scatter:
      return scatter(op);
    case OpKind::send:
      return linerate::gloo::send(context, op);
    case OpKind::recv:
      return linerate::gloo::recv(context, op);
    case OpKind::send_recv:
      return linerate::gloo::send_recv(context, op);
    case OpKind::all_to_all_v:
      break;
  }
}

// Both of Gloo's algorithms, each where it is better: bcube takes fewer steps, and up to this size
// half to a third of the ring's time between 2 and 4 ranks on loopback; the ring, whose scratch
// memory stays small, is ahead from about 1 MiB on.
void GlooCommunicator::all_reduce(const Op& op) {
  constexpr std::size_t kMaxBytesOfBcube = 65536;
  using Options = ::gloo::AllreduceOptions;
  const bool small = bytes_of_count(op) <= kMaxBytesOfBcube;
  Options options(mesh_.context());
  options.setAlgorithm(small ? Options::Algorithm::BCUBE : Options::Algorithm::RING);
  options.setReduceFunction(reduction_of(op));
  if (op.op == RedOp::mulsum) multiply(op.recv.data(), op, op.count);
  set_elements(options, op, op.recv.data());
  ::gloo::allreduce(options);
  finish_average(op, op.recv.data(), nranks());
}

void GlooCommunicator::reduce(const Op& op) {
  std::byte* const out = is_root(op) ? op.recv.data() : grow(result_, bytes_of_count(op), device_);
  ::gloo::ReduceOptions options(mesh_.context());
  options.setRoot(op.peer);
  options.setReduceFunction(reduction_of(op));
  if (op.op == RedOp::mulsum) multiply(out, op, op.count);
  set_elements(options, op, out);
  ::gloo::reduce(options);
  if (is_root(op)) finish_average(op, out, nranks());
}

void GlooCommunicator::reduce_scatter(const Op& op) {
  Op steps = op;
  steps.op = step_of(op.op);
  const auto n = static_cast<std::size_t>(nranks());
  if (op.op == RedOp::mulsum) {
    std::byte* const multiplied = grow(input_, n * bytes_of_count(op), device_);
    multiply(multiplied, op, n * op.count);
    steps.send = {multiplied, n * bytes_of_count(op)};
  }
  linerate::gloo::reduce_scatter(*mesh_.context(), steps,
                                 grow(result_, reduce_scatter_scratch(op, nranks()), device_));
  finish_average(op, op.recv.data(), nranks());
}

void GlooCommunicator::all_gather(const Op& op) {
  const std::size_t bytes = bytes_of_count(op);
  ::gloo::AllgatherOptions options(mesh_.context());
  if (op.send.data() != op.recv.data() + block_at(op, rank()))
    options.setInput(memory(op.send), bytes);
  options.setOutput(memory(op.recv), static_cast<std::size_t>(nranks()) * bytes);
  ::gloo::allgather(options);
}

void GlooCommunicator::broadcast(const Op& op) {
  ::gloo::BroadcastOptions options(mesh_.context());
  options.setRoot(op.peer);
  if (is_root(op) && !in_place(op)) options.setInput(memory(op.send), bytes_of_count(op));
  options.setOutput(memory(op.recv), bytes_of_count(op));
  ::gloo::broadcast(options);
}

void GlooCommunicator::all_to_all(const Op& op) {
  const std::size_t bytes = static_cast<std::size_t>(nranks()) * bytes_of_count(op);
  ConstView send = op.send;
  if (in_place(op)) {
    std::memcpy(grow(input_, bytes, device_), op.send.data(), bytes);
    send = input_.view(0, bytes);
  }
  ::gloo::AlltoallOptions options(mesh_.context());
  options.setInput(memory(send), bytes);
  options.setOutput(memory(op.recv), bytes);
  ::gloo::alltoall(options);
}

void GlooCommunicator::gather(const Op& op) {
  const std::size_t bytes = bytes_of_count(op);
  ::gloo::GatherOptions options(mesh_.context());
  options.setRoot(op.peer);
  options.setInput(memory(op.send), bytes);
  if (is_root(op)) options.setOutput(memory(op.recv), static_cast<std::size_t>(nranks()) * bytes);
  ::gloo::gather(options);
}

void GlooCommunicator::scatter(const Op& op) {
  ::gloo::ScatterOptions options(mesh_.context());
  options.setRoot(op.peer);
  if (is_root(op)) {
    std::vector<char*> blocks;
    blocks.reserve(static_cast<std::size_t>(nranks()));
    for (int r = 0; r < nranks(); ++r) blocks.push_back(memory(op.send.subspan(block_at(op, r))));
    options.setInputs(blocks, bytes_of_count(op));
  }
  options.setOutput(memory(op.recv), bytes_of_count(op));
  ::gloo::scatter(options);
}

Bytes GlooCommunicator::gather_from_all(ConstView mine) {
  Bytes all(static_cast<std::size_t>(nranks()) * mine.size());
  run({.kind = OpKind::all_gather,
       .send = mine,
       .recv = all,
       .count = mine.size(),
       .type = DataType::uint8});
  return all;
}

// A new mesh, whose addresses travel over the old one. Those of all groups travel in one
// all_gather, each padded to the longest that there may be.
std::unique_ptr<Communicator> GlooCommunicator::split(int color, int key) {
  try {
    const SplitChoice mine{color, key};
    const auto choices = choices_in(gather_from_all(std::as_bytes(std::span(&mine, 1))));
    const auto group = color < 0 ? std::vector{rank()} : split_group(choices, rank());
    const auto place = static_cast<int>(std::ranges::find(group, rank()) - group.begin());
    Mesh part({mesh_.own().device, place, static_cast<int>(group.size())}, {});
    Bytes addresses = part.addresses();
    const auto used = static_cast<std::ptrdiff_t>(addresses.size());
    const auto longest = static_cast<std::ptrdiff_t>(Mesh::max_address_bytes(nranks()));
    addresses.resize(static_cast<std::size_t>(longest));
    const auto all = gather_from_all(addresses);
    std::vector<Bytes> all_addresses;
    all_addresses.reserve(group.size());
    for (const int member : group)
      all_addresses.emplace_back(all.begin() + longest * member,
                                 all.begin() + longest * member + used);
    part.connect(all_addresses);
    ::gloo::BarrierOptions all_connected(mesh_.context());
    ::gloo::barrier(all_connected);  // who fails from now on breaks no connecting of others
    if (color < 0) return nullptr;
    return std::make_unique<GlooCommunicator>(device_, std::move(part));
  } catch (...) {
    give_up("split");
  }
}

}  // namespace linerate::gloo
