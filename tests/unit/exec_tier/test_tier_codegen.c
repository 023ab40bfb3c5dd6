/* test_tier_codegen.c - modules become code that runs, at both levels; what LLVM refuses is a status and a text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "exec/bodies/bodies.h"
#include "exec/tier/codegen.h"
#include "exec/tier/object.h"
#include "exec/tier/queue.h"

static const struct llvm *ll;
static char why[LLVM_WHY];

struct job {
    enum exec_isa isa;
    void (*emit)(llvm_context c, llvm_module m, llvm_builder b);
    u8 *bytes;
    size_t len;
    enum ls_status status;
};

static void compile(void *arg)
{
    struct job *const j = arg;
    const llvm_context c = ll->ContextCreate();
    const llvm_module m = ll->ModuleCreateWithNameInContext("m", c);
    const llvm_builder b = ll->CreateBuilderInContext(c);
    j->emit(c, m, b);
    ll->DisposeBuilder(b);
    j->status = tier_codegen(ll, m, j->isa, &j->bytes, &j->len, why, sizeof why);
    ll->DisposeModule(m);
    ll->ContextDispose(c);
}

static f32 outside(f32 x) { return 2 * x; }

static struct object *make(struct job *j)
{
    static const struct object_symbol symbols[] = {{"outside", (const void *)outside}, {"fmaf", (const void *)fmaf}};
    struct object *o;
    if (!llvm_guard(compile, j, why, sizeof why) || j->status)
        fail_msg("%s", why);
    if (object_load(j->bytes, j->len, symbols, LS_ARRAY_LEN(symbols), &o, why, sizeof why))
        fail_msg("%s", why);
    ls_free(j->bytes);
    return o;
}

/* void axpy(float *y, const float *x): y[i] = fma(x[i], 3, y[i]) + x[i] * y[i], 32 lanes; y[0] = outside(y[0]). */
static void emit_axpy(llvm_context c, llvm_module m, llvm_builder b)
{
    const llvm_type f32t = ll->FloatTypeInContext(c), pointer = ll->PointerTypeInContext(c, 0);
    llvm_type v = ll->VectorType(f32t, 32), both[] = {pointer, pointer}, one = f32t;
    const llvm_value f =
        ll->AddFunction(m, "axpy", ll->FunctionType(ll->VoidTypeInContext(c), both, LS_ARRAY_LEN(both), 0));
    const llvm_type call = ll->FunctionType(f32t, &one, 1, 0);
    const unsigned id = ll->LookupIntrinsicID("llvm.fma", strlen("llvm.fma"));
    ll->PositionBuilderAtEnd(b, ll->AppendBasicBlockInContext(c, f, ""));
    const llvm_value x = ll->BuildLoad2(b, v, ll->GetParam(f, 1), "");
    const llvm_value y = ll->BuildLoad2(b, v, ll->GetParam(f, 0), "");
    ll->SetAlignment(x, 4);
    ll->SetAlignment(y, 4);
    llvm_value three[32];
    for (int i = 0; i < 32; i++)
        three[i] = ll->ConstReal(f32t, 3);
    llvm_value args[] = {x, ll->ConstVector(three, 32), y};
    const llvm_value fused =
        ll->BuildCall2(b, ll->IntrinsicGetType(c, id, &v, 1), ll->GetIntrinsicDeclaration(m, id, &v, 1), args, 3, "");
    const llvm_value sum = ll->BuildFAdd(b, fused, ll->BuildFMul(b, x, y, ""), "");
    const llvm_value store = ll->BuildStore(b, sum, ll->GetParam(f, 0));
    ll->SetAlignment(store, 4);
    llvm_value first = ll->BuildExtractElement(b, sum, ll->ConstInt(ll->Int32TypeInContext(c), 0, 0), "");
    ll->BuildStore(b, ll->BuildCall2(b, call, ll->AddFunction(m, "outside", call), &first, 1, ""), ll->GetParam(f, 0));
    ll->BuildRetVoid(b);
}

static void run_axpy(enum exec_isa isa)
{
    struct job j = {.isa = isa, .emit = emit_axpy};
    f32 x[32], y[32], wanted[32];
    struct object *const o = make(&j);
    void (*axpy)(f32 *, const f32 *) = (void (*)(f32 *, const f32 *))object_function(o, "axpy");
    for (int i = 0; i < 32; i++) {
        x[i] = 1.0f / (f32)(i + 3);
        y[i] = (f32)i * 0.7f;
        const volatile f32 product = x[i] * y[i]; /* not fused: two roundings */
        wanted[i] = fmaf(x[i], 3, y[i]) + product;
    }
    wanted[0] *= 2;
    axpy(y, x);
    assert_memory_equal(y, wanted, sizeof y);
    object_free(o);
}

static void test_levels(void **state)
{
    (void)state;
    for (enum exec_isa isa = ISA_V3; isa < ISA_COUNT; isa++)
        if (bodies_has_isa(isa))
            run_axpy(isa);
        else
            print_message("this processor lacks level %d: not run\n", isa);
}

/* A module that is not well formed: a block without an end. */
static void emit_broken(llvm_context c, llvm_module m, llvm_builder b)
{
    const llvm_value f = ll->AddFunction(m, "broken", ll->FunctionType(ll->VoidTypeInContext(c), NULL, 0, 0));
    ll->PositionBuilderAtEnd(b, ll->AppendBasicBlockInContext(c, f, ""));
}

/* Inline assembly with an instruction that is none: a diagnostic. */
static void emit_bad_assembly(llvm_context c, llvm_module m, llvm_builder b)
{
    static const char text[] = "no_such_instruction %rax";
    const llvm_type type = ll->FunctionType(ll->VoidTypeInContext(c), NULL, 0, 0);
    const llvm_value f = ll->AddFunction(m, "bad", type);
    ll->PositionBuilderAtEnd(b, ll->AppendBasicBlockInContext(c, f, ""));
    const llvm_value assembly = ll->GetInlineAsm(type, text, strlen(text), "", 0, 1, 0, LLVM_ASM_ATT, 0);
    ll->BuildCall2(b, type, assembly, NULL, 0, "");
    ll->BuildRetVoid(b);
}

static void refused(struct job j, const char *text)
{
    assert_true(llvm_guard(compile, &j, why, sizeof why));
    assert_int_equal(j.status, LS_ERR_UNSUPPORTED);
    assert_null(j.bytes);
    if (!strstr(why, text))
        fail_msg("%s", why);
}

static void test_refused(void **state)
{
    (void)state;
    refused((struct job){.isa = ISA_V3, .emit = emit_broken}, "not well formed");
    refused((struct job){.isa = ISA_V3, .emit = emit_bad_assembly}, "no_such_instruction");
    run_axpy(ISA_V3); /* LLVM is as good as before */
}

/* An intrinsic of AVX-512 for a processor without it: the code generator gives up, fatally. */
static void emit_unselectable(llvm_context c, llvm_module m, llvm_builder b)
{
    static const char name[] = "llvm.x86.avx512.rsqrt14.ps.512";
    llvm_type v = ll->VectorType(ll->FloatTypeInContext(c), 16), pointer = ll->PointerTypeInContext(c, 0);
    llvm_type i16t = ll->Int16TypeInContext(c), types[] = {v, v, i16t};
    const llvm_value f = ll->AddFunction(m, "f", ll->FunctionType(ll->VoidTypeInContext(c), &pointer, 1, 0));
    const unsigned id = ll->LookupIntrinsicID(name, strlen(name));
    ll->PositionBuilderAtEnd(b, ll->AppendBasicBlockInContext(c, f, ""));
    const llvm_value x = ll->BuildLoad2(b, v, ll->GetParam(f, 0), "");
    llvm_value args[] = {x, x, ll->ConstAllOnes(i16t)};
    const llvm_type type = ll->FunctionType(v, types, 3, 0);
    ll->BuildStore(b, ll->BuildCall2(b, type, ll->GetIntrinsicDeclaration(m, id, NULL, 0), args, 3, ""),
                   ll->GetParam(f, 0));
    ll->BuildRetVoid(b);
}

static bool ends_in_fatal_error(void)
{
    struct job j = {.isa = ISA_V3, .emit = emit_unselectable};
    char again[LLVM_WHY];
    return !llvm_guard(compile, &j, why, sizeof why) && strncmp(why, "LLVM failed: ", strlen("LLVM failed: ")) == 0 &&
           !llvm_load(again, sizeof again) && strcmp(again, why) == 0 &&
           !llvm_guard(compile, &j, again, sizeof again) && strcmp(again, why) == 0;
}

/* In a process of its own: nothing can be compiled afterwards, and what LLVM had allocated is lost. */
static void test_fatal(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (!child)
        _exit(ends_in_fatal_error() ? 0 : 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- the process ends while code is made ---- */

enum { EXITS = 16, EXIT_STEP_US = 7000, CHAIN = 1500 };

/* A long chain of products and sums: some 100 ms of work. */
static void emit_chain(llvm_context c, llvm_module m, llvm_builder b)
{
    const llvm_type v = ll->VectorType(ll->FloatTypeInContext(c), 32);
    llvm_type pointer = ll->PointerTypeInContext(c, 0);
    const llvm_value f = ll->AddFunction(m, "f", ll->FunctionType(ll->VoidTypeInContext(c), &pointer, 1, 0));
    ll->PositionBuilderAtEnd(b, ll->AppendBasicBlockInContext(c, f, ""));
    llvm_value x = ll->BuildLoad2(b, v, ll->GetParam(f, 0), ""), y = x;
    for (int i = 0; i < CHAIN; i++) {
        const llvm_value z = ll->BuildFAdd(b, ll->BuildFMul(b, x, y, ""), x, "");
        x = y;
        y = z;
    }
    ll->BuildStore(b, y, ll->GetParam(f, 0));
    ll->BuildRetVoid(b);
}

static void compile_guarded(void *arg)
{
    ll = llvm_load(why, sizeof why);
    if (ll)
        llvm_guard(compile, arg, why, sizeof why);
}

static void drop(void *arg) { (void)arg; }

static int end_within(const char *microseconds)
{
    static struct job j = {.isa = ISA_V3, .emit = emit_chain};
    for (int i = 0; i < 3; i++)
        if (!tier_queue_add(compile_guarded, drop, &j))
            return 1;
    usleep((useconds_t)atoi(microseconds));
    return 0;
}

/* Whatever is under way then: loading LLVM, passes, the code generator. In programs of their own, as LLVM is loaded here. */
static void test_exit(void **state)
{
    const char *const program = *state;
    for (int i = 0; i < EXITS; i++) {
        char after[16];
        int status = -1;
        snprintf(after, sizeof after, "%d", i * EXIT_STEP_US);
        const pid_t child = fork();
        if (!child) {
            execl(program, program, after, (char *)NULL);
            _exit(126);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status)
            fail_msg("exit after %s us: status 0x%x", after, (unsigned)status);
    }
}

static void load(void)
{
    ll = llvm_load(why, sizeof why);
    if (ll)
        print_message("LLVM %s, %s\n", llvm_version(), llvm_file());
    else
        print_message("no LLVM, so nothing is tried: %s\n", why);
}

int main(int argc, char **argv)
{
    struct settings s;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_fatal),
        cmocka_unit_test_prestate(test_exit, argv[0]),
    };
    settings_read(&s, NULL, NULL);
    llvm_choose(s.llvm);
    if (argc == 2)
        return end_within(argv[1]);
    load();
    return ll ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
