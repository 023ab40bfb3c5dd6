/* abi.h - what a header says of the binary interface, as a table: abi_ours.c fills it from driver/cuda_abi.h,
 * abi_theirs.c from a toolkit's cuda.h, and test_abi.c compares. */
#ifndef TEST_ABI_H
#define TEST_ABI_H

struct abi_fact {
    const char *what;
    long value;
};

extern const struct abi_fact abi_ours[], abi_theirs[];
extern const unsigned abi_ours_count, abi_theirs_count;

#endif
