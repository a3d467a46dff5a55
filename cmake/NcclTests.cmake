# Tests of the nccl backend and its device without a GPU: over fakes that move real data.
if(NOT TARGET linerate-nccl)
  return()
endif()

# The module's own sources, so that a test reaches behind its entry point; without the kernels.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/*.cc
  ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/profiler/*.cc
  ${CMAKE_CURRENT_SOURCE_DIR}/src/devices/cuda/*.cc)
list(FILTER sources EXCLUDE REGEX "plugin.cc$")
file(GLOB fakes CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/support/gpu/*.cc)
add_library(linerate_backend_nccl STATIC EXCLUDE_FROM_ALL ${sources} ${fakes})
target_include_directories(linerate_backend_nccl PUBLIC tests)
target_include_directories(linerate_backend_nccl SYSTEM PUBLIC
  ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(linerate_backend_nccl PUBLIC linerate_devices linerate_launch
  CUDA::cudart_static)

linerate_test(unit_backend_nccl tests/unit/backends/nccl linerate_backend_nccl linerate_bench)
# As from the program, the module takes symbols from it; and the fake finds the profiler plugin.
set_target_properties(unit_backend_nccl PROPERTIES ENABLE_EXPORTS ON)
target_compile_definitions(unit_backend_nccl PRIVATE
  LINERATE_NCCL_MODULE="$<TARGET_FILE:linerate-nccl>")
add_dependencies(unit_backend_nccl linerate-nccl)
linerate_conformance(nccl)
