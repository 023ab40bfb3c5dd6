# Flags that every target shares, and the helpers that make a module and a test.

add_library(ls_flags INTERFACE)
target_include_directories(ls_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(ls_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wno-unknown-warning-option -ffp-contract=off -fno-math-errno -fno-strict-aliasing)
target_compile_definitions(ls_flags INTERFACE _GNU_SOURCE)
# What is built names its sources from the project's folder. ccache with a base folder makes names relative by itself, and
# shares nothing between checkouts whose flags differ.
if(NOT DEFINED ENV{CCACHE_BASEDIR})
  target_compile_options(ls_flags INTERFACE -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
endif()
target_link_libraries(ls_flags INTERFACE Threads::Threads m)
if(LS_WERROR)
  target_compile_options(ls_flags INTERFACE -Werror)
endif()
if(LS_SANITIZE)
  target_compile_options(ls_flags INTERFACE -fsanitize=${LS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ls_flags INTERFACE -fsanitize=${LS_SANITIZE})
endif()
if(LS_FUZZ) # the library's code reports coverage; only fuzz targets have libFuzzer's main
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LS_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang-19")
  endif()
  target_compile_options(ls_flags INTERFACE -fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)
endif()

# ls_module(name SOURCES... [USES earlier modules...]): the static library ls_<name> of src/<name>.
function(ls_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(ls_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(ls_${name} PUBLIC ls_flags)
  foreach(used ${ARG_USES})
    target_link_libraries(ls_${name} PUBLIC ls_${used})
  endforeach()
endfunction()

# ls_test(name SOURCES... USES modules...): a cmocka program that CTest runs as <name>.
function(ls_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ls_flags cmocka)
  foreach(used ${ARG_USES})
    target_link_libraries(${name} PRIVATE ls_${used})
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()

# ls_slow(tests...): tests that take long and seldom tell anything: they have the label `slow`, which scripts/test.sh leaves
# out and .ci/run does not. What only they need is built by the target `slow`, which the test `slow_build` makes first.
function(ls_slow)
  set_tests_properties(${ARGN} PROPERTIES LABELS slow FIXTURES_REQUIRED slow)
endfunction()

# ls_rare(tests...): slow tests of what seldom changes: .ci/run has them every third day.
function(ls_rare)
  set_tests_properties(${ARGN} PROPERTIES LABELS "slow;rare")
endfunction()

# ls_fuzz(name SOURCES... [USES modules...] [CORPUS folder]): a program around LLVMFuzzerTestOneInput. With LS_FUZZ it is
# a libFuzzer program, build/<preset>/fuzz/<name>; without, CTest runs it once over the files of its corpus
# (tests/fuzz/corpus/<name> unless given).
function(ls_fuzz name)
  cmake_parse_arguments(ARG "" "CORPUS" "SOURCES;USES" ${ARGN})
  if(NOT ARG_CORPUS)
    set(ARG_CORPUS ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ls_flags)
  foreach(used ${ARG_USES})
    target_link_libraries(${name} PRIVATE ls_${used})
  endforeach()
  if(LS_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    add_dependencies(fuzzers ${name})
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.c)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND ${name} ${ARG_CORPUS})
  endif()
endfunction()
