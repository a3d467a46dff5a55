// Back traces of crashes: which library or program a frame lies in, and which setting leaves it
// out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linerate::logs {

struct Frame {
  std::string place{};   // "mca_btl_tcp.so (mca_btl_tcp_send)", "uct_post (post.c:9)", "solver"
  std::string remedy{};  // of a transport of MPI: "--mca btl ^tcp leaves it out"; else empty
};

// Of a line in the form of Open MPI, UCX, glibc or PyTorch. None: the line is no frame, or one of
// the C library or of a handler of signals, above which every crash stands.
std::optional<Frame> frame_in(std::string_view line);

}  // namespace linerate::logs
