# program.cmake - CUDA programs as tests.
#
# ls_cuda_program(name [SOURCES file...] [HEADERS file...] [EXPECT name] [ARCH 90a] [FLAGS option...] [ARGS word...]
#                 [ENV NAME=value...] [NVCC_ONLY] [CCCL] [SLOW] [LONG_BUILD])
#   name.cu, or SOURCES, is compiled twice with the same options: by nvcc, where there is one, while building (all of it
#   is the target `<prefix>s`), and by `lockstep cc` in the test itself. CTest runs the two as <prefix>_<name> and
#   <prefix>_cc_<name> and compares with <EXPECT or name>.expect. CCCL: it includes headers of NVIDIA's CCCL, which
#   `lockstep cc` is given from nvcc's toolkit; without one its test is left out. With sanitizers one compiler is enough,
#   as the code under test is the libraries', and SLOW programs are left out. ENV is the environment of the run.
#   LONG_BUILD: nvcc takes long over it, so that the target `slow` makes it, and its tests are slow ones (ls_slow).
# ls_cuda_ptx(file.cu) makes file.ptx in the build folder; ls_cuda_library(file.cu), by nvcc, nvcc/file.so.
# ls_cuda_programs_target() ends the list.

set(ls_program_prefix program)
set(ls_program_sources ${CMAKE_CURRENT_SOURCE_DIR})
set(ls_program_expect ${CMAKE_CURRENT_SOURCE_DIR})
set(ls_program_headers ${CMAKE_CURRENT_SOURCE_DIR}/program.h)
set(ls_program_runner ${CMAKE_SOURCE_DIR}/tests/programs/run.sh)

set(ls_program_made ${CMAKE_CURRENT_BINARY_DIR}/nvcc)

# PTX alone is embedded: nvcc then has no need of ptxas.
set(ls_program_nvcc ${LS_NVCC} -cudart shared -gencode arch=compute_90,code=compute_90 ${LS_WITHOUT_SPECFUN})
set(ls_program_cc cc -cudart shared -arch=sm_90 ${LS_WITHOUT_SPECFUN})

# CUB, Thrust and libcu++, as nvcc's toolkit has them.
if(LS_NVCC)
  get_filename_component(ls_program_toolkit ${LS_NVCC} REALPATH)
  get_filename_component(ls_program_toolkit ${ls_program_toolkit} DIRECTORY)
  find_path(LS_CCCL cub/cub.cuh HINTS ${ls_program_toolkit}/../include/cccl ${ls_program_toolkit}/../include
            NO_DEFAULT_PATH DOC "The headers of NVIDIA's CCCL")
endif()

# The program by nvcc: a file of the build, and its test.
function(ls_cuda_program_nvcc)
  set(program ${ls_program_made}/${ARG_NAME})
  list(TRANSFORM ls_program_nvcc REPLACE compute_90 compute_${ARG_ARCH} OUTPUT_VARIABLE nvcc)
  ls_nvcc_command(${program} COMMENT "CUDA program ${ARG_NAME} by nvcc" COMMAND ${nvcc} ${ARG_SOURCES} -o ${program} ${ARG_FLAGS}
    DEPENDS ${ARG_SOURCES} ${ARG_HEADERS} ${ls_program_headers})
  if(ARG_LONG_BUILD)
    set_property(DIRECTORY APPEND PROPERTY ls_program_long_files ${program})
  else()
    set_property(DIRECTORY APPEND PROPERTY ls_program_files ${program})
  endif()
  set(test ${ls_program_prefix}_${ARG_NAME})
  add_test(NAME ${test} COMMAND ${ls_program_runner} $<TARGET_FILE:lockstep> ${ARG_EXPECT} ${program} ${ARG_ARGS})
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 ENVIRONMENT "${ARG_ENV}")
  if(ARG_LONG_BUILD)
    ls_slow(${test})
  endif()
endfunction()

# The program by `lockstep cc`: a test.
function(ls_cuda_program_cc)
  set(test ${ls_program_prefix}_cc_${ARG_NAME})
  list(TRANSFORM ls_program_cc REPLACE sm_90 sm_${ARG_ARCH} OUTPUT_VARIABLE cc)
  add_test(NAME ${test} COMMAND ${ls_program_runner} $<TARGET_FILE:lockstep> ${ARG_EXPECT}
    --compile ${ARG_NAME} ${cc} ${ARG_SOURCES} ${ARG_FLAGS} --run ${ARG_ARGS})
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 ENVIRONMENT "${ARG_ENV}")
  if(ARG_LONG_BUILD)
    ls_slow(${test})
  endif()
endfunction()

function(ls_cuda_program name)
  cmake_parse_arguments(ARG "NVCC_ONLY;CCCL;SLOW;LONG_BUILD" "EXPECT;ARCH" "SOURCES;HEADERS;FLAGS;ARGS;ENV" ${ARGN})
  if(ARG_SLOW AND LS_SANITIZE)
    return()
  endif()
  set(ARG_NAME ${name})
  if(NOT ARG_ARCH)
    set(ARG_ARCH 90)
  endif()
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${name}.cu)
  endif()
  if(NOT ARG_EXPECT)
    set(ARG_EXPECT ${name})
  endif()
  set(ARG_EXPECT ${ls_program_expect}/${ARG_EXPECT}.expect)
  list(TRANSFORM ARG_SOURCES PREPEND ${ls_program_sources}/)
  list(TRANSFORM ARG_HEADERS PREPEND ${ls_program_sources}/)
  if(LS_NVCC)
    ls_cuda_program_nvcc()
  endif()
  if(ARG_CCCL AND NOT LS_CCCL)
    set(ARG_NVCC_ONLY ON)
  elseif(ARG_CCCL)
    list(APPEND ARG_FLAGS -I${LS_CCCL})
  endif()
  if(NOT ARG_NVCC_ONLY AND NOT (LS_NVCC AND LS_SANITIZE))
    ls_cuda_program_cc()
  endif()
endfunction()

function(ls_cuda_ptx source)
  get_filename_component(stem ${source} NAME_WE)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${stem}.ptx)
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${LS_CLANG_CUDA} -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib
      --cuda-path=/nonexistent -O3 -S
      -include ${CMAKE_SOURCE_DIR}/kernels/lockstep_device.cuh ${ls_program_sources}/${source} -o ${ptx}
    DEPENDS ${ls_program_sources}/${source} VERBATIM COMMENT "PTX of ${source}")
  set_property(DIRECTORY APPEND PROPERTY ls_program_files ${ptx})
endfunction()

function(ls_cuda_library source)
  get_filename_component(stem ${source} NAME_WE)
  set(library ${ls_program_made}/${stem}.so)
  ls_nvcc_command(${library} COMMENT "CUDA library ${stem} by nvcc" DEPENDS ${ls_program_sources}/${source}
    COMMAND ${ls_program_nvcc} -shared -Xcompiler -fPIC ${ls_program_sources}/${source} -o ${library})
  set_property(DIRECTORY APPEND PROPERTY ls_program_files ${library})
endfunction()

function(ls_cuda_programs_target)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/nvcc)
  get_property(files DIRECTORY PROPERTY ls_program_files)
  add_custom_target(${ls_program_prefix}s ALL DEPENDS ${files})
  get_property(files DIRECTORY PROPERTY ls_program_long_files)
  if(files)
    add_custom_target(${ls_program_prefix}s_long DEPENDS ${files})
    add_dependencies(slow ${ls_program_prefix}s_long)
  endif()
endfunction()
