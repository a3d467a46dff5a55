#include "backends/gloo/gloo_backend.h"

#include "backends/gloo/addresses.h"
#include "backends/gloo/failure.h"
#include "backends/gloo/gloo_communicator.h"
#include "base/error.h"
#include "devices/cpu/cpu_device.h"
#include "launch/quiet_thread.h"

#include <fmt/format.h>

#include <gloo/config.h>
#include <net/if.h>
#include <sys/resource.h>

#include <cassert>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace linerate::gloo {
namespace {

// Each two ranks have a connection, and the usual limit of a process is 1024 descriptors.
void allow_most_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// "lo, eth0".
std::string interface_names() {
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> all(if_nameindex(),
                                                                                 if_freenameindex);
  std::string names;
  for (const auto* one = all.get(); one != nullptr && one->if_index != 0; ++one)
    names += (names.empty() ? "" : ", ") + std::string(one->if_name);
  return names;
}

class GlooBackend final : public Backend {
 public:
  GlooBackend(const Clock& clock, std::optional<std::string> interface)
      : clock_(clock), interface_(std::move(interface)) {}

  std::string_view name() const override { return "gloo"; }
  std::string version() const override {
    return fmt::format("Gloo {}.{}.{}", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR, GLOO_VERSION_PATCH);
  }
  Capabilities capabilities() const override { return {}; }
  std::unique_ptr<Device> open_device(int local_index) override {
    return make_cpu_device(local_index, clock_);
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& bootstrap,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    assert(local.size() == 1);
    auto device = tcp_device(bootstrap, options.deadline);
    std::vector<std::unique_ptr<Communicator>> made;
    try {
      Mesh mesh({std::move(device), bootstrap.rank(), bootstrap.nranks()}, options.deadline);
      mesh.connect(bootstrap.all_gather(mesh.addresses(), options.deadline));
      bootstrap.barrier(options.deadline);  // who fails from now on breaks no connecting of others
      made.push_back(std::make_unique<GlooCommunicator>(*local.front(), std::move(mesh)));
    } catch (...) {
      rethrow_as_error(interface_ ? "connecting with GLOO_SOCKET_IFNAME=" + *interface_
                                  : "connecting");
    }
    return made;
  }

 private:
  std::shared_ptr<TcpDevice> tcp_device(Bootstrap& bootstrap, const Deadline& deadline) {
    const auto address = find_address(bootstrap, deadline);
    if (!address && !interface_)
      throw Unavailable(
          fmt::format("The gloo backend finds no network between the hosts: no interface of {} "
                      "leads to the others. Name the right one in GLOO_SOCKET_IFNAME.",
                      bootstrap.place().hostname));
    const std::lock_guard lock(mutex_);
    if (!device_) {
      allow_most_descriptors();
      device_ = make_device(address.value_or(""), bootstrap.place().hostname);
    }
    return device_;
  }

  std::shared_ptr<TcpDevice> make_device(const std::string& address,
                                         const std::string& hostname) const {
    ::gloo::transport::tcp::attr wanted;
    wanted.hostname = address;
    wanted.iface = interface_.value_or("");
    const SignalsBlocked blocked;
    try {
      return std::make_shared<TcpDevice>(::gloo::transport::tcp::CreateDeviceAttr(wanted));
    } catch (const std::exception& error) {
      if (!interface_) rethrow_as_error("opening " + address);
      throw Error(
          fmt::format("GLOO_SOCKET_IFNAME={} cannot be used on {}: {}. Name an interface that has "
                      "an address, of {}.",
                      *interface_, hostname, without_source(error.what()), interface_names()),
          ExitCode::usage);
    }
  }

  const Clock& clock_;
  const std::optional<std::string> interface_;
  std::mutex mutex_;
  std::shared_ptr<TcpDevice> device_;  // of the process: one thread moves all its ranks' data
};

}  // namespace

std::unique_ptr<Backend> make_gloo_backend(const Clock& clock, const Environment& environment) {
  auto interface = environment.get("GLOO_SOCKET_IFNAME");
  if (interface && interface->empty()) interface.reset();
  return std::make_unique<GlooBackend>(clock, std::move(interface));
}

}  // namespace linerate::gloo
