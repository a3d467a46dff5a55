# linerate_layer(NAME FOLDER [library...]): one static library from all sources of one folder.
# The libraries named are the only folders that NAME may link; headers are included from the root.
function(linerate_layer name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  set(target linerate_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
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
