#!/bin/sh
# test_messages.sh LOCKSTEP GOLDEN - what `lockstep cc` says to programs and options that are wrong: compared with
# GOLDEN/<case>.txt, folders and the lines of our headers masked; BLESS=1 writes those files.
set -u
lockstep=$1
golden=$2
cd "$(dirname "$0")/bad" || exit 1
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset LOCKSTEP_GPU LOCKSTEP_CLANG
LOCKSTEP_NVCC=/nonexistent/nvcc
export LOCKSTEP_NVCC

complain() {
    echo "$name: $*"
    failed=1
}

# says NAME STATUS ARGUMENT...
says() {
    name=$1 want=$2
    shift 2
    "$lockstep" cc "$@" -o "$tmp/out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" = "$want" ] || complain "exit status $got, expected $want"
    [ -s "$tmp/stdout" ] && complain "stdout is not empty: $(head -c 200 "$tmp/stdout")"
    # The folders of this machine are not part of the message.
    sed -e "s,$tmp,TMP,g" -e 's,/[^ ]*/lockstep-cc-[A-Za-z0-9]*,CC,g' -e 's,/[^ :]*/include/cuda,INCLUDE,g' \
        -e '/INCLUDE/{s,\(INCLUDE[^:]*\):[0-9]*:,\1:LINE:,' -e 'n' -e 's,^ *[0-9]* |, LINE |,' -e '}' "$tmp/err" >"$tmp/masked"
    if [ "${BLESS:-}" ]; then
        cp "$tmp/masked" "$golden/$name.txt"
    elif ! diff -u "$golden/$name.txt" "$tmp/masked"; then
        complain "not what it says in $golden/$name.txt"
    fi
}

says device_error 1 device_error.cu
says host_warning 0 -c host_warning.cu -Xcompiler -Wall
says host_warning_error 1 host_warning.cu -Xcompiler -Wall -Werror all-warnings
says host_function 1 host_function.cu
says thrust 1 thrust.cu
says managed_header 1 managed_header.cu
says cluster_dims_old 1 cluster_dims.cu -arch=sm_80
says cluster_dims_header 1 cluster_dims_header.cu -arch=sm_90
says nested_template 1 nested_template.cu
says nested_header 1 nested_header.cu
says nested_old 1 nested.cu -std=c++14
says no_file 3 nowhere.cu
says unknown_option 2 device_error.cu --frobnicate
says unknown_architecture 2 device_error.cu -arch=sm_1000
says ignored 0 -c host_warning.cu -Xptxas -v
says no_nvcc 3 --with nvcc device_error.cu
exit $failed
