# Tests of the gloo backend, whose ranks are threads on loopback: conformance, and its own.
if(NOT TARGET linerate-gloo)
  return()
endif()

# The module's own sources, so that a test reaches behind its entry point.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/gloo/*.cc)
add_library(linerate_backend_gloo STATIC EXCLUDE_FROM_ALL ${sources})
target_link_libraries(linerate_backend_gloo PUBLIC linerate_devices linerate_launch gloo)

linerate_test(unit_backend_gloo tests/unit/backends/gloo linerate_backend_gloo)

add_executable(gloo_conformance tests/system/gloo_conformance.cc
  tests/conformance/conformance_test.cc tests/conformance/cases.cc tests/conformance/rank.cc)
target_include_directories(gloo_conformance PRIVATE tests)
target_link_libraries(gloo_conformance PRIVATE linerate_collectives linerate_backend_gloo
  linerate_backend_fake GTest::gtest_main GTest::gmock)
target_compile_options(gloo_conformance PRIVATE -O1)
gtest_discover_tests(gloo_conformance TEST_PREFIX gloo. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                     PROPERTIES LABELS gloo TIMEOUT 300)
