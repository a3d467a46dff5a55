# Which build this is: one small file, written anew when the commit changes (build_info.cmake).
set(build_info ${CMAKE_BINARY_DIR}/generated/build_info.cc)
add_custom_target(build_info BYPRODUCTS ${build_info} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR} -D OUTPUT=${build_info}
    -D VERSION=${PROJECT_VERSION} -D BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_info.cmake)
target_sources(linerate_commands PRIVATE ${build_info})
set_source_files_properties(${build_info} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
add_dependencies(linerate_commands build_info)
