# Compiles several files at once: most of a file's time is its headers. Left out are files whose
# local names others of their folder use too, as tables of rows do.
function(linerate_unite target)
  set(apart "collectives/|host/algorithms/|cli/(options_|variables|markdown|[a-z]+_words)")
  string(APPEND apart "|output/nccl_tests_json")
  string(APPEND apart "|launch/(store/client|tree/connect|tree/link|watch/address)")
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "${apart}")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
endfunction()

# linerate_layer(NAME FOLDERS [library...]): one static library from all sources of the folders.
# The libraries named are the only folders that NAME may link; headers are included from the root.
function(linerate_layer name folders)
  list(TRANSFORM folders PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM folders APPEND /*.cc)
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  set(target linerate_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    if(LINERATE_UNITY)
      linerate_unite(${target} ${sources})
    endif()
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY LINERATE_LAYERS ${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope}
    ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} ${scope} ${ARGN})
endfunction()
