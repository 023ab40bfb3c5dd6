# find_package(Lockstep): the program lockstep, and functions that make tests of programs that run on it (docs/install.md).
#
#   Lockstep_EXECUTABLE
#   lockstep_add_executable(NAME file.cu... [OPTIONS option...])  compiled by `lockstep cc`
#   lockstep_add_test(TARGET [NAME test] [TOOLS tool...] [OPTIONS option...] [ARGS argument...])
#   lockstep_add_gate(TARGET BASELINE file [NAME test] [OPTIONS option...] [ARGS argument...])
#
# TARGET is an executable target, by nvcc with -cudart shared or by lockstep_add_executable. Plain CMake: no language has to be on.

get_filename_component(Lockstep_EXECUTABLE "${CMAKE_CURRENT_LIST_DIR}/../../lockstep/bin/lockstep" ABSOLUTE)
if(NOT EXISTS "${Lockstep_EXECUTABLE}")
  set(Lockstep_FOUND FALSE)
  set(Lockstep_NOT_FOUND_MESSAGE "${Lockstep_EXECUTABLE} is not there: the installation is not whole")
  return()
endif()

# The file of a target of either kind.
function(_lockstep_program target out)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "there is no target ${target} to run on Lockstep")
  endif()
  get_target_property(made ${target} LOCKSTEP_PROGRAM)
  if(made)
    set(${out} "${made}" PARENT_SCOPE)
  else()
    set(${out} "$<TARGET_FILE:${target}>" PARENT_SCOPE)
  endif()
endfunction()

function(_lockstep_no_rest what)
  if(ARGN)
    message(FATAL_ERROR "${what}: ${ARGN} is no argument of it")
  endif()
endfunction()

function(lockstep_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/lockstep") # a file of the target's own name would be a circle to make
  file(MAKE_DIRECTORY "${folder}")
  set(program "${folder}/${name}")
  set(sources "")
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    message(FATAL_ERROR "lockstep_add_executable(${name}): which sources?")
  endif()
  # a program of several sources is linked at once, which writes no rule of its headers
  set(depends "")
  list(LENGTH sources n)
  if(n EQUAL 1)
    set(depends DEPFILE "${program}.d")
    set(rule -MD -MF "${program}.d" -MT "${program}")
  endif()
  add_custom_command(OUTPUT "${program}"
    COMMAND "${Lockstep_EXECUTABLE}" cc -g -lineinfo ${arg_OPTIONS} ${rule} ${sources} -o "${program}"
    DEPENDS ${sources} ${depends} VERBATIM COMMENT "${name} by lockstep cc")
  add_custom_target(${name} ALL DEPENDS "${program}")
  set_target_properties(${name} PROPERTIES LOCKSTEP_PROGRAM "${program}")
endfunction()

# Fails when the program does, or when the tools find an error.
function(lockstep_add_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "TOOLS;OPTIONS;ARGS")
  _lockstep_no_rest("lockstep_add_test(${target})" ${arg_UNPARSED_ARGUMENTS})
  _lockstep_program(${target} program)
  if(NOT arg_NAME)
    set(arg_NAME ${target}_lockstep)
  endif()
  if(NOT arg_TOOLS)
    set(arg_TOOLS all)
  endif()
  string(REPLACE ";" "," tools "${arg_TOOLS}")
  add_test(NAME ${arg_NAME} COMMAND "${Lockstep_EXECUTABLE}" check --tool ${tools} --error-exitcode 1 ${arg_OPTIONS}
           ${program} ${arg_ARGS})
endfunction()

# Fails when the program's kernels do something else than the baseline says. The target <name>_update writes or accepts it.
function(lockstep_add_gate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;BASELINE" "OPTIONS;ARGS")
  _lockstep_no_rest("lockstep_add_gate(${target})" ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_BASELINE)
    message(FATAL_ERROR "lockstep_add_gate(${target}): BASELINE, the file to compare with, is missing")
  endif()
  _lockstep_program(${target} program)
  if(NOT arg_NAME)
    set(arg_NAME ${target}_gate)
  endif()
  get_filename_component(baseline "${arg_BASELINE}" ABSOLUTE)
  add_test(NAME ${arg_NAME} COMMAND "${Lockstep_EXECUTABLE}" gate check "${baseline}" ${arg_OPTIONS} -- ${program} ${arg_ARGS}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  add_custom_target(${arg_NAME}_update
    COMMAND "${Lockstep_EXECUTABLE}" gate record -o "${baseline}" -- ${program} ${arg_ARGS}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" VERBATIM COMMENT "What ${target} does, into ${baseline}")
  add_dependencies(${arg_NAME}_update ${target})
endfunction()
