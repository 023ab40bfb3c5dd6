/* test_plan.c - command lines and what is planned for them: a table of options and pieces of the commands that have to
 * be there, or not; and command lines that are refused, with the message. Nothing is run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "toolchain/toolchain.h"

static const struct tool_paths paths = {.clang = "clang", .include = "/inc", .lib = "/lib", .tmp = "/t"};
enum { WORDS = 32 };

/* Splits at blanks; argv[0] is the command. */
static int split(char *line, char *argv[WORDS])
{
    int argc = 0;
    argv[argc++] = (char *)"cc";
    for (char *rest = NULL, *w = strtok_r(line, " ", &rest); w && argc < WORDS; w = strtok_r(NULL, " ", &rest))
        argv[argc++] = w;
    return argc;
}

/* All steps as text; NULL and the diagnostics' text when the line is refused. */
static char *plan_text(const char *line, struct arena *mem, char **said)
{
    char *copy = arena_strndup(mem, line, strlen(line)), *argv[WORDS];
    struct tool_options o;
    struct tool_plan plan;
    struct diag_list diags;
    const char *text = "";
    diag_init(&diags);
    enum ls_status status = tool_options_read(&o, split(copy, argv), argv, 90, mem, &diags);
    if (status == LS_OK)
        status = tool_plan_make(&plan, &o, &paths, mem, &diags);
    for (u32 i = 0; status == LS_OK && i < plan.steps.len; i++)
        text = arena_printf(mem, "%s%s\n", text, tool_step_text(&plan.steps.at[i], mem));
    char *found = diag_text(&diags);
    *said = arena_strndup(mem, found, strlen(found));
    ls_free(found);
    diag_free(&diags);
    return status == LS_OK ? arena_strndup(mem, text, strlen(text)) : NULL;
}

/* with: pieces of the commands, '|' between them; without: what no command has. Files need not exist. */
static const struct {
    const char *line, *with, *without;
} good[] = {
    {"x.cu",
     "--cuda-device-only --cuda-gpu-arch=sm_75|-S -O3|/t/x.0.sm_75.ptx|# write a fat binary of /t/x.0.sm_75.ptx|"
     "--cuda-host-only -O2|-fcuda-include-gpubinary -Xclang /t/x.0.fatbin|-lcudart -o a.out|-std=c++17",
     "-fgpu-rdc|-fgpu-approx|-g "},
    {"x.cu -o y -arch=sm_90", "--cuda-gpu-arch=sm_90 |-o y|-D__CUDA_ARCH_LIST__=900", "sm_75"},
    {"x.cu -arch sm_120", "--cuda-gpu-arch=sm_90 |-U__CUDA_ARCH__ -D__CUDA_ARCH__=1200|x.0.sm_120.ptx", ""},
    {"x.cu -arch=native", "--cuda-gpu-arch=sm_90 ", "-U__CUDA_ARCH__"},
    {"x.cu -arch=sm_90a", "--cuda-gpu-arch=sm_90a ", "-U__CUDA_ARCH__"},
    {"x.cu -gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_90,code=[sm_90,compute_90]",
     "--cuda-gpu-arch=sm_80 |--cuda-gpu-arch=sm_90 |# write a fat binary of /t/x.0.sm_80.ptx /t/x.0.sm_90.ptx|=800,900",
     "sm_75"},
    {"-c x.cu", "-c x.cu -o x.o", "-lcudart"},
    {"-c x.cu -odir obj", "-o obj/x.o", ""},
    {"-dc x.cu", "-fgpu-rdc|-o x.o", "device-link"},
    {"-rdc=true a.cu b.cu -o p", "# register the device code of /t/a.0.o /t/b.1.o|/t/device-link.o|-o p", ""},
    {"-rdc true a.o b.o lib.a", "# register the device code of a.o b.o lib.a", "--cuda"},
    {"-ptx x.cu", "-S -O3|x.cu -o /t/x.0.clang.ptx|# mend /t/x.0.clang.ptx: x.ptx", "--cuda-host-only|-w "},
    {"-fatbin x.cu", "# write a fat binary of /t/x.0.sm_75.ptx: x.fatbin", "--cuda-host-only"},
    {"-E x.cu", "--cuda-host-only -O2 -E x.cu", "--cuda-device-only"},
    {"-M x.cu", "-M -MT x.o x.cu", "-MF|--cuda-device-only"},
    {"-c -MMD -MF d/x.d x.cu", "-MMD -MT x.o -MF d/x.d", ""},
    {"-c -MD x.cu -o y/z.o", "-MD -MT y/z.o -MF y/z.d", ""},
    {"x.cu -Iinc -I inc2 -DA=1 -D B -UC --include-path=inc3 -include pre.h -isystem sys",
     "-I inc -I inc2 -D A=1 -D B -U C -I inc3 -include pre.h -isystem sys", ""},
    {"x.cu -lm -Lfoo -l foo -lcuda -lcudart -lcudadevrt", "-lm -Lfoo -lfoo -lcuda -L/lib -lcudart -o", "cudadevrt"},
    {"x.cu -cudart none", "-L/lib -o", "-lcudart"},
    {"x.cu -cudart=static", "-lcudart", "_static"},
    {"x.cu -Xcompiler -Wall,-fopenmp -Xlinker -rpath,/x", "-O2 -Wall -fopenmp|-Xlinker -rpath -Xlinker /x", ""},
    {"x.cu --compiler-options=-fPIC", "-O2 -fPIC", ""},
    {"-O x.cu", "--cuda-host-only -O1", ""},
    {"-O 3 x.cu", "--cuda-host-only -O3", ""},
    {"x.cu -O3", "--cuda-host-only -O3|-S -O3", ""},
    {"x.cu -g", "--cuda-host-only -O0 -g", "-S -O3 -fno-builtin-malloc -fno-builtin-free -g"},
    {"x.cu -G", "-S -O0 -fno-builtin-malloc -fno-builtin-free -g|-D__CUDACC_DEBUG__", ""},
    {"x.cu -lineinfo", "-gline-tables-only", "-O0"},
    {"x.cu -use_fast_math",
     "-fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero -mllvm -nvptx-prec-divf32=0 -mllvm "
     "-nvptx-prec-sqrtf32=0|-D__CUDA_FTZ=1|-D__CUDA_PREC_DIV=0",
     ""},
    {"x.cu --use_fast_math -prec-div=true -ftz=false", "-nvptx-prec-sqrtf32=0", "prec-divf32|-fgpu-flush"},
    {"x.cu -prec-div=false", "-nvptx-prec-divf32=1", "approx|sqrtf32|-fgpu-flush"},
    {"x.cu -fmad=false", "-ffp-contract=off|-D__CUDA_FMAD=0", "contract=fast"},
    {"x.cu --default-stream per-thread", "-fgpu-default-stream=per-thread", ""},
    {"x.cu h.cpp --default-stream=per-thread", "-x c++ -isystem /inc -std=c++17 -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1",
     ""},
    {"x.cu -std=c++20", "-std=c++20", "c++17"},
    {"a.cu b.cpp c.c d.o -o p", "-x cuda|-x c++|-x c -isystem|/t/a.0.o /t/b.1.o /t/c.2.o d.o", ""},
    {"-x cu kernel.inc", "-x cuda|kernel.inc", ""},
    {"-shared x.cu -Xcompiler -fPIC -o libx.so", "-shared|-fPIC|-o libx.so", ""},
    {"-lib a.cu -o liba.a", "ar rcs liba.a /t/a.0.o", "-lcudart"},
    {"x.cu -w", "-O2 -w", ""},
    {"x.cu -Werror all-warnings", "-O2 -Werror", ""},
    {"x.cu -run", "# run ./a.out", ""},
    {"x.cu -expt-relaxed-constexpr --expt-extended-lambda -m64 -t4 --threads 2 -Wno-deprecated-gpu-targets -restrict",
     "-D__CUDACC_RELAXED_CONSTEXPR__ -D__CUDACC_EXTENDED_LAMBDA__", "threads"},
};

static bool each(const char *list, const char *text, bool wanted, const char *line)
{
    bool ok = true;
    while (*list) {
        const size_t n = strcspn(list, "|");
        if ((memmem(text, strlen(text), list, n) != NULL) != wanted) {
            print_error("%s: %s '%.*s' in\n%s\n", line, wanted ? "there is no" : "there is", (int)n, list, text);
            ok = false;
        }
        list += n + (list[n] == '|');
    }
    return ok;
}

/* One row: how many of its pieces are wrong. */
static u32 judge(const char *line, const char *with, const char *without)
{
    struct arena mem = ARENA("test");
    char *said;
    assert_int_equal(setjmp(mem.oom), 0);
    const char *text = plan_text(line, &mem, &said);
    if (!text)
        print_error("%s: refused: %s\n", line, said);
    const u32 bad = !text ? 1u : !each(with, text, true, line) + (u32)!each(without, text, false, line);
    arena_free(&mem);
    return bad;
}

static void test_plans(void **state)
{
    (void)state;
    u32 bad = 0;
    for (u32 i = 0; i < LS_ARRAY_LEN(good); i++)
        bad += judge(good[i].line, good[i].with, good[i].without);
    assert_int_equal(bad, 0);
}

static const struct {
    const char *line, *message;
} refused[] = {
    {"", "there is nothing to compile"},
    {"x.cu --frobnicate", "unknown option '--frobnicate'"},
    {"x.cu -ccbim=g++", "the nearest is '--ccbin'"},
    {"x.cu -Wall", "-Xcompiler -Wall"},
    {"-cubin x.cu", "machine code is made by NVIDIA's ptxas only"},
    {"x.cu -o", "-o: its value is missing"},
    {"x.cu -arch=sm_91", "'sm_91' is no GPU architecture"},
    {"x.cu -arch=hopper", "'hopper' is no GPU architecture"},
    {"x.cu -gencode sm_90", "cannot read 'sm_90'"},
    {"x.cu -gencode arch=compute_90,code=sm_9", "'sm_9' is no GPU architecture"},
    {"x.cu -std=c++98", "-std: cannot take 'c++98'"},
    {"x.cu -m32", "programs are 64-bit programs"},
    {"x.cu -maxrregcount=many", "it is a number of registers"},
    {"x.cu -time", "-t: cannot take 'ime'"},
    {"x.cu -optf=/nonexistent/options", "cannot read /nonexistent/options"},
    {"x.cu -fmad=perhaps", "it is true or false"},
    {"x.cu -default-stream mine", "legacy, null or per-thread"},
    {"x.cu -cudart=dynamic", "-cudart: cannot take 'dynamic'"},
    {"x.cu -with gcc", "it is clang or nvcc"},
    {"x.cu notes.txt", "notes.txt: not a kind of file that can be compiled"},
    {"-c a.cu b.cu -o c.o", "-o names one file"},
    {"-ptx a.cpp", "only .cu files have PTX"},
    {"-ptx a.cu -arch=all", "-ptx makes PTX for one architecture"},
    {"@/nonexistent/options", "cannot read /nonexistent/options"},
};

static void judge_refusal(const char *line, const char *message)
{
    struct arena mem = ARENA("test");
    char *said;
    assert_int_equal(setjmp(mem.oom), 0);
    assert_null(plan_text(line, &mem, &said));
    if (!strstr(said, message))
        fail_msg("%s: says %s", line, said);
    arena_free(&mem);
}

static void test_refusals(void **state)
{
    (void)state;
    for (u32 i = 0; i < LS_ARRAY_LEN(refused); i++)
        judge_refusal(refused[i].line, refused[i].message);
}

/* What has no effect is named. */
static void test_ignored(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    char *said;
    assert_int_equal(setjmp(mem.oom), 0);
    assert_non_null(plan_text("x.cu -Xptxas -v,-O3 -ccbin g++ -maxrregcount=0", &mem, &said));
    assert_non_null(strstr(said, "-Xptxas: No effect"));
    assert_non_null(strstr(said, "-ccbin: No effect"));
    arena_free(&mem);
}

/* A response file: quotes and backslashes as in a shell, and files within files. */
static void test_response_file(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    struct diag_list none;
    char *said, inner[] = "/tmp/lockstep-test-XXXXXX", outer[] = "/tmp/lockstep-test-XXXXXX";
    assert_int_equal(setjmp(mem.oom), 0);
    diag_init(&none);
    assert_true(mkstemp(inner) >= 0 && mkstemp(outer) >= 0);
    static const char text[] = "-D 'NAME=\"a b\"'\n  -D\tB=\\\"c\\\" x.cu";
    assert_int_equal(tool_file_write(inner, text, sizeof text - 1, &none), LS_OK);
    const char *line = arena_printf(&mem, "-g @%s", inner);
    assert_int_equal(tool_file_write(outer, line, strlen(line), &none), LS_OK);
    const char *plan = plan_text(arena_printf(&mem, "@%s", outer), &mem, &said);
    assert_non_null(plan);
    assert_non_null(strstr(plan, "-D 'NAME=\"a b\"' -D 'B=\"c\"'"));
    assert_non_null(strstr(plan, "-O0 -g"));
    unlink(inner);
    unlink(outer);
    diag_free(&none);
    arena_free(&mem);
}

static void test_nvcc(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    struct tool_plan plan;
    assert_int_equal(setjmp(mem.oom), 0);
    char line[] = "--with nvcc x.cu --with=nvcc -o y", *argv[WORDS];
    const int argc = split(line, argv);
    tool_plan_nvcc(&plan, "/cuda/nvcc", argc, argv, &mem);
    assert_string_equal(tool_step_text(&plan.steps.at[0], &mem), "/cuda/nvcc x.cu -o y -cudart shared");
    arena_free(&mem);
}

/* Every option of the table can be written in all its forms, and has a text. */
static void test_table(void **state)
{
    (void)state;
    for (u32 i = 0; tool_option_at(i); i++) {
        const struct tool_option *o = tool_option_at(i);
        assert_true(*o->name && *o->text);
        for (u32 k = 0; k < i; k++) {
            assert_string_not_equal(tool_option_at(k)->name, o->name);
            assert_true(!*o->other || strcmp(tool_option_at(k)->other, o->other) != 0);
        }
    }
}

/* A row of the table in docs/cc.md that has the option's name and its text. */
static void find_row(const char *text, const struct tool_option *o, struct arena *mem)
{
    const char *name = arena_printf(mem, "\n| `-%s", o->name);
    for (const char *row = text; (row = strstr(row, name)); row++)
        if (memmem(row, strcspn(row + 1, "\n") + 1, o->text, strlen(o->text)))
            return;
    fail_msg("docs/cc.md: no row `-%s` with '%s'", o->name, o->text);
}

static void test_documents(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    struct diag_list diags;
    size_t len;
    assert_int_equal(setjmp(mem.oom), 0);
    diag_init(&diags);
    const char *text = tool_file_read("docs/cc.md", &len, &mem, &diags);
    assert_non_null(text);
    for (u32 i = 0; tool_option_at(i); i++)
        find_row(text, tool_option_at(i), &mem);
    diag_free(&diags);
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),         cmocka_unit_test(test_refusals), cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_response_file), cmocka_unit_test(test_nvcc),     cmocka_unit_test(test_table),
        cmocka_unit_test(test_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
