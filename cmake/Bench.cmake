# The side-by-side benchmark (make bench): programs that the default build leaves out. They lie in
# build/benchmarks/bin, where no module lies beside them: each job is told its own with
# LINERATE_MODULE_PATH. The mpi module is built a second time, over MPICH, where that is installed.
set(bench_dir ${CMAKE_BINARY_DIR}/benchmarks)
add_custom_target(bench)

# linerate_bench_program(NAME FOLDER library...): all sources of benchmarks/ and its folder FOLDER.
function(linerate_bench_program name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/*.cc
    ${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/${folder}/*.cc)
  add_executable(${name} EXCLUDE_FROM_ALL ${sources})
  linerate_unite(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARGN} nlohmann_json::nlohmann_json CLI11::CLI11)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${bench_dir}/bin)
  add_dependencies(bench ${name})
endfunction()

get_property(layers GLOBAL PROPERTY LINERATE_LAYERS)
linerate_bench_program(bench_peer peer
  -Wl,--whole-archive ${layers} -Wl,--no-whole-archive linerate_commands)
set_target_properties(bench_peer PROPERTIES ENABLE_EXPORTS ON)
linerate_bench_program(bench_machine machine linerate_probe linerate_devices)

foreach(backend IN ITEMS mpi gloo)
  if(TARGET linerate-${backend})
    add_dependencies(bench linerate-${backend})
  endif()
endforeach()

# Through pkg-config, so that FindMPI's answer, Open MPI, stays as it is.
pkg_check_modules(mpich QUIET IMPORTED_TARGET mpich)
if(TARGET linerate-mpi AND mpich_FOUND)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/mpi/*.cc)
  add_library(linerate-mpi-mpich MODULE EXCLUDE_FROM_ALL ${sources})
  target_include_directories(linerate-mpi-mpich PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(linerate-mpi-mpich PRIVATE PkgConfig::mpich fmt::fmt-header-only)
  target_compile_definitions(linerate-mpi-mpich PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  set_target_properties(linerate-mpi-mpich PROPERTIES
    OUTPUT_NAME linerate-mpi LIBRARY_OUTPUT_DIRECTORY ${bench_dir}/mpich)
  add_dependencies(bench linerate-mpi-mpich)
endif()
