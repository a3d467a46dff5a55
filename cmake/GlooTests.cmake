# Tests of the gloo backend, whose ranks are threads on loopback: conformance, and its own.
if(NOT TARGET linerate-gloo)
  return()
endif()

# The module's own objects, so that a test reaches behind its entry point.
add_library(linerate_backend_gloo STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:linerate-gloo>)
set_target_properties(linerate_backend_gloo PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(linerate_backend_gloo PUBLIC linerate_devices linerate_launch gloo)

linerate_test(unit_backend_gloo tests/unit/backends/gloo linerate_backend_gloo THREADS)
linerate_conformance(gloo_conformance linerate_backend_gloo LEAVE_OUT ${long_conformance})
linerate_long_cases(gloo_conformance "${long_conformance}" LIMIT 300)
set_tests_properties(unit_backend_gloo gloo_conformance PROPERTIES ${long})
