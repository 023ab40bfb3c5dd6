# The clang that compiles kernels to PTX: the ladders (kernels/) and the microbenchmarks (src/calibrate/).

find_program(LS_CLANG_CUDA NAMES clang-19 clang-20 clang-18 clang-17 clang-16 clang
             DOC "clang of version 16 or later, for .cu files")
set(hint "scripts/setup.sh installs it; or set LS_CLANG_CUDA to one.")
if(NOT LS_CLANG_CUDA)
  message(FATAL_ERROR "No clang was found, which compiles the kernels to PTX: ${hint}")
endif()
execute_process(COMMAND ${LS_CLANG_CUDA} -dumpversion OUTPUT_VARIABLE clang_version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(clang_version VERSION_LESS 16)
  message(FATAL_ERROR "${LS_CLANG_CUDA} is version ${clang_version}; the kernels need clang 16 or later: ${hint}")
endif()
