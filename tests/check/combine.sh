#!/usr/bin/env bash
# combine.sh FILE.cu... - one program of many, on stdout: each file in a namespace with its own name, and a main() that runs
# the one that its first argument names. Compiling a hundred small programs one by one takes minutes; the files stay
# whole programs, and what is found in them has their names and lines.
set -eu
echo '/* Made by combine.sh. */'
grep -h '^#include <' "$@" | sort -u || true # before the namespaces
echo '#include "check.h"'
echo '#define main program_main'
for file; do
    name=$(basename "$file" .cu)
    printf 'namespace %s {\n#include "%s"\n}\n' "$name" "$(realpath "$file")"
done
echo '#undef main'
echo 'int main(int argc, char **argv)'
echo '{'
echo '    const char *name = argc > 1 ? argv[1] : "";'
for file; do
    name=$(basename "$file" .cu)
    printf '    if (strcmp(name, "%s") == 0)\n        return %s::program_main();\n' "$name" "$name"
done
echo '    fprintf(stderr, "no program %s in here\n", name);'
echo '    return 2;'
echo '}'
