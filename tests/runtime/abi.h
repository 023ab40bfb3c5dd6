/* abi.h - facts of the CUDA runtime API as one compiler run sees them: abi_ours.c with our headers, abi_theirs.c with a
 * toolkit's. The list of what is looked at comes from our headers (facts.awk). */
#ifndef RUNTIME_ABI_H
#define RUNTIME_ABI_H

struct fact {
    const char *what;
    long long value;
};

extern const struct fact abi_ours[], abi_theirs[];
extern const unsigned abi_ours_count, abi_theirs_count;

#endif
