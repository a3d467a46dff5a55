// See fake_profiler.h.
#include "support/gpu/fake_profiler.h"

#include "backends/nccl/profiler/abi.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace linerate::nccl::fake {
namespace {

using namespace profiler;

std::atomic<int> current_version = NCCL_VERSION(2, 28, 9);
std::atomic<int> mask = 0;  // NCCL has one for all communicators
std::atomic<int> told = 0;
static_assert(sizeof mask == sizeof(int));

// One of the plugin's tables of entry points, whichever version it has.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual void* init(const Member& member) = 0;
  virtual void tell(void* context, int wanted, const Member& member, const Call& call) = 0;
  virtual void finalize(void* context) = 0;
};

struct Message {
  const char* function;
  const std::byte* buffer;
  std::size_t bytes;
};

// What NCCL makes of calls that have no kernel of their own.
std::vector<Message> messages_of(const Member& member, const Call& call) {
  const std::size_t block = call.bytes();
  const bool root = call.peer == member.rank();
  const auto all = [&](const char* function, const std::byte* first) {
    std::vector<Message> messages;
    for (int i = 0; i < member.nranks(); ++i)
      messages.push_back({function, first + static_cast<std::size_t>(i) * block, block});
    return messages;
  };
  const Message sent{"Send", call.send, block}, received{"Recv", call.recv, block};
  std::vector<Message> messages;
  if (call.kind == OpKind::send) messages = {sent};
  if (call.kind == OpKind::recv) messages = {received};
  if (call.kind == OpKind::all_to_all || (call.kind == OpKind::scatter && root))
    messages = all("Send", call.send);
  if (call.kind == OpKind::gather) messages = {sent};
  if (call.kind == OpKind::scatter) messages.push_back(received);
  if (call.kind == OpKind::all_to_all || (call.kind == OpKind::gather && root))
    for (const auto& message : all("Recv", call.recv)) messages.push_back(message);
  return messages;
}

template <typename Table, typename EventVn>
class PluginOf final : public Plugin {
 public:
  explicit PluginOf(const Table& table) : table_(table) {}

  void* init(const Member& member) override {
    void* context = nullptr;
    int* const asked = reinterpret_cast<int*>(&mask);
    if constexpr (std::is_same_v<Table, EntryPointsV5>)
      (void)table_.init(&context, 7, asked, nullptr, 1, member.nranks(), member.rank(), nullptr);
    else if constexpr (std::is_same_v<Table, EntryPointsV4>)
      (void)table_.init(&context, asked, nullptr, 7, 1, member.nranks(), member.rank(), nullptr);
    else
      (void)table_.init(&context, asked);
    return context;
  }

  void tell(void* context, int wanted, const Member& member, const Call& call) override {
    void* const api = kOfTheApi ? begin(context, {.type = kApiCall, .collective = {}}) : nullptr;
    void* const group = begin(context, {.type = kGroup, .collective = {}});
    // Before 2.28 nothing more is told of a group that the plugin does not follow.
    if (group != nullptr || kOfTheApi) tell_tasks(context, wanted, member, call);
    for (void* const handle : {group, api})
      if (handle != nullptr) (void)table_.stop_event(handle);
  }

  void finalize(void* context) override { (void)table_.finalize(context); }

 private:
  static constexpr bool kOfTheApi = std::is_same_v<Table, EntryPointsV5>;
  static constexpr auto kApiCall = static_cast<decltype(EventVn::type)>(kOfTheApi ? 1 << 9 : 0);

  void* begin(void* context, EventVn event) {
    void* handle = nullptr;
    ++told;
    (void)table_.start_event(context, &handle, &event);
    return handle;
  }

  void tell_tasks(void* context, int wanted, const Member& member, const Call& call) {
    const auto messages = messages_of(member, call);
    if (messages.empty() && (wanted & kCollective) != 0)
      end(begin(context, collective(member, call)));
    for (const auto& one : messages)
      if ((wanted & kMessage) != 0) end(begin(context, message(member, one)));
  }

  void end(void* handle) {
    if (handle != nullptr) (void)table_.stop_event(handle);
  }

  EventVn collective(const Member& member, const Call& call) const {
    const auto choice = choice_for(call.bytes());
    EventVn event{.type = kCollective, .rank = member.rank(), .collective = {}};
    event.collective.send = call.send;
    event.collective.recv = call.recv;
    event.collective.algorithm = choice.algorithm;
    event.collective.protocol = choice.protocol;
    const auto channels = static_cast<std::uint8_t>(choice.channels);
    if constexpr (requires { event.collective.channels; })
      event.collective.channels = channels;
    else
      event.collective.most_channels = static_cast<std::uint8_t>(2 * channels);
    return event;
  }

  EventVn message(const Member& member, const Message& one) const {
    EventVn event{.type = kMessage, .rank = member.rank(), .message = {}};
    event.message.function = one.function;
    event.message.buffer = const_cast<std::byte*>(one.buffer);
    if constexpr (requires { event.message.channels; })
      event.message.channels = static_cast<std::uint8_t>(message_channels(one.bytes));
    return event;
  }

  const Table& table_;
};

template <typename Table, typename EventVn>
std::unique_ptr<Plugin> plugin_from(void* library, const char* symbol) {
  const auto* const table = static_cast<const Table*>(dlsym(library, symbol));
  if (table == nullptr) return nullptr;
  return std::make_unique<PluginOf<Table, EventVn>>(*table);
}

// A program cannot be opened by its name; as NCCL's STATIC_PLUGIN it can.
void* open_named(const std::string& file) {
  std::error_code failed;
  const bool own = std::filesystem::equivalent(file, "/proc/self/exe", failed);
  return dlopen(own ? nullptr : file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::unique_ptr<Plugin> load() {
  const char* const file = std::getenv("NCCL_PROFILER_PLUGIN");
  if (file == nullptr || *file == 0) return nullptr;
  void* const library = open_named(file);
  if (library == nullptr) return nullptr;
  const int version = current_version;
  if (version >= NCCL_VERSION(2, 28, 0))
    return plugin_from<EntryPointsV5, EventV5>(library, "ncclProfiler_v5");
  if (version >= NCCL_VERSION(2, 27, 0))
    return plugin_from<EntryPointsV4, EventV4>(library, "ncclProfiler_v4");
  if (version >= NCCL_VERSION(2, 26, 0))
    return plugin_from<EntryPointsV3, EventV3>(library, "ncclProfiler_v3");
  if (version >= NCCL_VERSION(2, 24, 0))
    return plugin_from<EntryPointsV2, EventV2>(library, "ncclProfiler_v2");
  return nullptr;
}

// The plugin and the contexts of the communicators that live.
struct Loaded {
  std::mutex mutex;
  std::unique_ptr<Plugin> plugin;
  std::map<const Member*, void*> contexts;
};

Loaded& loaded() {
  static Loaded the_one;
  return the_one;
}

}  // namespace

Choice choice_for(std::size_t bytes) {
  constexpr std::size_t kSmall = std::size_t{64} << 10;
  return bytes < kSmall ? Choice{"TREE", "LL", 2} : Choice{"RING", "SIMPLE", 24};
}

int message_channels(std::size_t bytes) { return choice_for(bytes).channels / 2; }

void set_library_version(int version) { current_version = version; }
int library_version() { return current_version; }

void profile_begin(const Member& member) {
  auto& [mutex, plugin, contexts] = loaded();
  const std::lock_guard lock(mutex);
  if (contexts.empty()) plugin = load();
  contexts[&member] = plugin ? plugin->init(member) : nullptr;
}

void profile(const Member& member, const Call& call) {
  const int wanted = mask;
  if (wanted == 0 || member.nranks() == 1) return;  // one rank alone only copies
  void* context = nullptr;
  {
    const std::lock_guard lock(loaded().mutex);
    context = loaded().contexts[&member];
  }
  if (context != nullptr) loaded().plugin->tell(context, wanted, member, call);
}

void profile_end(const Member& member) {
  auto& [mutex, plugin, contexts] = loaded();
  const std::lock_guard lock(mutex);
  const auto known = contexts.find(&member);
  if (known == contexts.end()) return;
  if (known->second != nullptr) plugin->finalize(known->second);
  contexts.erase(known);
  if (contexts.empty()) plugin = nullptr;
}

int events_told() { return told; }

}  // namespace linerate::nccl::fake
