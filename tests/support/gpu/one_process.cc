// See one_process.h.
#include "support/gpu/one_process.h"

#include "base/error.h"
#include "base/wire.h"

#include <unistd.h>

#include <utility>

namespace linerate {
namespace {

void require_one_process(Bootstrap& members, const Deadline& deadline) {
  WireWriter mine;
  mine.put(::getpid());
  for (const auto& bytes : members.all_gather(mine.bytes(), deadline))
    if (WireReader(bytes).get<pid_t>() != ::getpid())
      throw Unavailable(
          "The fakes of GPUs are within one process, whose memory no other sees: give -t and -g "
          "instead of several processes.");
}

class OneProcess final : public Backend {
 public:
  explicit OneProcess(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  std::string version() const override { return inner_->version(); }
  int nccl_version() const override { return inner_->nccl_version(); }
  Capabilities capabilities() const override { return inner_->capabilities(); }
  std::unique_ptr<Device> open_device(int local_index) override {
    return inner_->open_device(local_index);
  }
  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& members,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    require_one_process(members, options.deadline);
    return inner_->connect(members, local, options);
  }
  std::vector<std::unique_ptr<Communicator>> split(std::span<const SplitRequest> local) override {
    return inner_->split(local);
  }
  std::string hang_report() override { return inner_->hang_report(); }
  std::unique_ptr<Group> group() override { return inner_->group(); }

 private:
  const std::unique_ptr<Backend> inner_;
};

}  // namespace

std::unique_ptr<Backend> within_one_process(std::unique_ptr<Backend> backend) {
  return std::make_unique<OneProcess>(std::move(backend));
}

}  // namespace linerate
