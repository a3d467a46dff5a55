# linerate_module(NAME FOLDERS [library...]): build/lib/liblinerate-<backend>.so, opened when
# chosen; linerate's own symbols come from the executable.
function(linerate_module name folders)
  list(TRANSFORM folders PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM folders APPEND /*.cc)
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  add_library(linerate-${name} MODULE ${sources})
  linerate_unite(linerate-${name} ${sources})
  target_include_directories(linerate-${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(linerate-${name} PRIVATE ${ARGN} fmt::fmt-header-only)
  add_dependencies(tools linerate-${name})
  if(NOT name STREQUAL "nccl")
    add_dependencies(host_tools linerate-${name})
  endif()
  install(TARGETS linerate-${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
endfunction()

if(LINERATE_MPI)
  enable_language(C)  # FindMPI asks the C wrapper; mpi.h's old C++ interface stays out
  find_package(MPI COMPONENTS C)
  if(MPI_C_FOUND)
    linerate_module(mpi src/backends/mpi MPI::MPI_C)
    target_compile_definitions(linerate-mpi PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  endif()
endif()

if(LINERATE_GLOO)
  find_package(Gloo CONFIG QUIET)
  if(Gloo_FOUND)
    linerate_module(gloo src/backends/gloo gloo)
  endif()
endif()

# What NCCL loads by itself, where NCCL_TUNER_PLUGIN names it: it needs nothing of linerate's, of
# CUDA's or of NCCL's.
add_library(nccl-tuner-linerate MODULE
  ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/tuner_plugin/plugin.cc
  ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/nccl/tuner_rules/rules.cc)
set_target_properties(nccl-tuner-linerate PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(nccl-tuner-linerate PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
add_dependencies(tools nccl-tuner-linerate)
add_dependencies(host_tools nccl-tuner-linerate)
install(TARGETS nccl-tuner-linerate LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nccl)

include(Nccl)
