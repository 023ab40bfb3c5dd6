/* test_linker.c - what the linker takes besides PTX: objects and libraries of host code that hold device code, which
 * the test writes itself, and a toolkit's libcudadevrt.a where there is one. The codes are those of NVIDIA's driver
 * 580.159.04, but for machine code, which that one links. */
#include "driver_test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx_caller[] = PTX_HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                                          ".visible .entry call_it(.param .u64 p)\n"
                                          "{\n"
                                          "  .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
                                          "  ld.param.u64 %rd1, [p]; mov.u32 %r1, 21;\n"
                                          "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                                          "    call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
                                          "  st.global.u32 [%rd1], %r2;\n"
                                          "  ret;\n"
                                          "}\n";
static const char ptx_twice[] = PTX_HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                                         "{\n"
                                         "  .reg .b32 %r<3>;\n"
                                         "  ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2;\n"
                                         "  ret;\n"
                                         "}\n";
static const char ptx_lonely[] = PTX_HEAD ".visible .entry lonely() { ret; }\n";

struct bytes {
    unsigned char at[8192];
    size_t len;
};

static void append(struct bytes *b, const void *p, size_t n)
{
    assert_true(b->len + n <= sizeof b->at);
    memcpy(b->at + b->len, p, n);
    b->len += n;
}

/* A fat binary (fatbin.h) with one entry. */
enum kind { PTX = 1, CODE = 2 };

static struct bytes fat_binary(enum kind kind, const char *text)
{
    struct bytes b = {.len = 0};
    const size_t payload = (strlen(text) + 8) / 8 * 8;
    const uint64_t body = 0x40 + payload;
    const struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t body;
    } head = {0xBA55ED50, 1, 16, body};
    unsigned char entry[0x40] = {0};
    const uint32_t header_size = sizeof entry, sm = 90;
    const uint16_t what = kind;
    const uint64_t size = payload;
    memcpy(entry, &what, 2);
    memcpy(entry + 4, &header_size, 4);
    memcpy(entry + 8, &size, 8);
    memcpy(entry + 0x1c, &sm, 4);
    append(&b, &head, sizeof head);
    append(&b, entry, sizeof entry);
    memcpy(b.at + b.len, text, strlen(text) + 1);
    b.len += payload;
    return b;
}

/* A host object whose section of this name has the content. */
static struct bytes object(const char *section, const struct bytes *content)
{
    struct bytes b = {.len = 0};
    char names[64] = "";
    snprintf(names + 1, sizeof names - 1, "%s", section);
    const size_t at = sizeof(Elf64_Ehdr) + sizeof names;
    const Elf64_Shdr sections[] = {
        {0},
        {.sh_type = SHT_STRTAB, .sh_offset = sizeof(Elf64_Ehdr), .sh_size = sizeof names},
        {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = at, .sh_size = content->len},
    };
    const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_REL,
                             .e_machine = EM_X86_64,
                             .e_version = EV_CURRENT,
                             .e_ehsize = sizeof head,
                             .e_shentsize = sizeof sections[0],
                             .e_shoff = at + content->len,
                             .e_shnum = 3,
                             .e_shstrndx = 1};
    append(&b, &head, sizeof head);
    append(&b, names, sizeof names);
    append(&b, content->at, content->len);
    append(&b, sections, sizeof sections);
    return b;
}

static struct bytes device_object(enum kind kind, const char *text)
{
    const struct bytes fat = fat_binary(kind, text);
    return object("__nv_relfatbin", &fat);
}

static void add_member(struct bytes *ar, const char *name, const struct bytes *member)
{
    char header[80], slash[16];
    if (ar->len == 0)
        append(ar, "!<arch>\n", 8);
    snprintf(slash, sizeof slash, "%s/", name);
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8s%-10u`\n", slash, 0, 0, 0, "644", (unsigned)member->len);
    append(ar, header, 60);
    append(ar, member->at, member->len);
    if (member->len % 2)
        append(ar, "\n", 1);
}

/* ---- a link under way, with its log ---- */

static CUlinkState link_state;
static char log_text[2048];

static void link_begin(void)
{
    static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    static void *values[2];
    values[0] = log_text;
    values[1] = (void *)(uintptr_t)sizeof log_text;
    OK(cuLinkCreate_v2(2, options, values, &link_state));
    OK(cuLinkAddData_v2(link_state, CU_JIT_INPUT_PTX, (void *)ptx_caller, sizeof ptx_caller, "caller.ptx", 0, NULL,
                        NULL));
}

static CUresult add(CUjitInputType type, struct bytes *b, const char *name)
{
    return cuLinkAddData_v2(link_state, type, b->at, b->len, name, 0, NULL, NULL);
}

static CUresult link_end(CUmodule *m)
{
    void *image = NULL;
    size_t size;
    CUresult r = cuLinkComplete(link_state, &image, &size);
    if (r == CUDA_SUCCESS)
        r = cuModuleLoadData(m, image);
    OK(cuLinkDestroy(link_state));
    return r;
}

static void expect_42(CUmodule m)
{
    CUfunction f;
    CUdeviceptr p;
    unsigned got = 0;
    OK(cuModuleGetFunction(&f, m, "call_it"));
    OK(cuMemAlloc_v2(&p, 4));
    void *params[] = {&p};
    OK(run1(f, 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(&got, p, 4));
    OK(cuMemFree_v2(p));
    assert_int_equal(got, 42);
}

/* Ends the link, in which `twice` must be missing. */
static void expect_unresolved(const char *mentions)
{
    CUmodule m;
    FAILS(link_end(&m), CUDA_ERROR_INVALID_SOURCE);
    if (!strstr(log_text, "'twice'") || !strstr(log_text, mentions))
        fail_msg("the log does not name '%s': %s", mentions, log_text);
}

/* ---- the tests ---- */

static int up(void **state)
{
    *state = context_up();
    return 0;
}

static int down(void **state)
{
    context_down(*state);
    return 0;
}

static void an_object_is_linked(void **state)
{
    (void)state;
    CUmodule m;
    struct bytes o = device_object(PTX, ptx_twice);
    link_begin();
    OK(add(CU_JIT_INPUT_OBJECT, &o, "twice.o"));
    OK(link_end(&m));
    expect_42(m);
}

static void all_members_of_a_library_are_linked(void **state)
{
    (void)state;
    CUmodule m;
    CUfunction f;
    struct bytes ar = {.len = 0}, twice = device_object(PTX, ptx_twice), lonely = device_object(PTX, ptx_lonely),
                 nothing = {0};
    struct bytes host = object(".text", &nothing);
    add_member(&ar, "host.o", &host);
    add_member(&ar, "twice.o", &twice);
    add_member(&ar, "lonely.o", &lonely);
    link_begin();
    OK(add(CU_JIT_INPUT_LIBRARY, &ar, "libnumbers.a"));
    OK(link_end(&m));
    expect_42(m);
    OK(cuModuleGetFunction(&f, m, "lonely")); /* though nothing refers to it */
}

static void a_library_from_a_file(void **state)
{
    (void)state;
    CUmodule m;
    struct bytes ar = {.len = 0}, twice = device_object(PTX, ptx_twice);
    char path[] = "/tmp/lockstep-test-XXXXXX";
    add_member(&ar, "twice.o", &twice);
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(ar.at, 1, ar.len, f), ar.len);
    fclose(f);
    link_begin();
    OK(cuLinkAddFile_v2(link_state, CU_JIT_INPUT_LIBRARY, path, 0, NULL, NULL));
    remove(path);
    OK(link_end(&m));
    expect_42(m);
}

static void machine_code_is_left_out(void **state)
{
    (void)state;
    CUmodule m;
    struct bytes ar = {.len = 0}, code = device_object(CODE, "code"), twice = device_object(PTX, ptx_twice);
    add_member(&ar, "twice.o", &code);
    link_begin();
    OK(add(CU_JIT_INPUT_LIBRARY, &ar, "libcode.a"));
    expect_unresolved("libcode.a"); /* which may have it */
    link_begin();
    OK(add(CU_JIT_INPUT_LIBRARY, &ar, "libcode.a"));
    OK(add(CU_JIT_INPUT_OBJECT, &twice, "twice.o"));
    OK(link_end(&m)); /* nothing of it is needed */
    expect_42(m);
    link_begin();
    FAILS(add(CU_JIT_INPUT_OBJECT, &code, "twice.o"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    expect_unresolved("machine code");
}

static void what_is_defined_twice(void **state)
{
    (void)state;
    CUmodule m;
    struct bytes twice = device_object(PTX, ptx_twice);
    link_begin();
    OK(add(CU_JIT_INPUT_OBJECT, &twice, "one.o"));
    FAILS(add(CU_JIT_INPUT_OBJECT, &twice, "other.o"), CUDA_ERROR_INVALID_SOURCE);
    if (!strstr(log_text, "'twice'") || !strstr(log_text, "one.o") || !strstr(log_text, "other.o"))
        fail_msg("the log: %s", log_text);
    FAILS(link_end(&m), CUDA_ERROR_INVALID_SOURCE);
}

static void what_cannot_be_linked(void **state)
{
    (void)state;
    struct bytes ar = {.len = 0}, nothing = {0}, text = {.at = "some text", .len = 9}, fat = fat_binary(PTX, ptx_twice);
    struct bytes host = object(".text", &nothing), whole = object(".nv_fatbin", &fat);
    struct bytes torn = device_object(PTX, ptx_twice);
    torn.len /= 2;
    add_member(&ar, "host.o", &host);
    link_begin();
    FAILS(add(CU_JIT_INPUT_LIBRARY, &ar, "libhost.a"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(add(CU_JIT_INPUT_LIBRARY, &text, "text"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(add(CU_JIT_INPUT_LIBRARY, &host, "host.o"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(add(CU_JIT_INPUT_OBJECT, &host, "host.o"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(add(CU_JIT_INPUT_OBJECT, &whole, "whole.o"), CUDA_ERROR_INVALID_IMAGE); /* not made with -rdc=true */
    FAILS(add(CU_JIT_INPUT_OBJECT, &text, "text"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(add(CU_JIT_INPUT_OBJECT, &torn, "torn.o"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(add(CU_JIT_INPUT_FATBINARY, &host, "host.o"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    FAILS(add(CU_JIT_INPUT_CUBIN, &host, "x.cubin"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    FAILS(add(CU_JIT_INPUT_NVVM, &text, "x.bc"), CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    FAILS(add((CUjitInputType)17, &text, "x"), CUDA_ERROR_INVALID_VALUE);
    OK(add(CU_JIT_INPUT_FATBINARY, &fat, "twice.fatbin")); /* the link goes on */
    CUmodule m;
    OK(link_end(&m));
    expect_42(m);
}

/* Its members are machine code; what they define is built in. */
static void the_device_runtime_library(void **state)
{
    (void)state;
    CUmodule m;
    struct bytes twice = device_object(PTX, ptx_twice);
    FILE *f = fopen(CUDADEVRT, "r");
    if (!f)
        skip(); /* there is no toolkit here */
    fclose(f);
    link_begin();
    OK(cuLinkAddFile_v2(link_state, CU_JIT_INPUT_LIBRARY, CUDADEVRT, 0, NULL, NULL));
    OK(add(CU_JIT_INPUT_OBJECT, &twice, "twice.o"));
    OK(link_end(&m));
    expect_42(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_object_is_linked, up, down),
        cmocka_unit_test_setup_teardown(all_members_of_a_library_are_linked, up, down),
        cmocka_unit_test_setup_teardown(a_library_from_a_file, up, down),
        cmocka_unit_test_setup_teardown(machine_code_is_left_out, up, down),
        cmocka_unit_test_setup_teardown(what_is_defined_twice, up, down),
        cmocka_unit_test_setup_teardown(what_cannot_be_linked, up, down),
        cmocka_unit_test_setup_teardown(the_device_runtime_library, up, down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
