/* lab.c - a rung's way through the laboratory: awkward shapes, the shape that was asked for, its counters or its time.
 */
#include "lab/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "lab/recorded.h"
#include "lab/trial.h"
#include "model/bounds.h"

/* Of names that nobody knows the driver tells. */
static void tell(void *diags, bool bad, const char *text)
{
    if (bad)
        diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "%s", text);
}

enum ls_status lab_open(const struct lab_request *request, struct lab **out, struct diag_list *diags)
{
    struct lab *lab = ls_calloc(1, sizeof *lab);
    *out = NULL;
    if (!lab)
        return LS_ERR_NOMEM;
    lab->request = *request;
    struct settings said;
    enum ls_status s = settings_read(&said, tell, diags) ? LS_OK : LS_ERR_INVALID;
    if (s == LS_OK)
        s = request->gpu ? LS_OK : gpu_find(said.gpu, &lab->gpu, diags);
    lab->other_banks =
        said.banks.banks && (said.banks.banks != lab->gpu.banks || said.banks.bytes != lab->gpu.bank_bytes);
    if (s == LS_OK && !request->gpu && !request->checked)
        s = lab_session_open(lab->session, diags);
    if (s == LS_OK)
        s = lab_cuda_open(&lab->cuda, request->gpu, diags);
    if (s != LS_OK) {
        lab_close(lab);
        return s;
    }
    *out = lab;
    return LS_OK;
}

void lab_close(struct lab *lab)
{
    if (!lab)
        return;
    lab_cuda_close(&lab->cuda);
    if (lab->session[0])
        lab_session_close(lab->session);
    ls_free(lab);
}

const char *lab_device_name(const struct lab *lab) { return lab->cuda.device_name; }

void lab_set_shape(struct lab *lab, const struct shape *shape) { lab->request.shape = *shape; }

void lab_shape_text(const struct family *f, const struct shape *s, char *out, size_t size)
{
    char k[80] = "", batch[40] = "";
    if (f->third)
        snprintf(k, sizeof k, ", %.60s %u", f->third, s->k);
    if (f->batched)
        snprintf(batch, sizeof batch, ", batch %u", s->batch);
    if (f->matrix)
        snprintf(out, size, "%u x %u%s%s, block %u x %u", s->rows, s->cols, k, batch, s->bx, s->by);
    else
        snprintf(out, size, "n = %llu%s%s, block %u x %u", (unsigned long long)s->n, k, batch, s->bx, s->by);
}

/* ---- code ---- */

/* A file's text, NUL-terminated, ls_realloc'ed; NULL when it cannot be read. */
static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = NULL;
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size >= 0 && fseek(f, 0, SEEK_SET) == 0)
        text = ls_realloc(NULL, (size_t)size + 1);
    if (text) {
        size_t n = fread(text, 1, (size_t)size, f);
        text[n] = '\0';
    }
    fclose(f);
    return text;
}

/* The PTX of another compiler, from the request's folder. */
static char *foreign_ptx(const struct lab *lab, const struct family *f, const struct embedded *code)
{
    char path[1024], tile[32] = "";
    if (code->tile_x)
        snprintf(tile, sizeof tile, "-%ux%u", code->tile_x, code->tile_y);
    snprintf(path, sizeof path, "%s/%s-%s%s%s.ptx", lab->request.ptx_dir, f->name, code->broken ? "broken-" : "",
             code->rung, tile);
    return read_text(path);
}

/* ---- a run ---- */

struct run {
    struct lab *lab;
    const struct family *family;
    const struct rung *rung;
    const struct embedded *code;
    const char *ptx;
    struct arena *mem; /* the result's */
    struct lab_result *out;
};

static struct trial new_trial(const struct run *run, const struct shape *shape)
{
    return (struct trial){.lab = run->lab, .family = run->family, .rung = run->rung, .shape = *shape};
}

/* A CUDA error is a fault of the kernel; the context is of no use after it. */
static void say_fault(const struct run *run, struct trial *t)
{
    run->out->verdict = LAB_FAULT;
    snprintf(run->out->text, sizeof run->out->text, "%s", lab_cuda_error(&run->lab->cuda, t->error));
}

/* Prefixes the text with the shape at which it happened. */
static void say_where(const struct run *run, const struct shape *s)
{
    char where[160], text[sizeof run->out->text];
    lab_shape_text(run->family, s, where, sizeof where);
    snprintf(text, sizeof text, "%s", run->out->text);
    snprintf(run->out->text, sizeof run->out->text, "at %s: %.230s", where, text);
}

/* Carries out the plan and judges what it left; true: right. */
static bool run_trial(const struct run *run, struct trial *t)
{
    bool ran = trial_begin(t, run->ptx) && trial_run(t);
    if (ran)
        trial_judge(t, run->out);
    else
        say_fault(run, t);
    return ran;
}

/* What is taken only at the requested shape: the plan's values and, on a GPU, the time. */
static void measure(const struct run *run, struct trial *t)
{
    struct lab_result *out = run->out;
    lab_values(t, run->mem, out);
    if (out->verdict == LAB_RIGHT && run->lab->request.gpu && !run->lab->request.no_time &&
        trial_time(t, &out->milliseconds))
        out->gigabytes_per_s = (double)t->plan.useful_bytes / out->milliseconds * 1e-6;
}

/* Only the main one's counters are wanted, and modelled. */
static bool try_plan(const struct run *run, struct trial *t, bool main)
{
    if (run->lab->cuda.model)
        run->lab->cuda.model(main);
    if (main && run->lab->session[0])
        lab_session_clear(run->lab->session);
    bool ran = run_trial(run, t);
    if (ran && main)
        measure(run, t);
    trial_end(t);
    if (!ran)
        lab_cuda_renew(&run->lab->cuda);
    return ran && run->out->verdict == LAB_RIGHT;
}

/* The same under other schedules with weak memory, where a missing fence shows; then the driver's own order again. */
static bool try_schedules(const struct run *run, const struct trial *like)
{
    struct lab_cuda *c = &run->lab->cuda;
    bool right = true;
    if (run->lab->request.checked) /* which replays launches itself */
        return true;
    for (u32 i = 1; right && c->schedule && i <= like->plan.schedules; i++) {
        struct trial t = *like;
        c->schedule(i, true);
        right = try_plan(run, &t, false);
    }
    if (c->schedule)
        c->schedule(0, false);
    if (!right && run->lab->session[0])
        lab_session_clear(run->lab->session); /* no counters are better than those of a run that went wrong */
    return right;
}

/* One shape, judged. False: not right (verdict and text say what). */
static bool try_shape_in(const struct run *run, const struct shape *s, bool main, struct arena *mem)
{
    struct trial t = new_trial(run, s);
    t.plan.mem = mem;
    const char *why = run->family->plan(run->rung, s, &t.plan);
    if (why)
        return true; /* an awkward shape that it does not take */
    run->out->shapes++;
    if (try_schedules(run, &t) && try_plan(run, &t, main))
        return true;
    say_where(run, s);
    return false;
}

static bool try_shape(const struct run *run, const struct shape *s, bool main)
{
    struct arena mem = ARENA("trial");
    if (setjmp(mem.oom)) {
        arena_free(&mem);
        run->out->verdict = LAB_FAILED;
        snprintf(run->out->text, sizeof run->out->text, "out of memory");
        return false;
    }
    bool right = try_shape_in(run, s, main, &mem);
    arena_free(&mem);
    return right;
}

static void verify_awkward(const struct run *run)
{
    struct shape s;
    for (u32 i = 0; run->family->awkward(run->rung, &run->out->shape, i, &s); i++)
        if (!try_shape(run, &s, false))
            return;
}

/* A broken rung at the shape where it must be found out. */
static void catch_broken(const struct run *run, const struct expectations *e)
{
    struct lab_result seen = {.shape = e->caught_at};
    struct run at = *run;
    at.out = &seen;
    run->family->defaults(run->rung, &seen.shape);
    at.code = kernel_code(run->family, run->rung, seen.shape.bx, seen.shape.by);
    if (!at.code || e->caught == CATCH_CLAIM)
        return;
    if (!run->lab->request.ptx_dir)
        at.ptx = at.code->ptx;
    try_shape(&at, &seen.shape, false);
    bool wrong = seen.verdict == LAB_WRONG, fault = seen.verdict == LAB_FAULT;
    run->out->caught = (wrong && e->caught != CATCH_FAULT) || (fault && e->caught != CATCH_WRONG);
    if (seen.text[0])
        snprintf(run->out->text, sizeof run->out->text, "%s", seen.text);
}

/* By throughputs alone: what a launch waits for, another may hide. Of DRAM only the bytes that the task must move. */
static void set_bound(const struct gpu *gpu, struct lab_result *out)
{
    if (!out->report || !out->main)
        return;
    const struct launch *l = out->main;
    struct model_work w = work_of_report(out->report);
    w.blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    w.dram_bytes = (double)out->plan.useful_bytes;
    const struct bounds b = bounds_of(gpu, &w, bound_hz(gpu));
    const enum bound_id nearest = bounds_nearest(&b, BOUND_LATENCY);
    if (!(b.seconds[nearest] > 0))
        return;
    out->bound_seconds = b.seconds[nearest];
    out->limit = bound_name(nearest);
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->n == b->n && a->rows == b->rows && a->cols == b->cols && a->k == b->k && a->batch == b->batch &&
           a->bx == b->bx && a->by == b->by;
}

static const struct recorded_time *find_recorded(const char *family, const char *name)
{
    for (const struct recorded_time *t = recorded_times; t->family; t++)
        if (strcmp(t->family, family) == 0 && strcmp(t->rung, name) == 0)
            return t;
    return NULL;
}

/* What the recorded GPU took, if this is that GPU and the launch that was recorded. */
static const struct recorded_time *recorded_of(const struct run *run)
{
    const struct lab_result *out = run->out;
    struct shape usual = {0};
    run->family->defaults(run->rung, &usual);
    if (run->rung->broken || run->lab->request.ptx_dir || run->lab->other_banks || !out->main ||
        strcmp(run->lab->gpu.id, recorded_on.id) != 0 || !same_shape(&usual, &out->shape))
        return NULL;
    const struct recorded_time *t = find_recorded(run->family->name, run->rung->name);
    const bool same = t && t->launches == out->launches && memcmp(t->grid, out->main->grid, sizeof t->grid) == 0 &&
                      memcmp(t->block, out->main->block, sizeof t->block) == 0;
    return same ? t : NULL;
}

static void count(const struct run *run, const struct expectations *e, struct arena *mem, struct diag_list *diags)
{
    struct lab_result *out = run->out;
    out->report = lab_session_sum(run->lab->session, run->rung->kernel, &out->launches, diags);
    set_bound(&run->lab->gpu, out);
    out->recorded = recorded_of(run);
    lab_link(&run->lab->gpu, mem, out);
    if (out->report)
        lab_judge(e, run->code->path, mem, out);
    else if (!out->main)
        lab_judge(e, run->code->path, mem, out); /* a plan of copies alone */
    else if (out->verdict == LAB_RIGHT) {
        out->verdict = LAB_FAILED;
        snprintf(out->text, sizeof out->text, "the driver left no counters in %s", run->lab->session);
    }
}

static void run_rung(const struct run *run, const struct expectations *e, struct arena *mem, struct diag_list *diags)
{
    struct lab_result *out = run->out;
    if (!run->rung->broken && !run->lab->request.no_awkward)
        verify_awkward(run);
    if (out->verdict != LAB_RIGHT)
        return;
    bool right = try_shape(run, &out->shape, true);
    if (run->lab->session[0] && out->verdict != LAB_FAULT && (right || run->rung->broken))
        count(run, e, mem, diags);
    if (run->rung->broken && e->caught != CATCH_CLAIM)
        catch_broken(run, e);
}

static enum ls_status unsupported(struct lab_result *out, const char *why)
{
    out->verdict = LAB_UNSUPPORTED;
    snprintf(out->text, sizeof out->text, "%s", why);
    return LS_OK;
}

enum ls_status lab_run(struct lab *lab, const struct family *f, const struct rung *r, struct arena *mem,
                       struct lab_result *out, struct diag_list *diags)
{
    *out = (struct lab_result){.family = f, .rung = r, .shape = lab->request.shape};
    struct run run = {.lab = lab, .family = f, .rung = r, .mem = mem, .out = out};
    struct expectations e;
    f->defaults(r, &out->shape);
    out->plan.mem = mem;
    const char *why = f->plan(r, &out->shape, &out->plan);
    if (why)
        return unsupported(out, why);
    if (out->plan.device_runtime && lab->request.gpu)
        return unsupported(out, "on a GPU it needs the device runtime library (libcudadevrt.a), to launch kernels");
    out->main = plan_main(&out->plan, r);
    run.code = kernel_code(f, r, out->shape.bx, out->shape.by);
    if (!run.code)
        return unsupported(out,
                           "its tile has a fixed size, and it was not built for this block (lockstep climb --list)");
    if (expect_read(run.code->source, run.code->path, mem, &e, diags) != LS_OK)
        return LS_ERR_SYNTAX;
    out->against = e.against;
    char *foreign = lab->request.ptx_dir ? foreign_ptx(lab, f, run.code) : NULL;
    if (lab->request.ptx_dir && !foreign)
        return unsupported(out, "there is no PTX of it in that folder");
    run.ptx = foreign ? foreign : run.code->ptx;
    run_rung(&run, &e, mem, diags);
    ls_free(foreign);
    return LS_OK;
}

void lab_result_free(struct lab_result *r)
{
    if (r->report)
        meter_report_free((struct meter_report *)r->report);
    r->report = NULL;
}

bool lab_result_bad(const struct lab_result *r)
{
    if (r->verdict == LAB_UNSUPPORTED)
        return false;
    if (r->rung->broken)
        return !r->caught || r->nfindings;
    return r->verdict != LAB_RIGHT || r->nfindings;
}

const char *lab_verdict_name(enum lab_verdict v)
{
    static const char *const names[] = {"right", "WRONG", "FAULT", "unsupported", "failed"};
    return names[v];
}

const struct family *lab_family(const char *name)
{
    for (u32 i = 0; i < kernel_family_count; i++)
        if (strcmp(kernel_families[i]->name, name) == 0)
            return kernel_families[i];
    return NULL;
}

const struct rung *lab_rung(const struct family *f, const char *name, bool broken)
{
    for (u32 i = 0; i < f->nrungs; i++)
        if (f->rungs[i].broken == broken && strcmp(f->rungs[i].name, name) == 0)
            return &f->rungs[i];
    return NULL;
}
