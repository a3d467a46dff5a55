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

// Within a group NCCL fills the handle in at the group's end, so this object must not move.
class Window final : public Registration {
 public:
  Window(std::shared_ptr<Endpoint> endpoint, const cuda::CudaApi& cuda, const Buffer& buffer)
      : endpoint_(std::move(endpoint)), cuda_(cuda) {
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

  // The handle of a window is an address in the GPU's memory. Where there is no symmetric memory it
  // is null, or with 2.28 an object of the host, a local registration. With 2.27 it always is one
  // of the host, so that only the environment tells.
  bool effective() const override {
    if (window_ == nullptr) return false;
    if (endpoint_->api().version < NCCL_VERSION(2, 28, 0)) return !is_off("NCCL_WIN_ENABLE");
    cudaPointerAttributes attributes{};
    const cudaError_t code = cuda_.pointer_get_attributes(&attributes, window_);
    return code == cudaSuccess && attributes.type == cudaMemoryTypeDevice;
  }

 private:
  const std::shared_ptr<Endpoint> endpoint_;
  const cuda::CudaApi& cuda_;
  ncclWindow_t window_ = nullptr;
};

}  // namespace

void require_registration(const NcclApi& api, RegistrationKind kind) {
  if (kind == RegistrationKind::symmetric)
    return require_version(api, NCCL_VERSION(2, 27, 0), "-R 2");
  require_version(api, NCCL_VERSION(2, 19, 0), "-R 1");
}

std::unique_ptr<Registration> make_registration(std::shared_ptr<Endpoint> endpoint,
                                                const cuda::CudaApi& cuda, const Buffer& buffer,
                                                RegistrationKind kind) {
  require_registration(endpoint->api(), kind);
  if (kind == RegistrationKind::symmetric)
    return std::make_unique<Window>(std::move(endpoint), cuda, buffer);
  return std::make_unique<LocalRegistration>(std::move(endpoint), buffer);
}

}  // namespace linerate::nccl
