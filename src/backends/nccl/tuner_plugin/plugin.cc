// NCCL's tuner plugin: libnccl-tuner-linerate.so, which NCCL_TUNER_PLUGIN names. Each communicator
// reads the rules of LINERATE_NCCL_TUNER (tuner_rules/rules.h), and leaves to NCCL what none of
// them says. Nothing here fails a job: what cannot be read is a warning in NCCL's log.
#include "backends/nccl/tuner_plugin/abi.h"
#include "backends/nccl/tuner_rules/rules.h"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace linerate::nccl::tuner {
namespace {

constexpr const char* kFileVariable = "LINERATE_NCCL_TUNER";
constexpr std::string_view kNcclChooses = " NCCL chooses everything itself.";

// The file's text; empty, and why in `problem`, where it cannot be read.
std::string text_of(const std::string& file, std::string& problem) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) {
    problem = failed ? failed.message() + '.' : "it is no regular file.";
    return {};
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(kMostRuleBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail())) problem = "it cannot be read.";
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// How a call was chosen.
struct Choice {
  int algorithm = kAny, protocol = kAny, channels = kAny;
};

// Of one communicator. NCCL calls it from one thread at a time.
class Tuner {
 public:
  Tuner(std::size_t nranks, std::size_t nnodes, LogFunction log)
      : nranks_(static_cast<int>(nranks)), nnodes_(static_cast<int>(nnodes)), log_(log) {}

  // The rules for as many ranks and nodes; none where the file cannot be used.
  void read() {
    const char* const given = std::getenv(kFileVariable);
    if (given == nullptr || *given == '\0')
      return say(kInfo, std::string(kFileVariable) + " is not set:" + std::string(kNcclChooses));
    const std::string file = given;
    std::string problem;
    const auto text = text_of(file, problem);
    auto all = problem.empty() ? read_rules(text) : Rules{.rules = {}, .problem = problem};
    problem = all.problem;
    if (!problem.empty()) return say(kWarn, file + ": " + problem + std::string(kNcclChooses));
    for (const auto& rule : all.rules)
      if ((rule.nodes == kAny || rule.nodes == nnodes_) &&
          (rule.ranks == kAny || rule.ranks == nranks_))
        rules_.push_back(rule);
    say(kInfo, file + ": " + std::to_string(rules_.size()) + " of " +
                   std::to_string(all.rules.size()) + " rules are for " + where() + '.');
  }

  // What a rule says of the call, if `available` has it.
  template <typename Available>
  Choice choose(int function, std::size_t bytes, const Available& available) {
    const Call call{.collective = function, .bytes = bytes, .nodes = nnodes_, .ranks = nranks_};
    const Rule* const rule = find_rule(rules_, call);
    const bool left =
        rule == nullptr || (rule->algorithm != kAny && !available(rule->algorithm, rule->protocol));
    ++(left ? left_ : chosen_);
    if (rule == nullptr) return {};
    if (told_.insert(rule->line).second) tell(*rule, bytes, left);
    return left ? Choice{} : Choice{rule->algorithm, rule->protocol, rule->channels};
  }

  void finalize() {
    say(kInfo, std::to_string(chosen_) + " calls were chosen by rules, and " +
                   std::to_string(left_) + " were left to NCCL, of " + where() + '.');
  }

 private:
  std::string where() const {
    return std::to_string(nranks_) + (nranks_ == 1 ? " rank on " : " ranks on ") +
           std::to_string(nnodes_) + (nnodes_ == 1 ? " node" : " nodes");
  }

  // A rule's first call.
  void tell(const Rule& rule, std::size_t bytes, bool left) const {
    auto text = std::string(collective_name(rule.collective)) + " of " + std::to_string(bytes) +
                " bytes: line " + std::to_string(rule.line);
    if (rule.algorithm != kAny)
      text += ", " + std::string(algorithm_name(rule.algorithm)) + " with " +
              std::string(protocol_name(rule.protocol));
    if (left) return say(kInfo, text + ", which is not available here: left to NCCL.");
    if (rule.channels != kAny) text += ", " + std::to_string(rule.channels) + " channels";
    say(kInfo, text + '.');
  }

  void say(int level, const std::string& text) const {
    if (log_ != nullptr)
      log_(level, kInitAndTuning, "linerate", 0, "TUNER/linerate: %s", text.c_str());
  }

  int nranks_, nnodes_;
  LogFunction log_;
  std::vector<Rule> rules_;
  std::set<std::size_t> told_;  // lines whose first call has been told
  std::uint64_t chosen_ = 0, left_ = 0;
};

// Nothing may pass through NCCL's frames: what fails here, such as memory, leaves all to NCCL.
template <typename Body>
int guarded(const Body& body) noexcept {
  try {
    body();
  } catch (const std::exception&) {
  }
  return kSuccess;
}

int init_v5(void** context, std::uint64_t, std::size_t nranks, std::size_t nnodes, LogFunction log,
            void*, void*) noexcept {
  if (context == nullptr) return kSuccess;
  *context = nullptr;
  return guarded([&] {
    auto tuner = std::make_unique<Tuner>(nranks, nnodes, log);
    tuner->read();
    *context = tuner.release();
  });
}

int init(std::size_t nranks, std::size_t nnodes, LogFunction log, void** context) noexcept {
  return init_v5(context, 0, nranks, nnodes, log, nullptr, nullptr);
}

// Version 2 does not tell whether LL128 is safe here, as it is only on some machines.
int choose_v2(void* context, int function, std::size_t bytes, int collnet, int nvls, int,
              int* algorithm, int* protocol, int* channels) noexcept {
  if (context == nullptr) return kSuccess;
  return guarded([&] {
    const auto available = [&](int wanted, int with) {
      const auto name = algorithm_name(wanted);
      if (name.starts_with("CollNet")) return collnet == 1;
      if (name.starts_with("NVLS")) return nvls == 1;
      return name != "PAT" && protocol_name(with) != "LL128";
    };
    const auto choice = static_cast<Tuner*>(context)->choose(function, bytes, available);
    if (choice.algorithm != kAny) {
      *algorithm = choice.algorithm;
      *protocol = choice.protocol;
    }
    if (choice.channels != kAny) *channels = choice.channels;
  });
}

int choose_v3(void* context, int function, std::size_t bytes, int, float** costs, int nalgorithms,
              int nprotocols, int* channels) noexcept {
  if (context == nullptr || costs == nullptr) return kSuccess;
  return guarded([&] {
    auto* const cells = reinterpret_cast<float*>(costs);
    const auto available = [&](int algorithm, int protocol) {
      return algorithm < nalgorithms && protocol < nprotocols &&
             cells[algorithm * nprotocols + protocol] >= 0;
    };
    const auto choice = static_cast<Tuner*>(context)->choose(function, bytes, available);
    if (choice.algorithm != kAny) cells[choice.algorithm * nprotocols + choice.protocol] = 0;
    if (choice.channels != kAny) *channels = choice.channels;
  });
}

int choose_v4(void* context, int function, std::size_t bytes, int operations, float** costs,
              int nalgorithms, int nprotocols, int, int* channels) noexcept {
  return choose_v3(context, function, bytes, operations, costs, nalgorithms, nprotocols, channels);
}

int finalize(void* context) noexcept {
  const std::unique_ptr<Tuner> tuner(static_cast<Tuner*>(context));
  return tuner == nullptr ? kSuccess : guarded([&] { tuner->finalize(); });
}

}  // namespace
}  // namespace linerate::nccl::tuner

namespace tuner = linerate::nccl::tuner;

extern "C" {
__attribute__((visibility("default"))) extern const tuner::EntryPointsV2 ncclTunerPlugin_v2;
__attribute__((visibility("default"))) extern const tuner::EntryPointsV3 ncclTunerPlugin_v3;
__attribute__((visibility("default"))) extern const tuner::EntryPointsV4 ncclTunerPlugin_v4;
__attribute__((visibility("default"))) extern const tuner::EntryPointsV5 ncclTunerPlugin_v5;
}

const tuner::EntryPointsV2 ncclTunerPlugin_v2{"linerate", tuner::init, tuner::choose_v2,
                                              tuner::finalize};
const tuner::EntryPointsV3 ncclTunerPlugin_v3{"linerate", tuner::init, tuner::choose_v3,
                                              tuner::finalize};
const tuner::EntryPointsV4 ncclTunerPlugin_v4{"linerate", tuner::init, tuner::choose_v4,
                                              tuner::finalize};
const tuner::EntryPointsV5 ncclTunerPlugin_v5{"linerate", tuner::init_v5, tuner::choose_v4,
                                              tuner::finalize};
