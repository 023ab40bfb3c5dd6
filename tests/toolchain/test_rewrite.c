/* test_rewrite.c - what is written in the place of launches from device code and of managed variables, for the device
 * pass and the host pass; and what is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "toolchain/toolchain.h"

/* device and host: the text behind the #line; NULL: as it was. */
static const struct {
    const char *text, *device, *host;
} cases[] = {
    /* launches */
    {"void f() { k<<<1, 2>>>(3); }", NULL, NULL},
    {"__global__ void p() { k<<<1, 2>>>(3); }", "__global__ void p() { lockstep_launch<k>(1, 2)(3); }",
     "__global__ void p() { lockstep_launch<k>(1, 2)(3); }"},
    {"__global__ void p() { n::k<A<int>, 2> <<<dim3(1, 2), {3}>>> (4); }",
     "__global__ void p() { lockstep_launch<n::k<A<int>, 2> >(dim3(1, 2), {3}) (4); }",
     "__global__ void p() { lockstep_launch<n::k<A<int>, 2> >(dim3(1, 2), {3}) (4); }"},
    {"__device__ void d(); void f() { k<<<1, 2>>>(3); }", NULL, NULL},
    {"__host__ __device__ void d() { if (1) { k<<<1, 2>>>(3); } }",
     "__host__ __device__ void d() { if (1) { lockstep_launch<k>(1, 2)(3); } }", NULL},
    {"void f() { g([=] __device__ (int i) { k<<<i, 2>>>(3); }); h<<<1, 1>>>(); }",
     "void f() { g([=] __device__ (int i) { lockstep_launch<k>(i, 2)(3); }); h<<<1, 1>>>(); }",
     "void f() { g([=] __device__ (int i) { lockstep_launch<k>(i, 2)(3); }); h<<<1, 1>>>(); }"},
    {"namespace n { __global__ void p() { /* k<<<1>>>() */ s = \"k<<<1>>>()\"; c = '<'; k<<<1, (2>>1)>>>(3); } void "
     "f() { k<<<1, 1>>>(); } }",
     "namespace n { __global__ void p() { /* k<<<1>>>() */ s = \"k<<<1>>>()\"; c = '<'; lockstep_launch<k>(1, "
     "(2>>1))(3); } void f() { k<<<1, 1>>>(); } }",
     "namespace n { __global__ void p() { /* k<<<1>>>() */ s = \"k<<<1>>>()\"; c = '<'; lockstep_launch<k>(1, "
     "(2>>1))(3); } void f() { k<<<1, 1>>>(); } }"},
    {"#define L k<<<1, 1>>>()\n__global__ void p() { R\"x(k<<<)x\"; a = 1'000 << 3; }", NULL, NULL},
    {"#ifdef A\n__global__ void p(int a) {\n#elif B\n__global__ void p() {\n#else\n__global__ void p(float a) "
     "{\n#endif\n}\n"
     "int main() { p<<<1, 1>>>(); }",
     NULL, NULL},
    /* managed variables */
    {"__managed__ int x;", "__device__ int x asm(\"lockstep_managed_x\");",
     "__device__ int lockstep_managed_x asm(\"lockstep_managed_x\"); extern decltype(lockstep_managed_x) &x "
     "asm(\"lockstep_reference_x\"); extern void *lockstep_pointer_x asm(\"lockstep_reference_x\"); "
     "__attribute__((section(\"lockstep_managed_id\"), used)) static const void *lockstep_entry_x[] = "
     "{&lockstep_pointer_x, &lockstep_managed_x};"},
    {"extern __managed__ int x;", "extern __device__ int x asm(\"lockstep_managed_x\");",
     "extern __device__ int lockstep_managed_x asm(\"lockstep_managed_x\"); extern decltype(lockstep_managed_x) &x "
     "asm(\"lockstep_reference_x\");"},
    {"static __device__ __managed__ std::pair<int, float> x[2][N] = {{1}, {2}}, *y;",
     "       __device__ __device__ std::pair<int, float> x[2][N] asm(\"lockstep_managed_x_id\") = {{1}, {2}}, *y "
     "asm(\"lockstep_managed_y_id\");",
     ""},
    {"__managed__ __align__(16) int a, b{3}, c = f(1, 2);",
     "__device__ __align__(16) int a asm(\"lockstep_managed_a\"), b asm(\"lockstep_managed_b\"){3}, c "
     "asm(\"lockstep_managed_c\") = f(1, 2);",
     ""},
    {"// __managed__ int x;\nint y;", NULL, NULL},
    /* special registers in asm, and alignas behind other words */
    {"__device__ void f() { asm volatile(\"mov.u32 %0, %laneid;\" \"// %tid.x %%tid %tidy %r1\" : \"=r\"(a)); }",
     "__device__ void f() { asm volatile(\"mov.u32 %0, %%laneid;\" \"// %%tid.x %%tid %tidy %r1\" : \"=r\"(a)); }",
     "__device__ void f() { asm volatile(\"mov.u32 %0, %%laneid;\" \"// %%tid.x %%tid %tidy %r1\" : \"=r\"(a)); }"},
    {"__device__ void f() { asm(\"mov.u32 a, %laneid;\"); g(\"%laneid\"); }", NULL, NULL},
    {"#define T(x) \\\n asm(\"mov.u64 %0, %clock64;\" : \"=l\"(x)) // \"%tid\" '\n#define S #x(\nint x;",
     "#define T(x) \\\n asm(\"mov.u64 %0, %%clock64;\" : \"=l\"(x)) // \"%tid\" '\n#define S #x(\nint x;",
     "#define T(x) \\\n asm(\"mov.u64 %0, %%clock64;\" : \"=l\"(x)) // \"%tid\" '\n#define S #x(\nint x;"},
    {"__global__ void f() { int i; __shared__ alignas(\n alignof(T)) float a[N]; }",
     "__global__ void f() { int i; alignas(  alignof(T)) __shared__ \n float a[N]; }",
     "__global__ void f() { int i; alignas(  alignof(T)) __shared__ \n float a[N]; }"},
    {"extern __shared__ alignas(16) float e[];", "alignas(16) extern __shared__  float e[];",
     "alignas(16) extern __shared__  float e[];"},
    {"struct alignas(8) s { alignas(4) char a; };", NULL, NULL},
};

static const char *file_of(const char *stem, const char *ending, struct arena *mem)
{
    struct diag_list diags;
    size_t len;
    diag_init(&diags);
    const char *path = arena_printf(mem, "%s%s", stem, ending);
    char *text = tool_file_read(path, &len, mem, &diags);
    unlink(path);
    diag_free(&diags);
    return text;
}

static u32 judge(const char *what, const char *text, const char *got, const char *want)
{
    const char *behind = strchr(got, '\n') + 1;
    if (want && !*want)
        return 0;
    if (strcmp(behind, want ? want : text) == 0)
        return 0;
    print_error("%s\n%s\nis for the %s\n%s\n", text, want ? want : text, what, behind);
    return 1;
}

static u32 judge_case(const char *stem, const char *text, const char *device, const char *host)
{
    struct arena mem = ARENA("test");
    struct diag_list diags;
    struct tool_step s = {.kind = STEP_REWRITE, .out = stem};
    assert_int_equal(setjmp(mem.oom), 0);
    diag_init(&diags);
    assert_int_equal(tool_file_write(stem, text, strlen(text), &diags), LS_OK);
    assert_int_equal(tool_rewriting_of(stem, &mem) != 0, device || host);
    tool_words_add(&s.argv, &mem, stem);
    tool_words_add(&s.argv, &mem, "id");
    assert_int_equal(tool_rewrite_write(&s, &mem, &diags), LS_OK);
    const u32 bad = judge("device", text, file_of(stem, ".device.cu", &mem), device) +
                    judge("host", text, file_of(stem, ".host.cu", &mem), host);
    if (tool_rewriting_of(stem, &mem) & TOOL_REWRITE_MANAGED)
        assert_non_null(file_of(stem, ".managed.c", &mem));
    diag_free(&diags);
    arena_free(&mem);
    return bad;
}

static void test_texts(void **state)
{
    (void)state;
    u32 bad = 0;
    char stem[] = "/tmp/lockstep-test-XXXXXX";
    assert_true(mkstemp(stem) >= 0);
    for (u32 i = 0; i < LS_ARRAY_LEN(cases); i++)
        bad += judge_case(stem, cases[i].text, cases[i].device, cases[i].host);
    unlink(stem);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
