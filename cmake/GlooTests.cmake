# Tests of the gloo backend, whose ranks are threads on loopback: conformance, and its own.
if(NOT TARGET linerate-gloo)
  return()
endif()

# The module's own sources, so that a test reaches behind its entry point.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/gloo/*.cc)
add_library(linerate_backend_gloo STATIC EXCLUDE_FROM_ALL ${sources})
linerate_unite(linerate_backend_gloo ${sources})
target_link_libraries(linerate_backend_gloo PUBLIC linerate_devices linerate_launch gloo)

linerate_test(unit_backend_gloo tests/unit/backends/gloo linerate_backend_gloo)
linerate_conformance(gloo)
