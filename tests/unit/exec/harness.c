#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/alloc.h"

static char *read_file(const char *name, size_t *len)
{
    char path[256];
    snprintf(path, sizeof path, "tests/unit/exec/ptx/%s", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = malloc((size_t)n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    text[n] = 0;
    fclose(f);
    *len = (size_t)n;
    return text;
}

void bench_open(struct bench *b, const char *file_or_text)
{
    bool inline_text = strchr(file_or_text, '\n') != NULL;
    size_t len = strlen(file_or_text);
    char *text = inline_text ? NULL : read_file(file_or_text, &len);
    struct diag_list diags;
    struct gpu gpu;
    struct ptx_module *ptx = NULL;
    diag_init(&diags);
    assert_int_equal(gpu_find("h200", &gpu, &diags), LS_OK);
    gpu.memory_bytes = 1ull << 30;
    assert_int_equal(exec_device_init(&b->device, &gpu), LS_OK);
    enum ls_status s =
        ptx_parse(text ? text : file_or_text, len, inline_text ? "inline.ptx" : file_or_text, &ptx, &diags);
    if (s) {
        char *why = diag_text(&diags);
        fail_msg("%s", why);
    }
    assert_int_equal(exec_module_load(&b->device, &ptx, 1, &b->module, &diags), LS_OK);
    diag_free(&diags);
    free(text);
}

void bench_close(struct bench *b)
{
    exec_module_free(b->module);
    exec_device_free(&b->device);
}

void *bench_alloc(struct bench *b, u64 n)
{
    u64 at;
    assert_int_equal(mem_alloc(b->device.mem, n, 256, MEM_DEVICE, NULL, &at), LS_OK);
    memset((void *)(uintptr_t)at, 0, n);
    return (void *)(uintptr_t)at;
}

enum ls_status bench_run(struct bench *b, const struct run *r, struct exec_fault *fault)
{
    u8 params[4096] = {0};
    const struct ir_func *k = exec_module_kernel(b->module, r->kernel);
    if (!k)
        fail_msg("no kernel %s", r->kernel);
    for (u32 i = 0, next = 0; i < k->src->nparams; i++) {
        const struct ptx_var *p = k->src->params[i];
        const u32 bytes = p->type == PTX_B128 ? 16 : p->size < 8 ? (u32)p->size : 8;
        memcpy(params + p->offset, &r->params[next], bytes);
        next += bytes == 16 ? 2 : 1;
    }
    struct exec_launch l = {
        .device = &b->device,
        .module = b->module,
        .kernel = k,
        .grid = {r->grid, r->grid_y ? r->grid_y : 1, 1},
        .block = {r->block, r->block_y ? r->block_y : 1, 1},
        .cluster = {r->cluster, r->cluster ? 1 : 0, r->cluster ? 1 : 0},
        .dynamic_shared = r->dynamic_shared,
        .params = params,
        .workers = r->workers,
        .seed = r->seed,
        .max_instructions = r->max_instructions,
        .max_seconds = r->max_seconds,
        .hooks = r->hooks,
        .cooperative = r->cooperative,
        .one_lane = r->one_lane,
    };
    return exec_run(&l, fault, NULL);
}

void bench_run_ok(struct bench *b, const struct run *r)
{
    struct exec_fault f;
    enum ls_status s = bench_run(b, r, &f);
    if (s) {
        char *why = exec_fault_text(&f);
        fail_msg("%s: %s: %s", r->kernel, ls_status_text(s), why ? why : "");
    }
}
