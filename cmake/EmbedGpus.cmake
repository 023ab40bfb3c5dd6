# cmake -DOUT=file -DFILES=a.json;b.json -P EmbedGpus.cmake: writes the GPU files as byte arrays into one C file.
set(arrays "")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(id ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char ${id}_json[] = {${bytes}};\n")
  string(APPEND rows "    {\"${id}\", ${id}_json, sizeof(${id}_json)},\n")
endforeach()
file(WRITE ${OUT} "/* Made by cmake/EmbedGpus.cmake from the files in gpus/. */\n#include \"base/gpu_files.h\"\n\n${arrays}\n"
  "const struct gpu_file gpu_files[] = {\n${rows}    {0, 0, 0},\n};\n")
