/* launch.c - a launch under the debugger: on one worker, interpreted, behind gates, and again from its beginning as often as
 * the debugger goes back. The thread that runs it serves until it has ended. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"

/* ---- text ---- */

/* Of a run that is given up nothing is printed, and of a later one only what has not been. */
static void print(void *ctx, const char *text, size_t len)
{
    struct debuggee *run = ctx;
    if (run->back)
        return;
    const u64 from = run->printed > run->seen ? run->printed - run->seen : 0;
    run->seen += len;
    if (from >= len)
        return;
    run->printed = run->seen;
    run->root->print(run->root->print_ctx, text + from, len - from);
    if (agent.on)
        wire_send(agent.wire, json_pack("{s:s, s:o}", "event", "print", "text", word_text(text + from, len - from)));
}

/* ---- grids ---- */

static void *worker_begin(void *run, unsigned worker)
{
    (void)worker;
    return run;
}

static void block_begin(void *ctx, const struct exec_block_info *b)
{
    struct debuggee *run = ctx;
    run->begun++;
    if (b->linear < run->nblock_ticks)
        run->block_ticks[b->linear] = gate_tick();
}

static void block_end(void *ctx, const struct exec_block_info *b)
{
    (void)b;
    ((struct debuggee *)ctx)->ended++;
}

static bool excuses_nothing(void *ctx, const struct exec_block_info *b, const struct exec_fault *f)
{
    (void)ctx, (void)b, (void)f;
    return false;
}

/* Room for the ticks at which blocks begin; the grid can do without. */
static void make_block_ticks(struct debuggee *run, const struct exec_launch *l)
{
    enum { BLOCKS_MOST = 1 << 22 };
    const u64 n = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    if (n <= run->nblock_ticks || n > BLOCKS_MOST)
        return;
    u64 *more = ls_realloc(run->block_ticks, sizeof *more * n);
    if (!more)
        return;
    memset(more + run->nblock_ticks, 0, sizeof *more * (n - run->nblock_ticks));
    run->block_ticks = more;
    run->nblock_ticks = n;
}

/* The n-th grid of the launch has the same id in every run. */
u64 id_of(struct debuggee *run, const struct exec_launch *l)
{
    const u32 n = run->ngrids++;
    if (n < run->nids)
        return run->ids[n];
    u64 *more = ls_realloc(run->ids, sizeof *more * (n + 1));
    const u64 id = l->depth ? agent.config.new_id() : l->id;
    if (!more)
        return id;
    run->ids = more;
    run->ids[n] = id;
    run->nids = n + 1;
    return id;
}

static void tell_grid(const struct exec_launch *l, bool first)
{
    json_t *event = json_pack("{s:s}", "event", first ? "launch" : "grid");
    if (!event || !first)
        json_decref(event);
    if (!event || !first)
        return;
    tell_launch(event, l);
    wire_send(agent.wire, event);
}

enum ls_status run_grid(void *ctx, struct exec_launch *l, struct exec_fault *fault)
{
    struct debuggee *run = ctx;
    const bool first = run->ngrids == run->ntold && !run->looking;
    const struct exec_hooks hooks = {.launch = run,
                                     .worker_begin = worker_begin,
                                     .block_begin = block_begin,
                                     .block_end = block_end,
                                     .fault = run->strict ? excuses_nothing : NULL};
    struct history *history = run->travel.on && run->travel.record == RECORD_HISTORY ? run->travel.history : NULL;
    l->id = id_of(run, l);
    const struct exec_hooks *others = history_begin(history, l, run->strict);
    l->hooks = others ? others : &hooks;
    if (!gate_kernel(l))
        return LS_ERR_NOMEM;
    run->grid_launch = l;
    run->begun = run->ended = 0;
    make_block_ticks(run, l);
    run->entry = true;
    stops_place();
    run->ntold += first;
    tell_grid(l, first);
    if (run->looking)
        gate_alarm(0);
    else
        control_alarm();
    const enum ls_status s = exec_run(l, fault, NULL);
    history_end(history);
    run->grid = NULL;
    run->grid_launch = NULL;
    l->hooks = NULL;
    return run->back ? LS_ERR_INVALID : s;
}

/* ---- the launch ---- */

static enum ls_status plainly(void *ctx, struct exec_launch *l, struct exec_fault *fault)
{
    (void)ctx;
    return exec_run(l, fault, NULL);
}

static void begin(struct debuggee *run, const struct exec_launch *l)
{
    run->root = l;
    run->until = UINT64_MAX;
    run->timer_floor = l->device->timer_floor;
    const bool kept = agent.keep == KEEP_ALL || (agent.keep == KEEP_STOPS && (agent.stop_at_end || stops_concern(l)));
    run->no_return = !kept ? "this launch was not kept (set record)"
                           : snapshot_take(&agent.snapshot, agent.config.mem, agent.config.memory_most);
    agent.run = run;
}

static void finish(struct debuggee *run)
{
    agent.run = NULL;
    stops_forget();
    step_end(&run->step);
    travel_done(&run->travel);
    findings_drop(run);
    ls_free(run->ids);
    ls_free(run->block_ticks);
}

void rewind_all(struct debuggee *run)
{
    snapshot_restore(&agent.snapshot);
    run->root->device->timer_floor = run->timer_floor;
    run->seen = 0;
    run->ngrids = 0;
    run->stored.on = false;
    run->back = run->at_end = false;
    run->fault = NULL;
    gate_set_tick(0);
}

static void tell_end(const struct exec_launch *l, const struct debuggee *run, enum ls_status s)
{
    if (agent.on)
        wire_send(agent.wire, json_pack("{s:s, s:I, s:s, s:I}", "event", "end", "launch", (json_int_t)l->id, "status",
                                        ls_status_text(s), "ticks", (json_int_t)run->total));
}

static enum ls_status run_gated(const struct exec_launch *l, struct exec_fault *fault)
{
    struct debuggee *run = ls_calloc(1, sizeof *run);
    const struct gate_owner owner = {.ctx = run, .at = control_at, .fault = control_fault};
    struct exec_launch copy = *l;
    enum ls_status s;
    if (!run)
        return LS_ERR_NOMEM;
    copy.workers = 1;
    copy.max_seconds = 0;
    copy.print = l->print ? print : NULL;
    copy.print_ctx = run;
    begin(run, l);
    findings_look(run, &copy);
    gate_open(&owner);
    for (;;) {
        s = exec_run_tree(&copy, run_grid, run, fault);
        if (!run->back && control_end())
            break;
        rewind_all(run);
        gate_close(); /* other hooks may want other code */
        gate_open(&owner);
        *fault = (struct exec_fault){0};
    }
    gate_close();
    if (s == LS_OK && run->ticks_looked && run->total != run->ticks_looked)
        wire_send(agent.wire, json_pack("{s:s, s:s}", "event", "warning", "text",
                                        "The launch was changed: this run is not the one that the tools looked at"));
    tell_end(l, run, s);
    finish(run);
    ls_free(run);
    return s;
}

enum ls_status agent_launch(const struct exec_launch *l, struct exec_fault *fault)
{
    pthread_mutex_lock(&agent.serving);
    const enum ls_status s = agent.on ? run_gated(l, fault) : exec_run_tree(l, plainly, NULL, fault);
    pthread_mutex_unlock(&agent.serving);
    if (agent.on && wire_waiting(agent.wire))
        serve_waiting_alone();
    return s;
}
