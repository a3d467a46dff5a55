#include "backends/nccl/registration.h"

#include "backends/nccl/comm_config.h"

namespace linerate::nccl {
namespace {

// NCCL leaves the handle null where it registers nothing, as with NCCL_LOCAL_REGISTER=0.
class LocalRegistration final : public Registration {
 public:
  LocalRegistration(std::shared_ptr<Endpoint> endpoint, const Buffer& buffer)
      : endpoint_(std::move(endpoint)) {
    endpoint_->check(
        endpoint_->api().comm_register(endpoint_->comm(), buffer.data(), buffer.bytes(), &handle_),
        "ncclCommRegister");
  }
  ~LocalRegistration() override {
    if (effective() && !endpoint_->aborted())
      (void)endpoint_->api().comm_deregister(endpoint_->comm(), handle_);
  }
  bool effective() const override { return handle_ != nullptr; }

 private:
  const std::shared_ptr<Endpoint> endpoint_;
  void* handle_ = nullptr;
};

// Where there is no symmetric memory the handle of a window is null, but with 2.28.3 to 2.28.9 it
// is that of a local registration, and no call tells.
bool hides_lack_of_symmetric_memory(int version) {
  const bool pretends = version >= NCCL_VERSION(2, 28, 3) && version < NCCL_VERSION(2, 29, 0);
  return pretends && (is_off("NCCL_CUMEM_ENABLE") || is_off("NCCL_WIN_ENABLE"));
}

// Within a group NCCL fills the handle in at the group's end, so this object must not move.
class Window final : public Registration {
 public:
  Window(std::shared_ptr<Endpoint> endpoint, const Buffer& buffer)
      : endpoint_(std::move(endpoint)) {
    endpoint_->check(
        endpoint_->api().comm_window_register(endpoint_->comm(), buffer.data(), buffer.bytes(),
                                              &window_, NCCL_WIN_COLL_SYMMETRIC),
        "ncclCommWindowRegister");
    endpoint_->windows().add(buffer.view(), &window_);
  }
  ~Window() override {
    endpoint_->windows().remove(&window_);
    if (window_ != nullptr && !endpoint_->aborted())
      (void)endpoint_->api().comm_window_deregister(endpoint_->comm(), window_);
  }
  bool effective() const override {
    return window_ != nullptr && !hides_lack_of_symmetric_memory(endpoint_->api().version);
  }

 private:
  const std::shared_ptr<Endpoint> endpoint_;
  ncclWindow_t window_ = nullptr;
};

}  // namespace

void require_registration(const NcclApi& api, RegistrationKind kind) {
  if (kind == RegistrationKind::symmetric)
    return require_version(api, NCCL_VERSION(2, 27, 0), "-R 2");
  require_version(api, NCCL_VERSION(2, 19, 0), "-R 1");
}

std::unique_ptr<Registration> make_registration(std::shared_ptr<Endpoint> endpoint,
                                                const Buffer& buffer, RegistrationKind kind) {
  require_registration(endpoint->api(), kind);
  if (kind == RegistrationKind::symmetric)
    return std::make_unique<Window>(std::move(endpoint), buffer);
  return std::make_unique<LocalRegistration>(std::move(endpoint), buffer);
}

}  // namespace linerate::nccl
