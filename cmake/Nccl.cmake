# The nccl backend and its GPU device: built where the CUDA toolkit and NCCL's header are found, in
# CUDA_HOME, on the PATH or in /usr/local/cuda; never installed. NCCL itself is loaded at run time.
if(NOT LINERATE_NCCL)
  return()
endif()

find_program(LINERATE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDACXX} PATHS /usr/local/cuda/bin)
if(NOT LINERATE_NVCC)
  set(LINERATE_NCCL_LACKS "nvcc")
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${LINERATE_NVCC})
endif()
# Data centre GPUs of three generations, and PTX for later ones.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)
endif()
enable_language(CUDA)
# CMake 3.25 does not know that nvcc has C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit REQUIRED)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS $ENV{NCCL_HOME}/include ${CUDAToolkit_INCLUDE_DIRS})
if(NOT NCCL_INCLUDE_DIR)
  set(LINERATE_NCCL_LACKS "nccl.h (NCCL_HOME names its folder)")
  return()
endif()

linerate_module(nccl "src/backends/nccl;src/devices/cuda" CUDA::cudart_static)
target_sources(linerate-nccl PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/devices/cuda/kernels.cu)
target_include_directories(linerate-nccl SYSTEM PRIVATE
  ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_compile_options(linerate-nccl PRIVATE
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Wno-deprecated-gpu-targets>")
# The CUDA runtime stays the module's own: NCCL brings another one.
target_link_options(linerate-nccl PRIVATE -Wl,--exclude-libs,ALL)
