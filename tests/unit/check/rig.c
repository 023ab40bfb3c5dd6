#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static void on_report(void *ctx, const struct finding *f, u64 id, bool again)
{
    struct rig *r = ctx;
    for (u32 k = 0; k < r->nfound && again; k++)
        if (r->ids[k] == id) {
            r->found[k].count += f->count;
            r->found[k].threads += f->threads;
            return;
        }
    if (again)
        return; /* of one that was forgotten */
    assert_true(r->nfound < RIG_FINDINGS);
    r->ids[r->nfound] = id;
    r->found[r->nfound++] = *f;
}

void rig_open(struct rig *r, const char *ptx, unsigned tools, const struct check_options *options)
{
    struct check_options o = options ? *options : (struct check_options){0};
    memset(r, 0, sizeof *r);
    bench_open(&r->bench, ptx);
    o.tools = tools;
    o.report = on_report;
    o.report_ctx = r;
    assert_int_equal(check_create(&o, r->bench.device.mem, &r->check), LS_OK);
}

void rig_close(struct rig *r)
{
    check_destroy(r->check);
    bench_close(&r->bench);
}

u64 rig_alloc(struct rig *r, u64 bytes) { return (u64)(uintptr_t)bench_alloc(&r->bench, bytes); }

static void check_and_run(struct rig *r, struct exec_launch *l)
{
    struct check_launch *c;
    const struct check_site site = {.op = 0};
    l->id = ++r->launches;
    assert_int_equal(check_launch_begin(r->check, l, &site, &c), LS_OK);
    l->hooks = check_launch_hooks(c);
    r->status = exec_run(l, &r->fault, NULL);
    check_launch_end(c, r->status, &r->fault, &r->left_out);
}

void rig_run(struct rig *r, const struct run *what)
{
    u8 params[4096] = {0};
    const struct ir_func *k = exec_module_kernel(r->bench.module, what->kernel);
    if (!k)
        fail_msg("no kernel %s", what->kernel);
    for (u32 i = 0; i < k->src->nparams; i++) {
        const struct ptx_var *p = k->src->params[i];
        memcpy(params + p->offset, &what->params[i], p->size < 8 ? p->size : 8);
    }
    struct exec_launch l = {
        .device = &r->bench.device,
        .module = r->bench.module,
        .kernel = k,
        .grid = {what->grid, what->grid_y ? what->grid_y : 1, 1},
        .block = {what->block, what->block_y ? what->block_y : 1, 1},
        .dynamic_shared = what->dynamic_shared,
        .params = params,
        .workers = what->workers ? what->workers : 1,
        .seed = what->seed,
        .max_instructions = what->max_instructions,
        .max_seconds = what->max_seconds > 0 ? what->max_seconds : 60,
        .cooperative = what->cooperative,
        .one_lane = what->one_lane,
    };
    check_and_run(r, &l);
}

static void show(const struct rig *r)
{
    for (u32 k = 0; k < r->nfound; k++) {
        const struct finding *f = &r->found[k];
        print_message("found: %s, PTX line %u: %s\n%s\n", finding_info(f->kind)->name, f->at.ptx_line, f->what,
                      f->detail);
    }
    if (r->status) {
        char *text = exec_fault_text(&r->fault);
        print_message("%s\n", text ? text : "");
        ls_free(text);
    }
}

const struct finding *rig_only(const struct rig *r, enum finding_kind kind)
{
    if (r->nfound != 1 || r->found[0].kind != kind) {
        show(r);
        fail_msg("%u findings, and not one %s", r->nfound, finding_info(kind)->name);
    }
    return &r->found[0];
}

const struct finding *rig_find(const struct rig *r, enum finding_kind kind)
{
    for (u32 k = 0; k < r->nfound; k++)
        if (r->found[k].kind == kind)
            return &r->found[k];
    return NULL;
}

void rig_none(const struct rig *r)
{
    if (r->nfound || r->status) {
        show(r);
        fail_msg("%u findings, status %s", r->nfound, ls_status_name(r->status));
    }
}

void rig_forget(struct rig *r) { r->nfound = 0; }
