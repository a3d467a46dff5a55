# One libFuzzer program for each reader of outside input: NAME_fuzz.cc below tests/fuzz makes
# bin/fuzz_NAME.
# Its seeds, where it has any, lie in tests/fuzz/corpus/NAME. The target fuzzers builds all of them.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "LINERATE_FUZZ needs clang: set CMAKE_CXX_COMPILER to clang++ 17 or newer.")
endif()

get_property(layers GLOBAL PROPERTY LINERATE_LAYERS)
foreach(layer IN LISTS layers ITEMS linerate_training_checkpoint)
  target_compile_options(${layer} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()

add_custom_target(fuzzers)

# linerate_fuzzers(FOLDER library...): every target of a folder, with the layers of what it reads.
function(linerate_fuzzers folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*_fuzz.cc)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "_fuzz" "" name ${name})
    add_executable(fuzz_${name} ${source})
    target_include_directories(fuzz_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/tests)
    target_link_libraries(fuzz_${name} PRIVATE ${ARGN})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${name})
  endforeach()
endfunction()

linerate_fuzzers(${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz linerate_cli linerate_doctor_hang
                 linerate_doctor_log linerate_doctor_node linerate_doctor_results linerate_pairs
                 linerate_replay linerate_backend_host linerate_nccl_tuner_rules)
linerate_fuzzers(${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/topo linerate_topo)
