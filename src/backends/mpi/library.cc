// The version is cut to what a person wants to read; the carrier is told by MPI's own variables.
#include "backends/mpi/library.h"

#include "backends/mpi/mpi_api.h"
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace linerate::mpi {
namespace {

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

 private:
  bool open_ = false;
};

bool is_text(int index) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  int name_length = 0, words_length = 0, verbosity = 0, binding = 0, scope = 0;
  return MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, &values, nullptr,
                             &words_length, &binding, &scope) == MPI_SUCCESS &&
         type == MPI_CHAR;
}

std::string Variables::text(const char* name) const {
  int index = 0, count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (!has(name) || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS || !is_text(index) ||
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
    return {};
  std::vector<char> value(static_cast<std::size_t>(count) + 1);
  const bool read = MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS;
  (void)MPI_T_cvar_handle_free(&handle);
  return read ? std::string(value.data()) : std::string();
}

// Of Open MPI 4 and 5: what can carry data between hosts beside btl/tcp, each by a variable that it
// always has.
constexpr const char* kOthers[] = {
    "pml_ucx_priority",       "pml_cm_priority",          "pml_yalla_priority",
    "btl_openib_exclusivity", "btl_ofi_exclusivity",      "btl_uct_exclusivity",
    "btl_usnic_exclusivity",  "btl_portals4_exclusivity", "btl_ugni_exclusivity",
    "coll_hcoll_priority",    "coll_ucc_priority",        "coll_portals4_priority"};

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

}  // namespace linerate::mpi
