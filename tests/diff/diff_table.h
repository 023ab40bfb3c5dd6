/* diff_table.h - what the reference exports: its kernels by name, and the sizes of the memory they use. */
#ifndef DIFF_TABLE_H
#define DIFF_TABLE_H

struct diff_kernel {
    const char *name;
    unsigned seed, threads, blocks;
    void (*run)(const unsigned *in, unsigned *out, unsigned *acc, unsigned *scratch, unsigned n);
};

/* In u32: `in`, `out` and `scratch` a thread, `acc`. */
enum { DIFF_IN = 1024, DIFF_OUT = 32, DIFF_ACC = 64 + 16 };

#endif
