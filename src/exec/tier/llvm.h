/* llvm.h - LLVM as the compiled tier has it: a libLLVM of the machine, 16 or later, loaded at run time. There may be none.
 *
 * Nothing of LLVM's is needed to build: handles are our own opaque types, functions are pointers in a struct that
 * llvm.def makes (ll->BuildFAdd(b, x, y, "")), and constants of its enums stand here, with the values of LLVM's C API. */
#ifndef LS_EXEC_TIER_LLVM_H
#define LS_EXEC_TIER_LLVM_H

#include "base/base.h"

typedef struct llvm_opaque_context *llvm_context;
typedef struct llvm_opaque_module *llvm_module;
typedef struct llvm_opaque_type *llvm_type;
typedef struct llvm_opaque_value *llvm_value;
typedef struct llvm_opaque_block *llvm_block;
typedef struct llvm_opaque_builder *llvm_builder;
typedef struct llvm_opaque_metadata *llvm_metadata;
typedef struct llvm_opaque_attribute *llvm_attribute;
typedef struct llvm_opaque_use *llvm_use;
typedef struct llvm_opaque_target *llvm_target;
typedef struct llvm_opaque_machine *llvm_machine;
typedef struct llvm_opaque_layout *llvm_layout;
typedef struct llvm_opaque_buffer *llvm_buffer;
typedef struct llvm_opaque_error *llvm_error;
typedef struct llvm_opaque_pass_options *llvm_pass_options;
typedef struct llvm_opaque_diagnostic *llvm_diagnostic;

typedef void (*llvm_diagnostic_handler)(llvm_diagnostic what, void *ctx);
typedef void (*llvm_yield_callback)(llvm_context c, void *ctx);
typedef void (*llvm_fatal_handler)(const char *reason);

enum llvm_type_kind {
    LLVM_TYPE_VOID,
    LLVM_TYPE_HALF,
    LLVM_TYPE_FLOAT,
    LLVM_TYPE_DOUBLE,
    LLVM_TYPE_LABEL = 7,
    LLVM_TYPE_INTEGER,
    LLVM_TYPE_FUNCTION,
    LLVM_TYPE_STRUCT,
    LLVM_TYPE_ARRAY,
    LLVM_TYPE_POINTER,
    LLVM_TYPE_VECTOR,
    LLVM_TYPE_METADATA,
    LLVM_TYPE_BFLOAT = 18,
};

enum llvm_icmp {
    LLVM_EQ = 32,
    LLVM_NE,
    LLVM_UGT,
    LLVM_UGE,
    LLVM_ULT,
    LLVM_ULE,
    LLVM_SGT,
    LLVM_SGE,
    LLVM_SLT,
    LLVM_SLE,
};

/* O: ordered, neither is a NaN. U: or one is. */
enum llvm_fcmp {
    LLVM_FALSE,
    LLVM_OEQ,
    LLVM_OGT,
    LLVM_OGE,
    LLVM_OLT,
    LLVM_OLE,
    LLVM_ONE,
    LLVM_ORD,
    LLVM_UNO,
    LLVM_FUEQ,
    LLVM_FUGT,
    LLVM_FUGE,
    LLVM_FULT,
    LLVM_FULE,
    LLVM_FUNE,
    LLVM_TRUE,
};

enum llvm_ordering {
    LLVM_NOT_ATOMIC,
    LLVM_UNORDERED,
    LLVM_MONOTONIC, /* C's relaxed */
    LLVM_ACQUIRE = 4,
    LLVM_RELEASE,
    LLVM_ACQUIRE_RELEASE,
    LLVM_SEQUENTIAL,
};

enum llvm_rmw {
    LLVM_RMW_XCHG,
    LLVM_RMW_ADD,
    LLVM_RMW_SUB,
    LLVM_RMW_AND,
    LLVM_RMW_NAND,
    LLVM_RMW_OR,
    LLVM_RMW_XOR,
    LLVM_RMW_MAX,
    LLVM_RMW_MIN,
    LLVM_RMW_UMAX,
    LLVM_RMW_UMIN,
    LLVM_RMW_FADD,
    LLVM_RMW_FSUB,
    LLVM_RMW_FMAX,
    LLVM_RMW_FMIN,
};

/* For BuildBinOp, BuildCast and GetInstructionOpcode. */
enum llvm_opcode {
    LLVM_OP_RET = 1,
    LLVM_OP_BR,
    LLVM_OP_SWITCH,
    LLVM_OP_INDIRECT_BR,
    LLVM_OP_UNREACHABLE = 7,
    LLVM_OP_ADD,
    LLVM_OP_FADD,
    LLVM_OP_SUB,
    LLVM_OP_FSUB,
    LLVM_OP_MUL,
    LLVM_OP_FMUL,
    LLVM_OP_UDIV,
    LLVM_OP_SDIV,
    LLVM_OP_FDIV,
    LLVM_OP_UREM,
    LLVM_OP_SREM,
    LLVM_OP_FREM,
    LLVM_OP_SHL,
    LLVM_OP_LSHR,
    LLVM_OP_ASHR,
    LLVM_OP_AND,
    LLVM_OP_OR,
    LLVM_OP_XOR,
    LLVM_OP_ALLOCA,
    LLVM_OP_LOAD,
    LLVM_OP_STORE,
    LLVM_OP_GEP,
    LLVM_OP_TRUNC,
    LLVM_OP_ZEXT,
    LLVM_OP_SEXT,
    LLVM_OP_FPTOUI,
    LLVM_OP_FPTOSI,
    LLVM_OP_UITOFP,
    LLVM_OP_SITOFP,
    LLVM_OP_FPTRUNC,
    LLVM_OP_FPEXT,
    LLVM_OP_PTRTOINT,
    LLVM_OP_INTTOPTR,
    LLVM_OP_BITCAST,
    LLVM_OP_ICMP,
    LLVM_OP_FCMP,
    LLVM_OP_PHI,
    LLVM_OP_CALL,
    LLVM_OP_SELECT,
    LLVM_OP_FNEG = 66,
    LLVM_OP_FREEZE = 68,
};

enum llvm_linkage { LLVM_EXTERNAL = 0, LLVM_INTERNAL = 8, LLVM_PRIVATE = 9 };
enum llvm_visibility { LLVM_VISIBLE, LLVM_HIDDEN };
enum llvm_unnamed { LLVM_ADDRESS_MATTERS, LLVM_ADDRESS_LOCAL, LLVM_ADDRESS_NONE };
enum llvm_severity { LLVM_SEVERITY_ERROR, LLVM_SEVERITY_WARNING, LLVM_SEVERITY_REMARK, LLVM_SEVERITY_NOTE };
enum llvm_verify { LLVM_VERIFY_ABORT, LLVM_VERIFY_PRINT, LLVM_VERIFY_TELL };
enum llvm_opt_level { LLVM_O0, LLVM_O1, LLVM_O2, LLVM_O3 };
enum llvm_reloc { LLVM_RELOC_DEFAULT, LLVM_RELOC_STATIC, LLVM_RELOC_PIC };
enum llvm_code_model { LLVM_CODE_DEFAULT, LLVM_CODE_JIT, LLVM_CODE_TINY, LLVM_CODE_SMALL };
enum llvm_file_type { LLVM_FILE_ASSEMBLY, LLVM_FILE_OBJECT };
enum llvm_asm_dialect { LLVM_ASM_ATT, LLVM_ASM_INTEL };
enum llvm_module_flag { LLVM_FLAG_ERROR, LLVM_FLAG_WARNING };

/* Calling conventions, and where an attribute stands: parameters count from 1. */
enum { LLVM_CALL_C = 0, LLVM_CALL_FAST = 8 };
#define LLVM_AT_RETURN 0u
#define LLVM_AT_FUNCTION UINT32_MAX

struct llvm {
#define LLVM_FUNCTION(result, Name, parameters) result(*Name) parameters;
#include "exec/tier/llvm.def"
};

enum { LLVM_WHY = 512 };

/* Which library to take: a path or a name as for dlopen, `none`, or NULL (as it is at first): the first that is found of
 * those that are known to work. Has no effect once llvm_load was called. */
void llvm_choose(const char *file);
/* The library, loaded and its x86 target made ready by the first call, which takes some 30 ms: not for a thread that runs
 * a kernel. NULL: there is none, or it broke (llvm_guard), which why[n] says. Any thread. */
const struct llvm *llvm_load(char *why, size_t n);
/* "19.1.7" and the file that it is from, once llvm_load has returned it; "" before. */
const char *llvm_version(void);
const char *llvm_file(void);

/* Runs what calls LLVM. A fatal error of LLVM's, which would end the process, ends `run` where it stands instead: false,
 * and why says LLVM's reason. What run had allocated is lost then, a lock that LLVM held stays held, and no llvm_load
 * returns the library any more. Also false when the process has begun to end. Does not nest. */
bool llvm_guard(void (*run)(void *), void *arg, char *why, size_t n);

/* For what runs in a guard, between steps that take long: does not return once the process has begun to end, because
 * libLLVM's exit handlers then take away what it stands on. exit() waits for that, for at most five seconds. Choosing the
 * instructions of a function is one step, so a function should not be of many thousand. */
void llvm_rest(void);

/* For the main thread and those that ask for code: exit(), called by one of them, waits while another thread loads LLVM. */
void llvm_hold_exit(void);

#endif
