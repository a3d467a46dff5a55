// See resolve.h.
#include "launch/net/resolve.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace linerate {

Result<AddressList> resolve(const SocketAddress& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const auto port = std::to_string(address.port);
  const int code = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &list);
  if (code == 0) return AddressList(list);
  return Failure{fmt::format("the host name '{}' cannot be resolved: {}", address.host,
                             code == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(code))};
}

}  // namespace linerate
