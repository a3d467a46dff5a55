# The nccl backend and its GPU device: built where the CUDA toolkit (12 or newer) and NCCL's header
# (2.28 or newer) are found, in CUDA_HOME, on the PATH or in /usr/local/cuda; never installed, and
# left out with the reason elsewhere. NCCL itself is loaded at run time.
if(NOT LINERATE_NCCL)
  return()
endif()

find_program(LINERATE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin PATHS /usr/local/cuda/bin)
if(NOT LINERATE_NVCC)
  set(LINERATE_NCCL_LACKS "no nvcc")
  return()
endif()
execute_process(COMMAND ${LINERATE_NVCC} --version OUTPUT_VARIABLE nvcc ERROR_QUIET)
string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" nvcc "${nvcc}")
set(nvcc_version "${CMAKE_MATCH_1}")
if(nvcc_version VERSION_LESS 12.0)
  set(LINERATE_NCCL_LACKS "nvcc is ${nvcc_version}, older than 12, and has no C++20")
  return()
endif()

get_filename_component(cuda ${LINERATE_NVCC} DIRECTORY)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS $ENV{NCCL_HOME}/include ${cuda}/../include)
if(NOT NCCL_INCLUDE_DIR)
  set(LINERATE_NCCL_LACKS "no nccl.h (NCCL_HOME names its folder)")
  return()
endif()
file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h version REGEX "#define NCCL_(MAJOR|MINOR) ")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
string(REPLACE ";" "." version "${version}")
if(version VERSION_LESS 2.28)
  set(LINERATE_NCCL_LACKS "nccl.h is ${version}, older than 2.28")
  return()
endif()

# Some toolkits do not know this g++; that must not end the configuration.
include(CheckLanguage)
set(ENV{CUDACXX} ${LINERATE_NVCC})
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  set(LINERATE_NCCL_LACKS "nvcc does not work with this compiler")
  return()
endif()
# Data centre GPUs of three generations, and PTX for later ones; the last came with CUDA 12.8.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)
  if(nvcc_version VERSION_LESS 12.8)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
endif()
enable_language(CUDA)
# CMake 3.25 does not know that nvcc has C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit REQUIRED)

# Under sanitizers the sources are tested over fakes; a module of theirs could not be opened.
set(LINERATE_NCCL_TESTS ON)
if(LINERATE_SANITIZE)
  set(LINERATE_NCCL_LACKS "the module has no use under sanitizers; its sources are tested")
  return()
endif()
file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/devices/cuda/*.cu
  ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/device_api/*.cu)
add_library(linerate_kernels OBJECT ${kernels})
set_target_properties(linerate_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(linerate_kernels PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(linerate_kernels SYSTEM PRIVATE ${NCCL_INCLUDE_DIR})
target_compile_options(linerate_kernels PRIVATE
  --expt-relaxed-constexpr -Wno-deprecated-gpu-targets)
linerate_module(nccl
  "src/backends/nccl;src/backends/nccl/device_api;src/backends/nccl/profiler;src/devices/cuda"
  linerate_kernels CUDA::cudart_static)
target_include_directories(linerate-nccl SYSTEM PRIVATE
  ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
# The CUDA runtime stays the module's own: NCCL brings another one.
target_link_options(linerate-nccl PRIVATE -Wl,--exclude-libs,ALL)
