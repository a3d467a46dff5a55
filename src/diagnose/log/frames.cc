// Each form is read by the hexadecimal address that a frame has.
#include "diagnose/log/frames.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::logs {
namespace {

using std::string_view;
constexpr auto kNotFound = string_view::npos;

struct Parts {
  string_view file{};      // of a library or program, without its folders
  string_view function{};  // empty: not known
  string_view source{};    // "post.c:9"; empty: not known
};

string_view base_name(string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1: 0

bool is_hex(string_view text) {
  return text.size() > 2 && text.starts_with("0x") &&
         text.find_first_not_of("0123456789abcdefABCDEF", 2) == kNotFound;
}

// Open MPI's and glibc's "/lib/libx.so(f+0x1f) [0x7f12]", "solver[0x43c5d2]".
std::optional<Parts> bracketed(string_view line) {
  const auto open = line.rfind('[');
  if (!line.ends_with(']') || open == kNotFound ||
      !is_hex(line.substr(open + 1, line.size() - open - 2)))
    return {};
  if (line.substr(0, open).ends_with(' ') && !trim(line.substr(0, open)).ends_with(')')) return {};
  auto path = trim(line.substr(0, open));
  Parts parts;
  if (path.ends_with(')')) {
    const auto call = path.rfind('(');
    if (call == kNotFound) return {};
    parts.function = path.substr(call + 1, path.size() - call - 2);
    parts.function = parts.function.substr(0, parts.function.rfind('+'));
    path = path.substr(0, call);
  }
  path = path.substr(path.find_last_of(" \t") + 1);
  parts.file = base_name(path);
  if (parts.file.empty() || parts.file.ends_with(']') || parts.file.ends_with(':')) return {};
  return parts;
}

// UCX's " 2 0x00000000000012d8 uct_post()  /build/post.c:9".
std::optional<Parts> numbered(string_view line) {
  const auto at = line.find(" 0x");
  if (at == kNotFound) return {};
  const auto address = line.substr(at + 1, line.find(' ', at + 1) - at - 1);
  const auto rest = trim(line.substr(at + 1 + address.size()));
  const auto end = rest.find("()");
  if (!is_hex(address) || end == kNotFound || rest.substr(0, end).find(' ') != kNotFound) return {};
  return Parts{.function = rest.substr(0, end), .source = base_name(trim(rest.substr(end + 2)))};
}

// PyTorch's "frame #2: f(int) + 0x1f (0x7f12 in /lib/libx.so)".
std::optional<Parts> of_pytorch(string_view line) {
  const auto at = line.find("frame #");
  const auto begin = line.find(": ", at == kNotFound ? line.size() : at);
  const auto end = line.rfind(" + 0x"), in = line.rfind(" in ");
  if (begin == kNotFound || end == kNotFound || in == kNotFound || end < begin + 2 || in < end)
    return {};
  const auto path = line.substr(in + 4);
  return Parts{.file = base_name(path.substr(0, path.rfind(')'))),
               .function = line.substr(begin + 2, end - begin - 2)};
}

template <std::size_t Size>
bool begins_with_any(string_view text, const std::array<string_view, Size>& words) {
  return std::ranges::any_of(words, [=](auto word) { return text.starts_with(word); });
}

// What stands above the frame that crashed.
bool is_of_system(const Parts& parts) {
  static constexpr std::array<string_view, 10> kLibraries{
      "libc.so",    "libc-2",   "libpthread", "ld-linux", "ld-2",
      "linux-vdso", "libgcc_s", "libstdc++",  "libasan",  "libgfortran"};
  static constexpr std::array<string_view, 23> kFunctions{
      "mxm_handle_error", "mxm_error_", "ucs_handle_error",
      "ucs_debug",        "ucs_error_", "ucs_fatal",
      "killpg",           "gsignal",    "__GI_",
      "__libc_",          "__restore",  "__kernel",
      "sigaction",        ".annobin",   "funlockfile",
      "__funlock",        "__mem",      "__str",
      "c10::Error:",      "_int_",      "c10::detail::",
      "_start",           "__sig"};
  static constexpr std::array<string_view, 7> kWhole{"raise", "abort",  "malloc", "free",
                                                     "cfree", "memcpy", "memmove"};
  return begins_with_any(parts.file, kLibraries) || begins_with_any(parts.function, kFunctions) ||
         std::ranges::find(kWhole, parts.function) != kWhole.end() ||
         (parts.file.starts_with("libucs.") && parts.function.empty());
}

// "mca_btl_tcp.so" or "mca_btl_tcp_send": Open MPI's component and its framework.
std::string component_remedy(string_view name) {
  static constexpr std::array<string_view, 4> kFrameworks{"mca_btl_", "mca_pml_", "mca_mtl_",
                                                          "mca_osc_"};
  if (!begins_with_any(name, kFrameworks)) return {};
  constexpr std::size_t kPrefix = 8;  // of each framework
  const auto component = name.substr(kPrefix, name.find_first_of("_.", kPrefix) - kPrefix);
  if (component == "base") return {};
  return fmt::format("mpirun --mca {} ^{} leaves it out", name.substr(4, 3), component);
}

std::string remedy_for(const Parts& parts) {
  static constexpr std::array<string_view, 5> kUcx{"libucp", "libuct", "libucs", "uct_", "ucp_"};
  static constexpr std::array<string_view, 6> kFabric{"libfabric", "psmx", "rxm_",
                                                      "cxip_",     "vrb_", "efa_rdm"};
  for (const auto name : {parts.file, parts.function}) {
    if (auto remedy = component_remedy(name); !remedy.empty()) return remedy;
    if (begins_with_any(name, kUcx)) return "UCX_TLS=tcp,self takes other transports of UCX";
    if (begins_with_any(name, kFabric) || name.find("-fi.so") != kNotFound)
      return "FI_PROVIDER=tcp takes another provider of libfabric";
    if (name.starts_with("jl_gc_") || name.starts_with("jl_safepoint"))
      return "UCX_ERROR_SIGNALS=SIGILL,SIGBUS,SIGFPE leaves SIGSEGV to Julia, which stops threads "
             "by it";
    if (name.starts_with("libpsm"))
      return "mpirun --mca mtl ^psm,psm2 or FI_PROVIDER=tcp leaves it out";
  }
  return {};
}

std::string place_text(const Parts& parts) {
  constexpr std::size_t kMost = 80;
  const auto inner = parts.file.empty() ? parts.source : parts.function;
  const auto outer = parts.file.empty() ? parts.function : parts.file;
  auto text = shortened(plain_text(outer), kMost);
  if (!inner.empty()) text += fmt::format(" ({})", shortened(plain_text(inner), kMost));
  return text;
}

}  // namespace

std::optional<Frame> frame_in(string_view line) {
  auto parts = bracketed(line);
  if (!parts) parts = of_pytorch(line);
  if (!parts) parts = numbered(line);
  if (!parts || is_of_system(*parts)) return {};
  return Frame{.place = place_text(*parts), .remedy = remedy_for(*parts)};
}

}  // namespace linerate::logs
