/* abi_table.h - the table itself, for whichever headers were included before: ABI_TABLE, ABI_COUNT are its names. */
#include <stddef.h>

#define VECTORS(X, n)                                                                                                  \
    X(char##n)                                                                                                         \
    X(uchar##n)                                                                                                        \
    X(short##n)                                                                                                        \
    X(ushort##n) X(int##n) X(uint##n) X(long##n) X(ulong##n) X(longlong##n) X(ulonglong##n) X(float##n) X(double##n)
#define WIDE(X, align) X(long4_##align) X(ulong4_##align) X(longlong4_##align) X(ulonglong4_##align) X(double4_##align)
#define VECTOR(type) {"sizeof " #type, sizeof(type)}, {"alignof " #type, _Alignof(type)},

const struct fact ABI_TABLE[] = {
#define ENUMERATOR(name) {#name, (long long)(name)},
#define MACRO(name) {#name, (long long)(name)},
#define SIZE(type) {"sizeof " #type, sizeof(type)}, {"alignof " #type, _Alignof(type)},
#define MEMBER(type, path)                                                                                             \
    {"offset of " #type " " #path, offsetof(type, path)}, {"size of " #type " " #path, sizeof((type *)0)->path},
#include "facts.inc"
    VECTORS(VECTOR, 1) VECTORS(VECTOR, 2) VECTORS(VECTOR, 3) VECTORS(VECTOR, 4) WIDE(VECTOR, 16a) WIDE(VECTOR, 32a)
        VECTOR(dim3)};

const unsigned ABI_COUNT = sizeof ABI_TABLE / sizeof ABI_TABLE[0];
