// NVIDIA's management library, opened at run time: the driver brings it.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "topo/detect/nvml_abi.h"

#include <dlfcn.h>

#include <memory>
#include <string>
#include <utility>

namespace linerate::topo::nvml {

// The functions that we call; those that an older library lacks are null, and optional.
struct Functions {
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*device_count)(unsigned*) = nullptr;
  Status (*device_by_index)(unsigned, Device*) = nullptr;
  Status (*name)(Device, char*, unsigned) = nullptr;
  Status (*pci_info)(Device, PciInfo*) = nullptr;
  Status (*compute_capability)(Device, int*, int*) = nullptr;
  Status (*pcie_generation)(Device, unsigned*) = nullptr;  // optional, as those below
  Status (*pcie_width)(Device, unsigned*) = nullptr;
  Status (*max_pcie_generation)(Device, unsigned*) = nullptr;
  Status (*max_pcie_width)(Device, unsigned*) = nullptr;
  Status (*link_capability)(Device, unsigned, int, unsigned*) = nullptr;
  Status (*link_state)(Device, unsigned, int*) = nullptr;
  Status (*link_remote)(Device, unsigned, PciInfo*) = nullptr;
  Status (*field_values)(Device, int, FieldValue*) = nullptr;
};

// The library, initialised; shut down with its owner.
class Library {
 public:
  // `file` as dlopen takes it. Refuses, in a sentence, a library that is not there, lacks a
  // function or does not start.
  static Result<std::unique_ptr<Library>> open(const std::string& file);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& call() const { return functions_; }
  // "Driver Not Loaded", in the library's own words.
  std::string text_of(Status status) const;

 private:
  using Opened = Handle<void, dlclose>;
  Library(Opened opened, const Functions& functions)
      : opened_(std::move(opened)), functions_(functions) {}
  Opened opened_;
  Functions functions_;
};

}  // namespace linerate::topo::nvml
