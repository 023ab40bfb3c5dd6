# nv_calls.awk - from clang's __clang_cuda_libdevice_declares.h, a .cu file with a kernel that calls every function
# declared there. Arguments are read from memory and results written to it, so that no call is left out.
BEGIN { RS = ";" }
match($0, /__DEVICE__ [a-z ]*__nv_[a-z0-9_]+\(.*\)/) {
    text = substr($0, RSTART + 11, RLENGTH - 11)
    gsub(/[ \n]+/, " ", text)
    open = index(text, "(")
    head = substr(text, 1, open - 1)
    params = substr(text, open + 1, length(text) - open - 1)
    name = head
    sub(/.*__nv_/, "__nv_", name)
    result = head
    sub(/ *__nv_.*/, "", result)
    n = split(params, param, /, */)
    call = name "("
    for (i = 1; i <= n; i++) {
        type = param[i]
        sub(/[A-Za-z_0-9]+ *$/, "", type)
        pointer = sub(/\*/, "", type)
        call = call (i > 1 ? ", " : "") (pointer ? "" : "*") "(" type " *)(in + " 16 * i ")"
    }
    call = call ")"
    body = body "    " (result == "void" ? "" : "*(" result " *)out = ") call ";\n    out += 16;\n"
    count++
}
END {
    print "#define __device__ __attribute__((device))\n#define CUDA_VERSION 9000 /* the SIMD functions are declared too */"
    print "#include <__clang_cuda_libdevice_declares.h>"
    print "extern \"C\" __attribute__((global)) void all(char *in, char *out)\n{\n" body "}"
    print "// functions: " count
}
