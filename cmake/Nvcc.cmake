# NVIDIA's compiler, which is optional: with it tests run what it makes of the same sources.

find_program(LS_NVCC NAMES nvcc HINTS /usr/local/cuda/bin)

# An option for tests' programs: without libstdc++'s special functions of C++17, which none of them calls and which are read with
# <cmath>, in two passes of each compiler. Code for the device is the same.
set(LS_WITHOUT_SPECFUN -D_GLIBCXX_BITS_SPECFUN_H)

# What it makes does not depend on how Lockstep is built, and takes it long.
set(LS_NVCC_FROM "" CACHE PATH "Another build folder: what nvcc made there of the same files is copied")

# ls_nvcc_command(OUT COMMAND word... DEPENDS file... [COMMENT text] [FOLDER folder]): makes OUT by that command of those files
# (nvcc.sh). Through the compiler's launcher, if there is one; in the folder.
function(ls_nvcc_command out)
  cmake_parse_arguments(ARG "" "COMMENT;FOLDER" "COMMAND;DEPENDS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  set(script ${CMAKE_SOURCE_DIR}/cmake/nvcc.sh)
  add_custom_command(OUTPUT ${out} BYPRODUCTS ${out}.made
    COMMAND ${script} ${out} "${LS_NVCC_FROM}" ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} "${CMAKE_C_COMPILER_LAUNCHER}"
      ${ARG_DEPENDS} -- ${ARG_COMMAND}
    DEPENDS ${script} ${ARG_DEPENDS} WORKING_DIRECTORY ${ARG_FOLDER} VERBATIM COMMENT "${ARG_COMMENT}")
endfunction()
