// The version is cut to what a person wants to read; the carrier is told by MPI's own variables.
#include "backends/mpi/library.h"

#include "backends/mpi/mpi_api.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace linerate::mpi {
namespace {

constexpr std::size_t kMaxName = 256;  // of a variable; Open MPI's longest has 60

// MPI's tool interface (MPI 3, chapter 14), open as long as this lives.
class Variables {
 public:
  Variables() {
    int provided = 0;
    open_ = MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS;
  }
  ~Variables() {
    if (open_) (void)MPI_T_finalize();
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  // Open MPI withdraws the variables of a component that it does not use
  // (mca_base_component_close).
  bool has(const char* name) const {
    int index = 0;
    return open_ && MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS;
  }
  // Empty: there is none, or it holds no text.
  std::string text(const char* name) const;
  // Nothing: there is none, or it holds no int.
  std::optional<int> number(const char* name) const;
  std::vector<std::string> names() const;

 private:
  bool read(const char* name, MPI_Datatype type, std::vector<char>& value) const;

  bool open_ = false;
};

// Its type, and its name where `name` is given.
MPI_Datatype type_of(int index, std::string* name = nullptr) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  std::array<char, kMaxName> text{};
  int length = static_cast<int>(text.size()), words_length = 0, verbosity = 0, binding = 0,
      scope = 0;
  if (MPI_T_cvar_get_info(index, text.data(), &length, &verbosity, &type, &values, nullptr,
                          &words_length, &binding, &scope) != MPI_SUCCESS)
    return MPI_DATATYPE_NULL;
  if (name != nullptr) *name = text.data();
  return type;
}

bool Variables::read(const char* name, MPI_Datatype type, std::vector<char>& value) const {
  int index = 0, count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (!has(name) || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS || type_of(index) != type ||
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
    return false;
  value.assign((static_cast<std::size_t>(count) + 1) * sizeof(int), 0);
  const bool done = MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS;
  (void)MPI_T_cvar_handle_free(&handle);
  return done;
}

std::string Variables::text(const char* name) const {
  std::vector<char> value;
  return read(name, MPI_CHAR, value) ? std::string(value.data()) : std::string();
}

std::optional<int> Variables::number(const char* name) const {
  std::vector<char> value;
  int number = 0;
  if (!read(name, MPI_INT, value)) return std::nullopt;
  std::memcpy(&number, value.data(), sizeof number);
  return number;
}

std::vector<std::string> Variables::names() const {
  std::vector<std::string> names;
  int count = 0;
  if (!open_ || MPI_T_cvar_get_num(&count) != MPI_SUCCESS) return names;
  for (int i = 0; i < count; ++i) {
    std::string name;
    if (type_of(i, &name) != MPI_DATATYPE_NULL) names.push_back(name);
  }
  return names;
}

// Of Open MPI 4 and 5: what can carry data between hosts beside btl/tcp, each by a variable that it
// always has.
constexpr const char* kOthers[] = {
    "pml_ucx_priority",       "pml_cm_priority",          "pml_yalla_priority",
    "btl_openib_exclusivity", "btl_ofi_exclusivity",      "btl_uct_exclusivity",
    "btl_usnic_exclusivity",  "btl_portals4_exclusivity", "btl_ugni_exclusivity",
    "coll_hcoll_priority",    "coll_ucc_priority",        "coll_portals4_priority"};

constexpr std::string_view kColl = "coll_", kPriority = "_priority";

// Of Open MPI 4 and 5: `self` is for communicators of one rank, `inter` for those between two
// groups, `ftagree` for agreement after failures; the others only stand before others.
constexpr std::string_view kNeverFirst[] = {"self", "inter",      "ftagree",    "sync",
                                            "cuda", "monitoring", "accelerator"};

// Whether it may make a call: `han` declines communicators of one host, and a priority of 0 is off.
bool may_call(const Variables& variables, const std::string& component, int priority,
              bool several_hosts) {
  const auto enabled = variables.number(fmt::format("{}{}_enable", kColl, component).c_str());
  return priority > 0 && enabled.value_or(1) != 0 && (several_hosts || component != "han") &&
         std::ranges::find(kNeverFirst, component) == std::end(kNeverFirst);
}

}  // namespace

std::string short_version(std::string_view library_version) {
  std::string line(library_version.substr(0, library_version.find_first_of(",\n")));
  std::ranges::replace(line, '\t', ' ');
  std::string text;
  for (const auto& word : linerate::split(line, ' ')) {
    std::string_view kept = trim(word);
    if (kept.empty() || kept == "Version:") continue;
    const bool marked =
        kept.size() > 1 && kept[0] == 'v' && std::isdigit(static_cast<unsigned char>(kept[1])) != 0;
    if (marked) kept.remove_prefix(1);
    if (!text.empty()) text += ' ';
    text += kept;
  }
  return text;
}

std::string carrier() {
  const Variables variables;
  const bool others =
      std::ranges::any_of(kOthers, [&](const char* name) { return variables.has(name); });
  if (others || !variables.has("pml_ob1_priority") || !variables.has("btl_tcp_exclusivity"))
    return "MPI";
  const auto interfaces = variables.text("btl_tcp_if_include");
  return interfaces.empty() ? "TCP" : "TCP on " + interfaces;
}

std::string coll_components(bool several_hosts) {
  const Variables variables;
  std::vector<std::pair<int, std::string>> found;  // ordered by falling priority, then by name
  for (const std::string_view name : variables.names()) {
    if (!name.starts_with(kColl) || !name.ends_with(kPriority)) continue;
    std::string component(name.substr(0, name.size() - kPriority.size()).substr(kColl.size()));
    const auto priority = variables.number(std::string(name).c_str());
    if (priority && may_call(variables, component, *priority, several_hosts))
      found.emplace_back(-*priority, std::move(component));
  }
  std::ranges::sort(found);
  std::vector<std::string> texts;
  for (const auto& [priority, component] : found)
    texts.push_back(fmt::format("{} {}", component, -priority));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace linerate::mpi
