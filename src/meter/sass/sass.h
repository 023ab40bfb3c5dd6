/* sass.h - what ptxas made of a module, instruction by instruction: for counting only, nothing is run from it.
 *
 * ptxas -lineinfo writes a section .nv_debug_line_sass into its output, a DWARF 2 line table from machine instructions to
 * lines of the PTX text that it was given. With that, and the opcode, guard and width of each machine instruction, it
 * can be said what became of each PTX instruction. */
#ifndef LS_METER_SASS_H
#define LS_METER_SASS_H

#include "base/arena.h"
#include "base/base.h"

enum sass_op {
    SASS_OTHER,
    SASS_NOP, /* also what is never reached: a branch to itself behind the last exit */
    SASS_LDG,
    SASS_STG,
    SASS_LDS,
    SASS_STS,
    SASS_LDL,
    SASS_STL,
    SASS_LD, /* generic */
    SASS_ST,
    SASS_ATOMS,
    SASS_ATOMG,
    SASS_RED,
    SASS_BRA,
    SASS_BRX,
    SASS_CALL,
    SASS_RET,
    SASS_EXIT,
    SASS_BAR,
    SASS_SHFL,
    SASS_COLLECT, /* WARPSYNC.COLLECTIVE: the way round for a warp that came apart */
    SASS_BSSY,    /* from here on lanes that part meet at its BSYNC */
    SASS_BSYNC,
};

enum { SASS_BYTES = 16 }; /* of an instruction */

struct sass_inst {
    u64 low, high; /* as it is in the file */
    u32 line;      /* of the PTX text, from 1; 0: none */
    u8 op;         /* enum sass_op */
    u8 bytes;      /* a lane, of loads and stores of the spaces above; else 0 */
    bool guarded;  /* @P, or a branch that a uniform register decides */
    i32 target;    /* of BRA and CALL.REL: index of an instruction; -1 */
};

struct sass_func {
    const char *name;
    struct sass_inst *insts;
    const char **words; /* by instruction, as the disassembler `said_by` writes them; NULL: none was asked */
    const char *said_by;
    u32 n;
};

struct sass {
    struct sass_func *funcs;
    u32 n;
};

/* Reads a cubin, in mem (whose recovery point is set). NULL: it is not one, or it has no line table. */
struct sass *sass_read(struct arena *mem, const void *cubin, size_t size);
const struct sass_func *sass_find(const struct sass *s, const char *name); /* NULL: there is none */

/* ---- sass_text.c: an instruction for people ---- */

/* "@!P0 BRA 0x1a0", "LDG.64": guard, word, bytes and target, which is what is known without a disassembler; "?" for an opcode that no
 * table has. */
const char *sass_text(struct arena *mem, const struct sass_func *f, u32 inst, u32 cc_major);
const char *sass_pipe_name(u32 pipe); /* of enum replay_pipe: "fma", "lsu" */

/* ---- disassemble.c ---- */

struct ptxas;
/* Has the words of all instructions said by a disassembler that stands beside the ptxas or on PATH; without one they stay NULL. tmp
 * is for the time of the call. */
void disassemble(struct arena *mem, struct arena *tmp, struct sass *code, const struct ptxas *with,
                 const char *cubin_file);
/* The same from its text, as `nvdisasm -c` and `cuobjdump -sass` write it. */
void disassembled(struct arena *mem, struct arena *tmp, struct sass *code, const char *text, const char *by);

/* ---- sass_ops.c: of each 128-bit instruction the fields ---- */

struct sass_row {
    u16 code, since;
    const char *name;
    u8 kind;   /* enum sass_op */
    u8 pipe;   /* enum replay_pipe */
    u8 op;     /* enum replay_op */
    u8 result; /* enum unit_result */
};

/* What the bits from 105 on say of how it is issued. */
struct sass_control {
    u8 stall;               /* cycles until the warp's next instruction */
    bool yield;             /* another warp's instruction is preferred next */
    u8 write_bar, read_bar; /* scoreboard that it counts up, SASS_NO_BAR: none */
    u8 wait;                /* bit k: issues when scoreboard k is at zero */
};
enum { SASS_NO_BAR = 7 };

const struct sass_row *sass_row_of(u64 low, u32 cc_major); /* NULL: the table has no such opcode */
struct sass_control sass_control_of(u64 high);
bool sass_never_runs(u64 low);                      /* @!PT */
bool sass_reads_constant(u64 low);                  /* an operand of its is c[bank][at]: of what computes */
bool sass_constant_at(u64 low, u32 *bank, u32 *at); /* its operand c[bank][at]; false: a register says where */
/* Registers that an instruction of a fixed latency reads, by place of the operand, 255: none. In `wide` bit k says that it is the
 * first of two (REPLAY_WIDE_RESULT as in replay/code.h), in `reuse` that it is kept for the next instruction. */
struct sass_reads {
    u8 regs[3];
    u8 wide, reuse;
};
struct sass_reads sass_reads_of(const struct sass_row *row, u64 low, u64 high);
bool sass_reads_number(u64 low); /* of BAR: which barrier it is stands in a register */
u32 sass_copy_groups(u64 low);   /* of DEPBAR: how many groups of copies may stay under way */
/* Of WARPGROUP: it waits, and how many groups of products may stay under way. Of HGMMA and its kin: it closes a group. */
bool sass_waits_for_products(u64 low);
/* Of a load, a store or an LDC: bytes of a lane (bits 73 to 75). */
u8 sass_width(u64 high);
bool sass_empties_l1(u64 low); /* CCTL.IVALL */
u32 sass_product_groups(u64 high);
bool sass_closes_products(u64 high);
bool sass_is_double_product(const struct sass_row *row);
u32 sass_matrix_macs(const struct sass_row *row,
                     u64 high); /* multiply-adds of a product of matrices, as if of halves */

/* ---- sass_lines.c ---- */

/* Where a sequence of the line table begins: `section` is the code's, `at` an offset in the table. */
struct sass_origin {
    u64 at;
    u32 section;
};

/* Calls row for each row of a DWARF 2 line table; addresses count from the start of the section. False: damaged. */
bool sass_lines(const u8 *table, size_t size, const struct sass_origin *origins, u32 n,
                void (*row)(void *ctx, u32 section, u64 address, u32 line), void *ctx);

#endif
