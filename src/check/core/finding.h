/* finding.h - one thing that is wrong: what, where, by whom, and how often.
 *
 * A finding names its place (a party), where there are two the other one, the memory that it is about, and the call of the
 * host that led to it. Findings of one place are one record with a count; the record describes the first. Texts are
 * owned as each field says; a finding that is handed to somebody is valid during the call only. */
#ifndef LS_CHECK_FINDING_H
#define LS_CHECK_FINDING_H

#include "base/base.h"
#include "exec/exec.h"

/* The tools (tools.def), a bit each. */
enum check_tool_how { CHECK_DEFAULT, CHECK_NAMED, CHECK_OPTION };
enum check_tool_number {
#define TOOL(id, ...) CHECK_NUMBER_##id,
#include "check/tools.def"
    CHECK_TOOLS
};
enum check_tool {
#define TOOL(id, ...) CHECK_##id = 1 << CHECK_NUMBER_##id,
#include "check/tools.def"
};
enum {
    CHECK_BY_DEFAULT = 0
#define TOOL(id, name, how, ...) | (CHECK_##how == CHECK_DEFAULT ? CHECK_##id : 0)
#include "check/tools.def"
    ,
    CHECK_ALL = 0
#define TOOL(id, name, how, ...) | (CHECK_##how == CHECK_OPTION ? 0 : CHECK_##id)
#include "check/tools.def"
};

enum check_severity { SEVERITY_WARNING, SEVERITY_ERROR };

/* FINDING(id, name, tool, severity, title, remedy): findings.def */
enum finding_kind {
#define FINDING(id, ...) FINDING_##id,
#include "check/core/findings.def"
#undef FINDING
    FINDING_KINDS
};

struct finding_info {
    const char *name; /* "out-of-bounds" */
    enum check_tool tool;
    enum check_severity severity;
    const char *title, *remedy;
};
const struct finding_info *finding_info(enum finding_kind kind);
bool finding_by_name(const char *name, enum finding_kind *out);
const char *check_tool_name(enum check_tool tool);          /* "memcheck" */
bool check_tool_by_name(const char *name, unsigned *tools); /* one name, or "all" */

/* A call of the host, with the frames above it, innermost first. Symbols are looked up later, by whoever prints. */
enum { HOST_FRAMES = 24 };
struct host_call {
    char api[64]; /* "cudaMalloc": what the program called; "" unknown */
    u32 nframes;
    u64 frames[HOST_FRAMES]; /* return addresses in this process */
};

enum party_does { DOES_NOTHING, DOES_READ, DOES_WRITE, DOES_ATOMIC, DOES_COPY, DOES_WAIT };

/* One side of a finding: a thread at an instruction, or an operation of the host's. Strings live as long as the module (or
 * are constants). */
struct party {
    const char *kernel;   /* mangled; NULL: none (the host) */
    const char *function; /* the function that contains the instruction, mangled; often the kernel */
    const char *launched; /* "launch 3 of vectorAdd in stream 7", "cudaMemcpyAsync in stream 13"; or NULL */
    bool has_thread;
    u32 block[3], thread[3];
    const char *file; /* source; NULL: unknown */
    u32 line, column;
    const char *ptx_file;
    u32 ptx_line;   /* 0: unknown */
    char ptx[96];   /* the instruction's text, "" unknown */
    u8 does;        /* enum party_does */
    u8 value_bytes; /* 0: no value known */
    u8 value[32];   /* as in memory: written, or read */
};

struct finding {
    enum finding_kind kind;
    enum check_severity severity;
    u64 launch; /* id of the launch, 0: none */
    u64 when;   /* check_options.clock's when it was found; 0 without one */
    struct party at, other;
    bool has_other;
    bool has_address;
    u8 space;              /* enum ptx_space */
    u64 address, size;     /* global: device address; shared, local: offset */
    char what[160];        /* compute-sanitizer's first line for it when it differs from the title, "" else:
                              "Invalid __global__ write of size 4 bytes" */
    char detail[1024];     /* lines, "\n" between: "0 bytes after the 64-byte allocation ..." */
    char launched_by[512]; /* a kernel that a kernel launched */
    u64 allocation;        /* serial of the allocation that it is about (mem_block.serial), 0: none */
    u64 count;             /* how often, at least 1 */
    u64 threads;           /* by how many threads, as far as is known; 0: not counted */
    struct host_call call; /* the launch, or the failing call; nframes 0: unknown */
    struct host_call made; /* where the allocation was made; nframes 0: unknown */
    struct host_call gone; /* where it was freed */
    bool has_made, has_gone;
};

/* A finding with its default severity, count 1 and everything else empty. */
void finding_init(struct finding *f, enum finding_kind kind);

/* ---- parties ---- */

/* The instruction `site` of func: file, line, column, PTX line and text, function. Of code that was inlined from headers of
 * the compiler or the toolkit, where it was inlined. */
void party_place(struct party *p, const struct ir_func *func, u32 site);
/* A number for its source line, with the lines that it was inlined at, so that the copies of an unrolled loop are one place;
 * without lines, the site. */
u32 finding_place(const struct ir_func *func, u32 site);
/* Which thread: lane of warp in block b; sets kernel too. */
void party_thread(struct party *p, const struct exec_block_info *b, u32 warp, unsigned lane);
/* Thread `linear` of block number `block` of a launch. */
void party_thread_linear(struct party *p, const struct exec_launch *l, u64 block, u32 linear);

/* ---- records ---- */

/* One line of JSON without newline, ls_realloc'ed; NULL: no memory. `id` numbers the finding in its process. */
char *finding_print(const struct finding *f, u64 id);

#endif
