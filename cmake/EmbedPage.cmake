# cmake -DOUT=file -DTEMPLATE=page.html -DSTYLE=style.css -DSCRIPTS=a.js;b.js -P EmbedPage.cmake: writes the HTML report's page, style
# and script (the scripts one after the other) as byte arrays into one C file.
function(read_bytes to)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} hex HEX)
    string(APPEND all "${hex}")
  endforeach()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${all}")
  set(${to} "${bytes}" PARENT_SCOPE)
endfunction()
read_bytes(template ${TEMPLATE})
read_bytes(style ${STYLE})
read_bytes(script ${SCRIPTS})
file(WRITE ${OUT} "/* Made by cmake/EmbedPage.cmake from the files in src/report/html/. */\n#include \"report/html/html_parts.h\"\n\n"
  "const char html_template[] = {${template}0};\nconst char html_style[] = {${style}0};\nconst char html_script[] = {${script}0};\n")
