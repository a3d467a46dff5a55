// getaddrinfo's codes are told apart by whether asking again may help.
#include "launch/net/resolve.h"

#include "base/error.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace linerate {
namespace {

struct Answer {
  int code = 0;  // of getaddrinfo
  AddressList list{};
  std::string sentence{};
};

Answer ask(const SocketAddress& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const auto port = std::to_string(address.port);
  const int code = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &list);
  if (code == 0) return {.list = AddressList(list)};
  return {.code = code,
          .sentence = fmt::format("the host name '{}' cannot be resolved: {}", address.host,
                                  code == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(code))};
}

bool may_help_to_ask_again(int code) {
  return code == EAI_AGAIN || code == EAI_SYSTEM || code == EAI_MEMORY;
}

}  // namespace

Result<AddressList> resolve(const SocketAddress& address, int flags) {
  auto answer = ask(address, flags);
  if (answer.code == 0) return std::move(answer.list);
  return Failure{std::move(answer.sentence)};
}

void await_name(const std::string& host, const Deadline& deadline) {
  constexpr int kPauseMs = 500;
  for (;;) {
    const auto answer = ask({host, 0}, 0);
    if (answer.code == 0) return;
    if (!may_help_to_ask_again(answer.code)) throw Error(answer.sentence, ExitCode::usage);
    if (deadline.passed()) throw TimeoutError(answer.sentence);
    const int left_ms = deadline.bounded() ? deadline.poll_ms() : kPauseMs;
    (void)::poll(nullptr, 0, std::min(left_ms, kPauseMs));
  }
}

}  // namespace linerate
