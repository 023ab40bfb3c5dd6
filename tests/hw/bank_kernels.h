/* bank_kernels.h - a PTX kernel for each kind of access of bank-probe.csv: one warp does exactly that access once, at
 * byte offsets read from a table and under a mask. The same text runs on Lockstep's engine and through any CUDA driver. */
#ifndef LS_TESTS_BANK_KERNELS_H
#define LS_TESTS_BANK_KERNELS_H

#include <stddef.h>

/* Parameters of the kernel "probe": u64 table (32 x u32 byte offsets), u64 sink (32 x 16 bytes), u32 mask. The length of
 * the text that was written to buf, 0 when the op is unknown or there is no room. */
size_t bank_kernel(const char *op, char *buf, size_t room);

#endif
