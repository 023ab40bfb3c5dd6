/* codegen.c - see codegen.h.
 *
 * The emitter's code is made of whole warps already: there is nothing to vectorise or unroll, and calls are to the engine.
 * What LLVM has to do is to keep values in registers across what was written instruction by instruction, to fold what is
 * constant in a launch, and to choose instructions. So the passes are few.
 *
 * Nothing here lets LLVM change a result: no fast-math flags, and fused multiply-adds are those that were asked for. */
#include "exec/tier/codegen.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define TRIPLE "x86_64-unknown-linux-gnu"

/* Parsed by LLVM 16 to 23. They take less than a tenth of a compilation, of which choosing instructions is half. With
 * sroa, gvn, dse and a second instcombine they took three to five times as long, and the code of eleven textbook kernels had up
 * to 3 % fewer instructions or more, none in most; default<O3> was no better. */
static const char *const passes[] = {
    "function(early-cse<memssa>)",
    "function(instcombine)",
    "function(simplifycfg)",
    "function(loop-mssa(licm))",
};
/* From 18 on an instcombine that is named without this ends the process when it would have found more to do. */
static const char calm_instcombine[] = "function(instcombine<no-verify-fixpoint>)";

static const struct {
    const char *cpu, *features, *width; /* of vectors, in bits */
} levels[ISA_COUNT] = {
    /* LLVM would use half of a register of 512 bits by default. */
    [ISA_V3] = {"x86-64-v3", "", "256"},
    [ISA_V4] = {"x86-64-v4", "-prefer-256-bit", "512"},
};

struct codegen {
    const struct llvm *ll;
    llvm_module module;
    enum exec_isa isa;
    llvm_machine machine;
    bool failed; /* a diagnostic that is an error */
    char *why;
    size_t n;
};

const char *tier_codegen_recipe(void) { return "4"; }

/* ---- what LLVM says ---- */

static enum ls_status refuse(struct codegen *c, const char *what, const char *text)
{
    if (!c->failed) /* the first is the cause */
        snprintf(c->why, c->n, "%s: %s", what, text ? text : "no reason given");
    c->failed = true;
    return LS_ERR_UNSUPPORTED;
}

/* Of a context; without one LLVM prints on stderr and ends the process. */
static void diagnose(llvm_diagnostic d, void *ctx)
{
    struct codegen *const c = ctx;
    if (c->ll->GetDiagInfoSeverity(d) != LLVM_SEVERITY_ERROR)
        return;
    char *const text = c->ll->GetDiagInfoDescription(d);
    refuse(c, "LLVM reports an error", text);
    c->ll->DisposeMessage(text);
}

/* Between two passes over a function in the code generator. */
static void between(llvm_context context, void *ctx)
{
    (void)context;
    (void)ctx;
    llvm_rest();
}

/* ---- steps ---- */

static enum ls_status make_machine(struct codegen *c)
{
    llvm_target target;
    char *text = NULL;
    if (c->ll->GetTargetFromTriple(TRIPLE, &target, &text)) {
        const enum ls_status s = refuse(c, "this LLVM has no x86-64", text);
        c->ll->DisposeMessage(text);
        return s;
    }
    c->machine = c->ll->CreateTargetMachine(target, TRIPLE, levels[c->isa].cpu, levels[c->isa].features, LLVM_O2,
                                            LLVM_RELOC_PIC, LLVM_CODE_SMALL);
    return c->machine ? LS_OK : refuse(c, "LLVM makes no code for", levels[c->isa].cpu);
}

static void set_string(struct codegen *c, llvm_value function, const char *key, const char *value)
{
    const llvm_context context = c->ll->GetModuleContext(c->module);
    c->ll->AddAttributeAtIndex(
        function, LLVM_AT_FUNCTION,
        c->ll->CreateStringAttribute(context, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

static void set_target(struct codegen *c)
{
    const llvm_layout layout = c->ll->CreateTargetDataLayout(c->machine);
    c->ll->SetTarget(c->module, TRIPLE);
    c->ll->SetModuleDataLayout(c->module, layout);
    c->ll->DisposeTargetData(layout);
    for (llvm_value f = c->ll->GetFirstFunction(c->module); f; f = c->ll->GetNextFunction(f)) {
        if (c->ll->IsDeclaration(f))
            continue;
        set_string(c, f, "prefer-vector-width", levels[c->isa].width);
        set_string(c, f, "min-legal-vector-width", levels[c->isa].width);
    }
}

static enum ls_status verify(struct codegen *c)
{
    char *text = NULL;
    const bool bad = c->ll->VerifyModule(c->module, LLVM_VERIFY_TELL, &text);
    if (bad)
        refuse(c, "the emitted module is not well formed", text);
    c->ll->DisposeMessage(text);
    return bad ? LS_ERR_UNSUPPORTED : LS_OK;
}

static enum ls_status optimise(struct codegen *c)
{
    const llvm_pass_options options = c->ll->CreatePassBuilderOptions();
    llvm_error e = NULL;
    unsigned major, minor, patch;
    c->ll->GetVersion(&major, &minor, &patch);
    for (size_t i = 0; i < LS_ARRAY_LEN(passes) && !e && !c->failed; i++) {
        llvm_rest();
        const bool calm = major >= 18 && strstr(passes[i], "instcombine");
        e = c->ll->RunPasses(c->module, calm ? calm_instcombine : passes[i], c->machine, options);
    }
    c->ll->DisposePassBuilderOptions(options);
    if (e) {
        char *const text = c->ll->GetErrorMessage(e);
        refuse(c, "LLVM refuses the passes", text);
        c->ll->DisposeErrorMessage(text);
    }
    return c->failed ? LS_ERR_UNSUPPORTED : LS_OK;
}

static enum ls_status emit(struct codegen *c, u8 **bytes, size_t *len)
{
    llvm_buffer buffer = NULL;
    char *text = NULL;
    llvm_rest();
    if (c->ll->TargetMachineEmitToMemoryBuffer(c->machine, c->module, LLVM_FILE_OBJECT, &text, &buffer)) {
        refuse(c, "LLVM makes no code", text);
        c->ll->DisposeMessage(text);
        return LS_ERR_UNSUPPORTED;
    }
    *len = c->ll->GetBufferSize(buffer);
    *bytes = c->failed ? NULL : ls_realloc(NULL, *len);
    if (*bytes)
        memcpy(*bytes, c->ll->GetBufferStart(buffer), *len);
    c->ll->DisposeMemoryBuffer(buffer);
    return c->failed ? LS_ERR_UNSUPPORTED : *bytes ? LS_OK : LS_ERR_NOMEM;
}

enum ls_status tier_codegen(const struct llvm *ll, llvm_module m, enum exec_isa isa, u8 **bytes, size_t *len, char *why,
                            size_t n)
{
    struct codegen c = {.ll = ll, .module = m, .isa = isa, .why = why, .n = n};
    const llvm_context context = ll->GetModuleContext(m);
    LS_BUG_ON(!levels[isa].cpu);
    *bytes = NULL;
    *len = 0;
    ll->ContextSetDiagnosticHandler(context, diagnose, &c);
    ll->ContextSetYieldCallback(context, between, NULL);
    enum ls_status s = make_machine(&c);
    if (s == LS_OK) {
        set_target(&c);
        s = verify(&c);
    }
    if (s == LS_OK)
        s = optimise(&c);
    if (s == LS_OK)
        s = emit(&c, bytes, len);
    ll->ContextSetDiagnosticHandler(context, NULL, NULL);
    if (c.machine)
        ll->DisposeTargetMachine(c.machine);
    return s;
}
