// The first reason that holds: what cannot be comes before what is not wanted.
#include "base/text.h"
#include "topo/model/predict.h"
#include "topo/search/search_rules.h"

#include <fmt/format.h>

#include <string_view>

namespace linerate::topo {
namespace {

// What the variable of that name holds; empty: it is not set.
std::string given(const TunerSettings& asked, std::string_view variable) {
  for (const auto& [name, value] : asked.given)
    if (name == variable) return fmt::format("{}={}", name, plain_text(value));
  return "";
}

class Reasons {
 public:
  Reasons(const JobShape& job, const Scheme& scheme) : job_(job), scheme_(scheme) {}

  std::string why() const {
    for (const auto& reason :
         {of_function(), of_protocol(), of_job(), of_channels(), of_lists(), of_ll128()})
      if (!reason.empty()) return reason;
    return fmt::format("NCCL {}'s model gives it no bandwidth here", text_of(job_.version));
  }

 private:
  std::string of_function() const {
    const auto function = scheme_.function;
    const bool shares = has_shares(function), all_reduce = function == Function::all_reduce;
    const bool may = scheme_.algorithm == Algorithm::ring ||
                     (scheme_.algorithm == Algorithm::pat    ? shares
                      : scheme_.algorithm == Algorithm::nvls ? shares || all_reduce
                                                             : all_reduce);
    if (!may) return fmt::format("not for {}", name_of(function));
    if (scheme_.algorithm == Algorithm::nvls && shares && job_.version < NcclVersion{2, 19, 0})
      return fmt::format("for {} since NCCL 2.19", name_of(function));
    return "";
  }

  std::string of_protocol() const {
    const bool has_all =
        scheme_.algorithm == Algorithm::ring || scheme_.algorithm == Algorithm::tree;
    return has_all || scheme_.protocol == Protocol::simple ? ""
                                                           : "there is the protocol Simple only";
  }

  std::string of_job() const {
    if (scheme_.algorithm == Algorithm::pat) {
      if (job_.version < NcclVersion{2, 23, 0}) return "since NCCL 2.23";
      return job_.nnodes == job_.nranks ? "" : "needs one GPU on each node";
    }
    if (scheme_.algorithm == Algorithm::nvls && job_.nnodes > 1)
      return "between nodes it needs reductions in the network (CollNet)";
    if (scheme_.algorithm == Algorithm::nvls_tree && job_.nnodes == 1)
      return "is for several nodes";
    constexpr int kMaxRanks = 32;
    if (scheme_.algorithm == Algorithm::nvls && has_shares(scheme_.function) &&
        job_.gpus > kMaxRanks)
      return fmt::format("for {} up to {} GPUs", name_of(scheme_.function), kMaxRanks);
    return "";
  }

  // That the search found none.
  std::string of_channels() const {
    constexpr int kWithNvls = 90;
    if (!is_nvls(scheme_.algorithm)) {
      return job_.of(scheme_.algorithm).nchannels() > 0 ? "" : "no channels were found";
    }
    if (!job_.asked.channels.nvls) return given(job_.asked, "NCCL_NVLS_ENABLE");
    if (!job_.nvswitch) return "needs NVSwitches";
    if (job_.nnodes > 1 && !search_rules(job_.version).nvls_between_nodes)
      return fmt::format("NCCL {} has it on one node alone", text_of(job_.version));
    if (job_.min_sm < kWithNvls) return "needs GPUs of compute capability 9.0 or newer";
    return job_.of(scheme_.algorithm).nchannels() > 1 ? ""
                                                      : "needs two channels, and GPUs, or more";
  }

  std::string of_lists() const {
    if (!uses_algorithm(job_, scheme_)) return given(job_.asked, "NCCL_ALGO");
    const auto use = job_.asked.use_of(scheme_.function, scheme_.protocol);
    return use == ProtocolUse::off ? given(job_.asked, "NCCL_PROTO") : "";
  }

  std::string of_ll128() const {
    if (scheme_.protocol != Protocol::ll128 || uses_protocol(job_, scheme_)) return "";
    const auto& set = job_.of(scheme_.algorithm);
    if (nearer(PathType::nvb, set.intra_type, job_.version))
      return fmt::format("needs NVLink between GPUs, and the paths are {}",
                         name_of(set.intra_type));
    if (job_.min_sm != job_.max_sm) return "GPUs are of several compute capabilities";
    if (job_.nnodes > 1 && nearer(PathType::pxb, set.inter_type, job_.version))
      return fmt::format("needs nearer NICs than {}", name_of(set.inter_type));
    return fmt::format("NCCL {} does not use it on compute capability {}.{}", text_of(job_.version),
                       job_.min_sm / 10, job_.min_sm % 10);
  }

  const JobShape& job_;
  const Scheme& scheme_;
};

}  // namespace

std::string why_unused(const Predictor& predictor, const Scheme& scheme, const Reduced& what) {
  if (!predictor.cost(scheme, what).usable()) return Reasons(predictor.job(), scheme).why();
  if (can_reduce(scheme, what)) return "";
  return is_nvls(scheme.algorithm) ? "NVSwitches do not reduce this type with this operator"
                                   : "does not scale, as this operator does";
}

}  // namespace linerate::topo
