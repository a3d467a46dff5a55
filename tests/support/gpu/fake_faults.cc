// See fake_faults.h.
#include "support/gpu/fake_faults.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

namespace linerate::nccl {
namespace {

using Kind = FakeFault::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 9> kKinds{
    {{"init_fails", Kind::init_fails},
     {"init_hangs", Kind::init_hangs},
     {"call_fails", Kind::call_fails},
     {"call_hangs", Kind::call_hangs},
     {"async_error", Kind::async_error},
     {"late_error", Kind::late_error},
     {"copy_fails", Kind::copy_fails},
     {"copy_hangs", Kind::copy_hangs},
     {"copy_wrong", Kind::copy_wrong}}};

std::mutex mutex;
FakeFault current;

}  // namespace

void set_fake_faults(std::string_view text) {
  const std::lock_guard lock(mutex);
  current = {};
  if (text.empty()) return;
  const auto equals = text.find('=');
  for (const auto& [name, kind] : kKinds)
    if (text.substr(0, equals) == name) current.kind = kind;
  if (current.kind == Kind::none || equals == std::string_view::npos) {
    std::fprintf(stderr, "LINERATE_FAKE_NCCL: no such fault\n");
    std::abort();
  }
  const std::string numbers(text.substr(equals + 1));
  char* end = nullptr;
  current.rank = static_cast<int>(std::strtol(numbers.c_str(), &end, 10));
  current.call = *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1;
}

bool switched_off(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && std::string_view(text) == "0";
}

FakeFault fake_fault() {
  const std::lock_guard lock(mutex);
  return current;
}

}  // namespace linerate::nccl
