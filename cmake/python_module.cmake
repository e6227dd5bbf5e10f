# opalign._core: what src/opalign/bind/ makes of the stages for Python. nanobind comes from PyPI.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no nanobind; for work here, tools/dev-venv makes "
                      "an environment that has it")
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB bind_sources CONFIGURE_DEPENDS src/opalign/bind/*.cpp)
nanobind_add_module(_core NB_STATIC NB_SUPPRESS_WARNINGS ${bind_sources})
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
target_link_libraries(_core PRIVATE opalign_catalog opalign_compare opalign_warnings)
