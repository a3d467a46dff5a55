# Tests of the nccl backend and its device without a GPU: over fakes that move real data.
if(NOT LINERATE_NCCL_TESTS)
  return()
endif()

# The module's own sources, so that a test reaches behind its entry point; without the kernels.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/*.cc
  ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/device_api/*.cc
  ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/profiler/*.cc
  ${CMAKE_CURRENT_SOURCE_DIR}/src/devices/cuda/*.cc)
list(FILTER sources EXCLUDE REGEX "plugin.cc$")
file(GLOB fakes CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/support/gpu/*.cc)
list(FILTER fakes EXCLUDE REGEX "module.cc$")
add_library(linerate_backend_nccl STATIC EXCLUDE_FROM_ALL ${sources} ${fakes})
linerate_unite(linerate_backend_nccl ${sources} ${fakes})
target_compile_options(linerate_backend_nccl PRIVATE -O1)
target_include_directories(linerate_backend_nccl PUBLIC tests)
target_include_directories(linerate_backend_nccl SYSTEM PUBLIC
  ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(linerate_backend_nccl PUBLIC linerate_devices linerate_launch
  linerate_nccl_tuner_rules CUDA::cudart_static ${CMAKE_DL_LIBS})

linerate_test(unit_backend_nccl tests/unit/backends/nccl
  linerate_backend_nccl linerate_memcpy linerate_bench THREADS)
# As from the program, the module takes symbols from it; and the fake finds the profiler plugin.
set_target_properties(unit_backend_nccl PROPERTIES ENABLE_EXPORTS ON)
set(module "")
if(TARGET linerate-nccl)
  set(module $<TARGET_FILE:linerate-nccl>)
  add_dependencies(unit_backend_nccl linerate-nccl)
endif()
target_compile_definitions(unit_backend_nccl PRIVATE LINERATE_NCCL_MODULE="${module}")
# One version of the library is enough for ThreadSanitizer, which takes minutes for each.
if(LINERATE_SANITIZE MATCHES thread)
  linerate_conformance(nccl_conformance linerate_backend_nccl LEAVE_OUT Nccl218)
else()
  linerate_conformance(nccl_conformance linerate_backend_nccl)
endif()
if(NOT TARGET linerate-nccl)
  return()
endif()

# On a real GPU, with the kernels themselves; skipped with the reason where there is none.
add_executable(gpu_device tests/gpu/device_test.cc)
target_compile_options(gpu_device PRIVATE -O1)
target_link_libraries(gpu_device PRIVATE linerate_kernels linerate_backend_nccl GTest::gtest_main)
linerate_gtest(gpu_device gpu)

# The programs beside a module of fakes: what users type, with -g 8, on a machine without a GPU.
set(fake_gpus ${CMAKE_BINARY_DIR}/fake-gpus)
add_library(linerate_fake_gpus MODULE
  $<TARGET_OBJECTS:linerate_backend_nccl> tests/support/gpu/module.cc)
set_target_properties(linerate_fake_gpus PROPERTIES
  OUTPUT_NAME linerate-nccl LIBRARY_OUTPUT_DIRECTORY ${fake_gpus}/lib)
target_include_directories(linerate_fake_gpus PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/tests)
target_include_directories(linerate_fake_gpus SYSTEM PRIVATE
  ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(linerate_fake_gpus PRIVATE fmt::fmt-header-only CUDA::cudart_static)
target_link_options(linerate_fake_gpus PRIVATE -Wl,--exclude-libs,ALL)
add_custom_command(OUTPUT ${fake_gpus}/bin/linerate
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:linerate> ${fake_gpus}/bin/linerate
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:nccl-tuner-linerate> ${fake_gpus}/lib
  DEPENDS linerate nccl-tuner-linerate)
foreach(name IN ITEMS nccl nccl_beside nccl_options nccl_device_api nccl_faults nccl_signals
                      nccl_tune nccl_tuner nccl_verdict memcpy_fakes memcpy_faults)
  set(label system)
  if(name IN_LIST slow)
    set(label slow)
  elseif(name IN_LIST timing)
    set(label timing)
  endif()
  linerate_python_test(system.${name} ${label} tests/system/${name}_test.py
    LINERATE_FAKE_GPUS=${fake_gpus}/bin/linerate)
endforeach()
set_tests_properties(system.nccl_faults system.nccl_signals PROPERTIES ${waiting})
set_tests_properties(system.nccl_tune PROPERTIES RUN_SERIAL ON)
add_custom_target(fake_gpu_programs ALL DEPENDS ${fake_gpus}/bin/linerate linerate_fake_gpus)

