// See thread_probe.h.
#include "bench/expect/thread_probe.h"

#include "base/pages.h"
#include "bench/probe/parts.h"

namespace linerate {
namespace {

// Of one buffer in a pass: with its fellow at 5 GB/s most of a millisecond, so that its beginning
// and its end do not count.
constexpr std::size_t kPartBytes = std::size_t{2} << 20;

// More than caches hold, of which it does not matter which core read or wrote it last.
constexpr std::size_t kBeyondCachesBytes = std::size_t{64} << 20;

probe::Parts parts_of_slice(std::size_t bytes) { return probe::parts_of(bytes / 2, kPartBytes); }

}  // namespace

ThreadProbe::ThreadProbe(Session& session, std::size_t most_bytes) : session_(session) {
  auto& local = session.ranks().front();
  send_ = local.send.view();
  recv_ = local.recv.view();
  const auto half = round_up(most_bytes / 2, kLineBytes);
  if (half <= round_up(send_.size(), kLineBytes) && send_.size() >= kLineBytes) return;
  own_ = local.device->allocate(2 * half, MemoryKind::host);
  send_ = own_.view(0, half);
  recv_ = own_.view(half, half);
}

std::size_t ThreadProbe::touched_bytes(std::size_t bytes) {
  const auto parts = parts_of_slice(bytes);
  return 2 * parts.bytes * parts.loops;
}

// All of the part, whichever kernel: its send half in b and c, its recv half in a and d.
void ThreadProbe::run_once(const probe::Kernel& kernel, std::size_t offset, std::size_t bytes) {
  const auto send = send_.subspan(offset, bytes), recv = recv_.subspan(offset, bytes);
  if (kernel.name.ends_with("combine"))
    return kernel.run({.a = recv.first(bytes / 2),
                       .b = send.first(bytes / 2),
                       .c = send.last(bytes / 2),
                       .d = recv.last(bytes / 2)});
  kernel.run({.a = recv, .b = send, .c = {}});
  const bool takes_both =
      kernel.name.ends_with("copy") || kernel.name == "merge" || kernel.name == "read_both";
  if (!takes_both) kernel.run({.a = send, .b = {}, .c = {}});
}

void ThreadProbe::time_pass(const probe::Kernel& kernel, std::size_t bytes, ProbeCompany company) {
  const auto parts = parts_of_slice(bytes);
  const auto offset = next_part_++ % parts.count * parts.bytes;
  if (company == ProbeCompany::all_threads) session_.ranks().front().world->barrier();
  ClockSpan span{.start_ns = session_.clock().now_ns()};
  for (std::size_t loop = 0; loop < parts.loops; ++loop) run_once(kernel, offset, parts.bytes);
  span.end_ns = session_.clock().now_ns();
  spans_.push_back(span);
  // What went past the caches must take its room there, or the next part would still be in them.
  if (kernel.name.starts_with("nt_")) run_once(*probe::find_kernel("read"), offset, parts.bytes);
}

void ThreadProbe::measure(std::size_t bytes, ProbeCompany company) {
  const auto now_ns = session_.clock().now_ns();
  spans_ = {{.start_ns = now_ns, .end_ns = now_ns}};
  next_part_ = 0;
  const auto parts = parts_of_slice(bytes);
  const bool is_all = parts.bytes * (parts.count + 1) > send_.size();
  const bool fits_caches = bytes < kBeyondCachesBytes;
  const std::string_view touch = fits_caches ? "update" : "read";
  if (fits_caches || !is_all) run_once(*probe::find_kernel(touch), 0, parts.bytes * parts.count);
  for (const auto& pass : kProbePasses)
    for (int repeat = 0; repeat < kProbeRepeats; ++repeat)
      time_pass(*probe::find_kernel(pass.kernel), bytes, company);
}

}  // namespace linerate
