// Checks the text, lets a copy of this process read it, and only then reads it here.
#include "base/child_signal.h"
#include "base/file.h"
#include "topo/detect/hwloc_system.h"
#include "topo/read/xml_file.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace linerate::topo {
namespace {

constexpr int kYes = 10, kNo = 11;  // exit codes that no other end of a process has

// Sanitizers reserve terabytes, so that only growth can be limited. 0: not known.
std::size_t address_space_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void lower_limit(int resource, rlim_t most) {
  const rlimit limit{most, most};
  (void)::setrlimit(resource, &limit);
}

// Its end is ours to tell, not that of handlers or of a core file.
void become_silent() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT})
    (void)std::signal(signal, SIG_DFL);
  lower_limit(RLIMIT_CORE, 0);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) (void)::dup2(nowhere, STDERR_FILENO);
}

void stay_within(const TrialLimits& limits, std::size_t begun_with_bytes) {
  lower_limit(RLIMIT_CPU, limits.seconds);
  if (begun_with_bytes > 0) lower_limit(RLIMIT_AS, begun_with_bytes + limits.more_bytes);
}

}  // namespace

Trial try_apart(const std::function<bool()>& what, const TrialLimits& limits) {
  const auto bytes = address_space_bytes();
  const DefaultChildSignal keeps_codes;
  const auto child = ::fork();
  if (child < 0) return Trial::yes;
  if (child == 0) {
    become_silent();
    stay_within(limits, bytes);
    // An exception ends the child where it is: nothing of its caller may run twice.
    const auto answer = [&]() noexcept { return what(); };
    ::_exit(answer() ? kYes : kNo);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Trial::yes;
  if (!WIFEXITED(status)) return Trial::broke;
  if (WEXITSTATUS(status) == kNo) return Trial::no;
  return WEXITSTATUS(status) == kYes ? Trial::yes : Trial::broke;
}

namespace {

constexpr std::size_t kMaxHwlocBytes = std::size_t{64} << 20;

// The major version that the root element names; 1 where it names none, as hwloc 1 did.
int version_of(std::string_view text) {
  constexpr std::string_view kRoot = "<topology", kVersion = "version=\"";
  const auto root = text.find(kRoot);
  if (root == std::string_view::npos) return 0;
  const auto element = text.substr(root, text.find('>', root) - root);
  const auto version = element.find(kVersion);
  if (version == std::string_view::npos) return 1;
  const auto digit = element.find_first_of("123456789", version + kVersion.size());
  return digit == version + kVersion.size() ? element[digit] - '0' : 0;
}

// The topology in `text`; null where hwloc cannot read it.
HwlocTopology parse(const std::string& text) {
  return load_hwloc([&](hwloc_topology_t topology) {
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    const auto size = static_cast<int>(text.size()) + 1;  // hwloc counts the zero at the end
    return hwloc_topology_set_xmlbuffer(topology, text.c_str(), size) == 0;
  });
}

// Numbers of processors and memory nodes are bits of hwloc's sets: one that is too large, or none,
// which counts as the largest, costs gigabytes.
std::optional<Failure> wrong_number(const XmlFile& file) {
  constexpr unsigned long long kMax = 1ULL << 20;
  for (const auto& found : file.document().select_nodes("//object")) {
    const auto object = found.node();
    const std::string_view type = object.attribute("type").value();
    const bool needed = type == "PU" || type == "NUMANode";
    const auto number = object.attribute("os_index");
    if (number ? number.as_ullong() > kMax : needed)
      return file.failure(file.line_of(object),
                          fmt::format("os_index of <object> is '{}': a whole number up to {} is "
                                      "needed.",
                                      shown_text(number.value()), kMax));
  }
  return std::nullopt;
}

// hwloc does not tell where it stumbles, and trusts what it reads: text that is no XML does not
// come to it, and another process reads the file first.
std::optional<Failure> why_not(const std::string& text, const std::string& path) {
  constexpr XmlLimits kLimits{
      .bytes = kMaxHwlocBytes, .elements = std::size_t{1} << 20, .depth = 256};
  const auto file = XmlFile::parse(text, path, kLimits);
  if (!file) return file.failure();
  if (auto failure = wrong_number(*file)) return failure;
  const auto trial = try_apart([&] {
    const auto topology = parse(text);
    if (topology) (void)system_of_hwloc(topology.get()).cpus.size();
    return topology != nullptr;
  });
  if (trial == Trial::yes) return std::nullopt;
  return Failure{fmt::format("{}: hwloc {} it: it is XML, but not that of a whole machine.", path,
                             trial == Trial::no ? "cannot read" : "breaks down at")};
}

}  // namespace

System system_of_hwloc(hwloc_topology* topology) {
  System system;
  system.name = info_of(hwloc_get_root_obj(topology), "HostName");
  system.cpus = cpus_of_hwloc(topology, system.unseen);
  auto devices = devices_of_hwloc(topology, system.cpus, system.unseen);
  add_nvlinks(topology, devices, system.unseen);
  attach_devices(std::move(devices), system);
  return system;
}

Result<System> read_hwloc_xml(const std::string& text, const std::string& path) {
  constexpr int kNewestVersion = 2;
  const int version = version_of(text);
  if (version == 0)
    return Failure{fmt::format(
        "{}: it is no XML of hwloc: it has no <topology> element. lstopo FILE.xml writes one.",
        path)};
  if (version > kNewestVersion)
    return Failure{fmt::format(
        "{}: it is of hwloc's XML version {}, and hwloc {} reads up to {}. Save it with lstopo of "
        "hwloc 2.",
        path, version, HWLOC_VERSION, kNewestVersion)};
  if (const auto failure = why_not(text, path)) return *failure;
  const auto topology = parse(text);
  if (!topology) return Failure{fmt::format("{}: hwloc cannot read it.", path)};
  auto system = system_of_hwloc(topology.get());
  if (system.name.empty()) system.name = std::filesystem::path(path).stem().string();
  system.source = "hwloc's file " + path;
  return system;
}

Result<System> load_hwloc_xml(const std::string& path) {
  const auto text = read_file_or_pipe(path, kMaxHwlocBytes);
  if (!text) return Failure{fmt::format("{}: {}", path, text.sentence())};
  return read_hwloc_xml(*text, path);
}

}  // namespace linerate::topo
