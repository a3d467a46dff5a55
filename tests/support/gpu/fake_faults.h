// What goes wrong in the fake NCCL, and in the copies of fake GPUs, on request.
#pragma once

#include <cstdint>
#include <string_view>

namespace linerate::nccl {

// Of one rank, from its call number `call` on (counted from 1; 0: initialisation). As of the real
// NCCL, a call hangs that an error of its threads befell (async_error); late_error is told after
// calls that came to their end. The kinds with copies are memcpy_perf's, of one GPU and its copy
// number `call`, but copy_wrong, which is of all.
struct FakeFault {
  enum class Kind {
    none,
    init_fails,
    init_hangs,
    call_fails,
    call_hangs,
    async_error,
    late_error,
    copy_fails,
    copy_hangs,
    copy_wrong
  } kind{};
  int rank = -1;
  std::uint64_t call = 0;
};

// "KIND=RANK" or "KIND=RANK:CALL", such as "call_hangs=1:40"; empty: all is well. Ends the process
// with a sentence where it cannot be read.
void set_fake_faults(std::string_view text);
FakeFault fake_fault();

// Whether the environment has NAME=0, as NCCL reads it.
bool switched_off(const char* name);

}  // namespace linerate::nccl
