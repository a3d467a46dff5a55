# Tests of the mpi backend under a real mpirun; they skip, with the reason, where there is none.
if(NOT TARGET linerate-mpi)
  return()
endif()

# linerate_mpi_test(PROGRAM NRANKS...): one test for each number of ranks.
function(linerate_mpi_test program)
  foreach(nranks IN LISTS ARGN)
    linerate_gtest(${program}.np${nranks} mpi WHOLE COMMAND
      ${CMAKE_CURRENT_SOURCE_DIR}/tests/system/mpirun_test.sh ${nranks} $<TARGET_FILE:${program}>)
    set_tests_properties(${program}.np${nranks} PROPERTIES TIMEOUT 120 PROCESSORS 4
      ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${LINERATE_SANITIZER_OPTIONS}")
  endforeach()
endfunction()

function(linerate_mpi_program name)
  add_executable(${name} tests/system/${name}.cc)
  target_include_directories(${name} PRIVATE tests)
  target_compile_definitions(${name} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_compile_options(${name} PRIVATE -O1)
  target_link_libraries(${name} PRIVATE ${ARGN} linerate_launch GTest::gtest GTest::gmock)
endfunction()

# The module's own objects, so that a test reaches behind its entry point.
linerate_mpi_program(mpi_conformance linerate_devices MPI::MPI_C)
target_sources(mpi_conformance PRIVATE
  $<TARGET_OBJECTS:linerate-mpi> tests/conformance/stream_cases.cc)
# Sanitizers take minutes, and see fewer ranks: tests/conformance/backends.h.
set(counts 1 2 3 4)
if(LINERATE_SANITIZE)
  set(counts 1 2 3)
endif()
linerate_mpi_test(mpi_conformance ${counts})

# The module itself, opened as linerate opens it: from bin/ beside lib/.
function(linerate_mpi_host name)
  linerate_mpi_program(${name}
    -Wl,--whole-archive linerate_base linerate_comm linerate_devices -Wl,--no-whole-archive
    linerate_backends ${ARGN})
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  add_dependencies(${name} linerate-mpi)
endfunction()
linerate_mpi_host(mpi_module linerate_collectives)
target_sources(mpi_module PRIVATE tests/conformance/cases.cc tests/conformance/rank.cc)
linerate_mpi_test(mpi_module ${counts})

# A measurement, started by hand: our all_reduce against a bare loop over MPI_Allreduce.
linerate_mpi_host(mpi_overhead MPI::MPI_C)
