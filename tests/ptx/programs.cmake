# ptx_programs: the test programs by name, those that make.py makes and those written by hand. Included where they are
# needed; the target ptx_made, of this folder, makes the former.
set(ptx_folder ${CMAKE_BINARY_DIR}/tests/ptx/made)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/ptx/made.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/tests/ptx/made.txt ptx_made)
list(TRANSFORM ptx_made PREPEND ${ptx_folder}/)
list(TRANSFORM ptx_made APPEND .ptx)
file(GLOB ptx_programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/ptx/*.ptx)
list(APPEND ptx_programs ${ptx_made})
list(SORT ptx_programs COMPARE FILE_BASENAME)
