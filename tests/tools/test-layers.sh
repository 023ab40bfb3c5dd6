#!/usr/bin/env bash
# test-layers.sh CHECK - plants violations in a small tree and demands that the layer check finds each, at its line, and
# that it passes the tree without them.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{base,ptx,exec,meter,driver,check/somecheck,attach,runtime,lab}
failures=0

plant() # FILE TEXT
{
    printf '%b' "$2" >"$tree/src/$1"
}

expect() # WHAT STATUS [PATTERN]
{
    local out status=0
    out=$("$check" "$tree" 2>&1) || status=$?
    if [ "$status" != "$2" ] || { [ -n "${3:-}" ] && ! grep -qF -- "$3" <<<"$out"; }; then
        echo "FAIL $1: status $status, wanted $2 and '${3:-}' in:"
        echo "$out"
        failures=$((failures + 1))
    fi
}

clean()
{
    plant base/a.h '#include <stdio.h>\n#include "base/b.h"\n'
    plant ptx/a.c '#include "base/a.h"\n#include "local.h"\n'
    plant exec/CMakeLists.txt 'file(GLOB s *.c)\nls_module(exec SOURCES ${s} USES base ptx) # not meter\n'
    plant exec/a.c '/* #include order */\n#include "../base/a.h"\n'
    plant lab/a.c '#include "driver/cuda.h"\n#include "base/a.h"\n'
    plant driver/a.c '#include "exec/a.h"\n'
}

clean
expect 'a clean tree' 0 '7 uses'
plant base/a.h '#include <stdio.h>\n\n#include "ptx/a.h"\n'
expect 'an include of a later directory' 1 'src/base/a.h:3: base may not use ptx'
clean
plant ptx/a.c '  #  include "../exec/a.h"\n'
expect 'the same by a relative path' 1 'src/ptx/a.c:1: ptx may not use exec'
clean
plant exec/CMakeLists.txt 'ls_module(exec SOURCES a.c\n  USES base\n  meter)\n'
expect 'USES of a later module' 1 'src/exec/CMakeLists.txt:3: exec may not use meter'
clean
plant exec/CMakeLists.txt 'target_link_libraries(ls_exec PUBLIC ls_driver)\n'
expect 'linking a later module' 1 'src/exec/CMakeLists.txt:1: exec may not use driver'
clean
plant lab/a.c '#include "exec/exec.h"\n'
expect 'the lab reaching into the engine' 1 'src/lab/a.c:1: lab may not use exec'
clean
for words in 'if (somecheck)' 'read("LOCKSTEP_TIMELINE")' '/* for the timeline */' 'if (check_on)'; do
    plant driver/a.c "int a;\n$words\n"
    expect "the driver naming a tool: $words" 1 'src/driver/a.c:2: the driver may not name a tool'
done
plant driver/a.c 'static int check_one(void);\n/* the checks above */\n'
expect 'words like those of tools' 0
clean
plant base/settings.c 'x = getenv(name);\n'
expect 'the file of the environment' 0
plant exec/a.c '#include "base/a.h"\nreturn getenv("A") != 0;\n'
expect 'the environment elsewhere' 1 'src/exec/a.c:2: the environment is asked and changed in src/base/settings.c alone'
plant exec/a.c '#include "base/a.h"\n\nif (unsetenv ("A"))\n'
expect 'the environment changed elsewhere' 1 'src/exec/a.c:3: the environment'
plant exec/a.c '#include "base/a.h"\nmy_setenv("A");\n'
expect 'a function of another name' 0
clean
mkdir "$tree/src/helpers"
expect 'a directory without a place' 1 'src/helpers: not in the order'
rmdir "$tree/src/helpers"
expect 'the clean tree again' 0

[ "$failures" = 0 ] || exit 1
echo 'every planted violation was found'
