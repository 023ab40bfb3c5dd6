/* video.h - how the record of a video instruction (PTX ISA 9.7.18) says what to do, in imm: made by emit_video.c, read by
 * exec/ops/video.inc. Operands are 32-bit slots d, a, b, c.
 *
 *     bits 0-15   flags         16-19  comparison     20-23  scale: 0, 7 or 15     24-31  bytes of d that are written
 *     bits 32-47  selection of a        48-63  selection of b
 *
 * A selection is, of a scalar instruction, its first byte and, four bits higher, how many bytes it has; of a packed one,
 * four bits for each element, the lowest first: which element of the concatenation {b, a}. */
#ifndef LS_IR_VIDEO_H
#define LS_IR_VIDEO_H

enum {
    VIDEO_SIGNED_D = 1,
    VIDEO_SIGNED_A = 2,
    VIDEO_SIGNED_B = 4,
    VIDEO_SAT = 8,
    VIDEO_ADD = 16, /* d = c + result; scalar also: */
    VIDEO_MIN = 32,
    VIDEO_MAX = 64,
    VIDEO_WRAP = 128, /* shifts: by b modulo 32; else by 32 at most */
    VIDEO_EQ = 0 << 16,
    VIDEO_NE = 1 << 16,
    VIDEO_LT = 2 << 16,
    VIDEO_LE = 3 << 16,
    VIDEO_GT = 4 << 16,
    VIDEO_GE = 5 << 16,
    VIDEO_CMP = 15 << 16,
    VIDEO_BYTES_AT = 24,
    VIDEO_A_AT = 32,
    VIDEO_B_AT = 48,
};

#endif
