/* test_lab_trial.c - the verifier catches what it must, shown with a driver of a few functions whose kernels are C.
 *
 * The driver's memory is the host's; a launch calls `kernel`, which plays the rung: right, or wrong in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/trial.h"

enum flaw { RIGHT, WRONG_VALUE, NOT_WRITTEN, WRITES_NAN, BEFORE, BEHIND, INTO_INPUT, FAR_BEHIND, FAULTS };

static enum flaw flaw;
static u64 elements; /* of the output */
static const struct rung *playing;

/* ---- the driver ---- */

static CUresult fake_load(CUmodule *m, const void *image)
{
    (void)image;
    *m = (CUmodule)&flaw;
    return CUDA_SUCCESS;
}

static CUresult fake_function(CUfunction *f, CUmodule m, const char *name)
{
    (void)m;
    *f = (CUfunction)&flaw;
    return strcmp(name, playing->kernel) == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static f32 constants[16];

static CUresult fake_global(CUdeviceptr *p, size_t *n, CUmodule m, const char *name)
{
    (void)m;
    (void)name;
    *p = (CUdeviceptr)(uintptr_t)constants;
    *n = sizeof constants;
    return CUDA_SUCCESS;
}

static CUresult fake_alloc(CUdeviceptr *p, size_t n)
{
    *p = (CUdeviceptr)(uintptr_t)malloc(n);
    return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult fake_free(CUdeviceptr p)
{
    free((void *)(uintptr_t)p);
    return CUDA_SUCCESS;
}

static CUresult fake_to_device(CUdeviceptr to, const void *from, size_t n)
{
    memcpy((void *)(uintptr_t)to, from, n);
    return CUDA_SUCCESS;
}

static CUresult fake_to_host(void *to, CUdeviceptr from, size_t n)
{
    memcpy(to, (const void *)(uintptr_t)from, n);
    return CUDA_SUCCESS;
}

static CUresult fake_nothing(CUmodule m)
{
    (void)m;
    return CUDA_SUCCESS;
}

static CUresult fake_synchronize(void) { return flaw == FAULTS ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS; }

/* ---- the kernels ---- */

static void stencil(const f32 *in, f32 *out, u32 n, const f32 *coef)
{
    for (i64 k = 0; k < n; k++) {
        f32 sum = 0;
        for (i64 i = 1; i <= 4; i++)
            sum += coef[i] * (in[k + i] - in[k - i]);
        out[k] = sum;
    }
}

static void spoil(f32 *in, f32 *out)
{
    switch (flaw) {
    case WRONG_VALUE:
        out[elements / 2] = nextafterf(out[elements / 2] + 1e-5f, 1e9f);
        break;
    case NOT_WRITTEN:
        memset(&out[elements - 1], 0xcc, 4);
        break;
    case WRITES_NAN:
        out[0] = NAN;
        break;
    case BEFORE:
        out[-1] = 0;
        break;
    case BEHIND:
        out[elements] = 0;
        break;
    case FAR_BEHIND:
        out[elements + 100] = 0;
        break;
    case INTO_INPUT:
        in[3] += 1;
        break;
    default:
        break;
    }
}

static CUresult fake_launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared, CUstream stream, void **args, void **extra)
{
    (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    f32 *in = (f32 *)(uintptr_t)*(CUdeviceptr *)args[0], *out = (f32 *)(uintptr_t)*(CUdeviceptr *)args[1];
    stencil(in, out, *(u32 *)args[2], constants);
    spoil(in, out);
    return CUDA_SUCCESS;
}

static void play(enum flaw how, struct lab_result *out, struct trial *t)
{
    static struct lab lab;
    lab.cuda = (struct lab_cuda){.module_load = fake_load,
                                 .module_function = fake_function,
                                 .module_global = fake_global,
                                 .alloc = fake_alloc,
                                 .free = fake_free,
                                 .to_device = fake_to_device,
                                 .to_host = fake_to_host,
                                 .module_unload = fake_nothing,
                                 .launch = fake_launch,
                                 .synchronize = fake_synchronize};
    const struct family *f = lab_family("stencil");
    playing = lab_rung(f, "stencil_1d", false);
    flaw = how;
    *t = (struct trial){.lab = &lab, .family = f, .rung = playing, .shape = {.n = 1001, .k = 4, .bx = 32, .by = 1}};
    *out = (struct lab_result){.family = f, .rung = playing};
    elements = 1001;
    struct arena mem = ARENA("test");
    t->plan.mem = &mem;
    assert_null(f->plan(playing, &t->shape, &t->plan));
    assert_true(trial_begin(t, ""));
    if (trial_run(t))
        trial_judge(t, out);
    else
        out->verdict = LAB_FAULT;
    trial_end(t);
    arena_free(&mem);
}

static void test_right(void **state)
{
    (void)state;
    struct lab_result r;
    struct trial t;
    play(RIGHT, &r, &t);
    assert_int_equal(r.verdict, LAB_RIGHT);
    assert_string_equal(r.text, "");
    assert_true(r.check.worst > 0); /* floats were rounded, within the bound */
}

static void wrong(enum flaw how, const char *text)
{
    struct lab_result r;
    struct trial t;
    play(how, &r, &t);
    assert_int_equal(r.verdict, LAB_WRONG);
    if (!strstr(r.text, text))
        fail_msg("flaw %d: '%s' does not say '%s'", how, r.text, text);
}

static void test_wrong(void **state)
{
    (void)state;
    wrong(WRONG_VALUE, "1 wrong, the first: out[500] is ");
    wrong(NOT_WRITTEN, "1 wrong, the first: out[1000] is ");
    wrong(WRITES_NAN, "1 wrong, the first: out[0] is ");
    wrong(BEFORE, "before its beginning");
    wrong(BEHIND, "behind its end");
    wrong(FAR_BEHIND, "behind its end");
    wrong(INTO_INPUT, "wrote element 3 of buffer 0, which is an input");
}

static void test_fault(void **state)
{
    (void)state;
    struct lab_result r;
    struct trial t;
    play(FAULTS, &r, &t);
    assert_int_equal(r.verdict, LAB_FAULT);
    assert_int_equal(t.error, CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* Inputs are never zero, poison is a NaN, and NaN is never within a bound. */
static void test_bounds(void **state)
{
    (void)state;
    struct check c = {0};
    u32 bits = POISON;
    f32 poison;
    memcpy(&poison, &bits, 4);
    assert_true(isnan(poison));
    check_element(&c, 0, 1.0, 1.5, 0.5);
    assert_int_equal(c.wrong, 0);
    check_element(&c, 1, poison, 1.5, 0.5);
    check_element(&c, 2, 1.0, 1.51, 0.5);
    assert_int_equal(c.wrong, 2);
    assert_int_equal(c.first, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
