// Buffers that an NCCL communicator knows: registered locally, or as symmetric windows.
#pragma once

#include "backends/nccl/endpoint.h"
#include "comm/communicator.h"

#include <memory>

namespace linerate::nccl {

// Throws Unavailable where the library is older than 2.19, or than 2.27 for symmetric windows.
void require_registration(const NcclApi& api, RegistrationKind kind);

// See Communicator::register_buffer(). `cuda` outlives it. Throws NcclError, and as
// require_registration().
std::unique_ptr<Registration> make_registration(std::shared_ptr<Endpoint> endpoint,
                                                const cuda::CudaApi& cuda, const Buffer& buffer,
                                                RegistrationKind kind);

}  // namespace linerate::nccl
