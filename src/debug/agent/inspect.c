/* inspect.c - the state of a launch that stands still, as answers. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"

static bool fail(char why[200], const char *text)
{
    snprintf(why, 200, "%s", text);
    return false;
}

/* ---- what a call has returned ---- */

bool inspect_returned(const json_t *q, json_t *out, char why[200])
{
    const struct debuggee *run = agent.run;
    const u8 *at;
    const char *function;
    u64 lane, size;
    if (!run->has_place || !run->place.w || !word_member(q, "lane", 0, 31, &lane))
        return fail(why, "no warp runs here");
    if (!look_returned(look_frame_of(run->place.w), run->place.site, (unsigned)lane, &at, &size, &function))
        return fail(why, "no call stands in front of it");
    json_object_set_new(out, "function", json_string(function));
    json_object_set_new(out, "data", word_bytes(at, size));
    return true;
}

/* ---- places ---- */

json_t *tell_dim(const u32 dim[3])
{
    return json_pack("[I, I, I]", (json_int_t)dim[0], (json_int_t)dim[1], (json_int_t)dim[2]);
}

void tell_instruction(json_t *to, const struct ptx_module *m, const struct ptx_func *f, u32 index)
{
    char text[256];
    json_object_set_new(to, "function", json_string(f->name));
    json_object_set_new(to, "index", json_integer(index));
    if (index >= f->ninsts)
        return;
    const struct ptx_inst *i = &f->insts[index];
    ptx_print_inst(i, text, sizeof text);
    json_object_set_new(to, "instruction", word_text(text, strlen(text)));
    json_object_set_new(to, "ptx_line", json_integer(i->line));
    if (!i->loc || i->loc > m->nlocs)
        return;
    const struct ptx_loc *l = &m->locs[i->loc - 1];
    const char *file = l->file < m->nfiles && m->files[l->file] ? m->files[l->file] : "";
    json_object_set_new(to, "source",
                        json_pack("{s:o, s:I, s:I}", "file", word_text(file, strlen(file)), "line", (json_int_t)l->line,
                                  "column", (json_int_t)l->column));
}

void tell_site(json_t *to, const struct ir_func *func, u32 site) { tell_instruction(to, func->mod, func->src, site); }

static u64 module_id(const struct exec_module *m)
{
    u64 id = 0;
    pthread_mutex_lock(&agent.modules_lock);
    for (const struct agent_module *x = agent.modules; x; x = x->next)
        id = x->module == m ? x->id : id;
    pthread_mutex_unlock(&agent.modules_lock);
    return id;
}

void tell_launch(json_t *to, const struct exec_launch *l)
{
    json_object_set_new(to, "launch", json_integer((json_int_t)l->id));
    json_object_set_new(to, "kernel", json_string(l->kernel->name));
    json_object_set_new(to, "module", json_integer((json_int_t)module_id(l->module)));
    json_object_set_new(to, "grid_dim", tell_dim(l->grid));
    json_object_set_new(to, "block_dim", tell_dim(l->block));
    json_object_set_new(to, "dynamic_shared", json_integer(l->dynamic_shared));
    json_object_set_new(to, "parent", json_integer((json_int_t)l->parent));
    json_object_set_new(to, "depth", json_integer(l->depth));
}

bool inspect_launch(const json_t *q, json_t *out, char why[200])
{
    (void)q;
    if (!agent.run->grid_launch)
        return fail(why, "no grid runs now");
    tell_launch(out, agent.run->grid_launch);
    json_object_set_new(out, "blocks_begun", json_integer((json_int_t)agent.run->begun));
    json_object_set_new(out, "blocks_ended", json_integer((json_int_t)agent.run->ended));
    return true;
}

bool inspect_where(const json_t *q, json_t *out, char why[200])
{
    (void)q, (void)why;
    json_t *event = stop_event(agent.run->at_end ? "end" : "here", NULL);
    json_object_del(event, "event");
    json_object_update(out, event);
    json_decref(event);
    return true;
}

/* ---- blocks and warps ---- */

static void list_block(void *all, const struct exec_block_info *b)
{
    json_array_append_new(all, json_pack("{s:I, s:o, s:I, s:I}", "block", (json_int_t)b->linear, "block_id",
                                         tell_dim(b->id), "sm", (json_int_t)b->sm, "warps", (json_int_t)b->warps));
}

bool inspect_blocks(const json_t *q, json_t *out, char why[200])
{
    const struct debuggee *run = agent.run;
    const struct exec_launch *l = run->grid_launch;
    json_t *all = json_array();
    (void)q, (void)why;
    if (run->grid)
        look_blocks(run->grid, run->place.w, list_block, all);
    json_object_set_new(out, "resident", all);
    json_object_set_new(out, "begun", json_integer((json_int_t)run->begun));
    json_object_set_new(out, "ended", json_integer((json_int_t)run->ended));
    json_object_set_new(out, "blocks", json_integer(l ? (json_int_t)((u64)l->grid[0] * l->grid[1] * l->grid[2]) : 0));
    return true;
}

/* The block and warp that a request names, or the running ones. */
struct focus {
    const struct block *block;
    const struct warp *warp;
    unsigned lane;
    struct look_frame frame;
};

static bool find_block(const json_t *q, struct focus *f, char why[200])
{
    const struct debuggee *run = agent.run;
    const struct warp *w = run && run->has_place ? run->place.w : NULL;
    u64 number;
    if (!run || !run->grid)
        return fail(why, "no grid runs now");
    if (!word_member(q, "block", w ? look_info(look_block_of(w))->linear : 0, UINT64_MAX, &number))
        return fail(why, "block is a number");
    f->block = look_block(run->grid, w, number);
    return f->block || fail(why, "the block is not resident: it has ended or has not begun");
}

static bool find_warp(const json_t *q, struct focus *f, char why[200])
{
    const struct warp *here = agent.run && agent.run->has_place ? agent.run->place.w : NULL;
    u64 number;
    if (!find_block(q, f, why))
        return false;
    const bool same = here && look_block_of(here) == f->block;
    if (!word_member(q, "warp", same ? look_warp_index(here) : 0, UINT32_MAX, &number))
        return fail(why, "warp is a number");
    f->warp = look_warp(f->block, (u32)number);
    return f->warp || fail(why, "the block has not that many warps");
}

static unsigned first_lane(const struct warp *w)
{
    struct look_split splits[LOOK_SPLITS];
    const u32 n = look_splits(w, &agent.run->place, splits);
    u32 lanes = n ? splits[0].mask : 1;
    for (u32 k = 0; k < n; k++)
        if (splits[k].state == LOOK_RUNS)
            lanes = splits[k].mask;
    return (unsigned)__builtin_ctz(lanes);
}

enum { FRAMES_MOST = 256 };

static bool find_frame(const json_t *q, struct focus *f, char why[200])
{
    struct look_frame frames[FRAMES_MOST];
    u64 lane, number;
    if (!find_warp(q, f, why))
        return false;
    if (!word_member(q, "lane", first_lane(f->warp), IR_LANES - 1, &lane) ||
        !word_member(q, "frame", 0, FRAMES_MOST - 1, &number))
        return fail(why, "lane is 0 to 31, frame 0 (the innermost) to 255");
    f->lane = (unsigned)lane;
    const u32 n = look_frames(f->warp, &agent.run->place, f->lane, frames, FRAMES_MOST);
    if (number >= n)
        return fail(why, n ? "there are not that many frames" : "the lane has exited");
    f->frame = frames[number];
    return true;
}

static json_t *tell_split(const struct look_split *s)
{
    static const char *const states[] = {[LOOK_RUNS] = "runs",
                                         [LOOK_READY] = "ready",
                                         [LOOK_BARRIER] = "barrier",
                                         [LOOK_SYNC] = "sync",
                                         [LOOK_JOIN] = "join"};
    json_t *out = json_pack("{s:s, s:o, s:I}", "state", states[s->state], "mask", word_hex(s->mask), "depth",
                            (json_int_t)look_frame_depth(s->frame));
    if (s->state == LOOK_BARRIER)
        json_object_set_new(out, "barrier", json_integer(s->barrier));
    tell_site(out, s->func, s->site);
    return out;
}

static json_t *tell_warp(const struct warp *w)
{
    struct look_split splits[LOOK_SPLITS];
    const u32 n = look_splits(w, &agent.run->place, splits);
    json_t *list = json_array();
    for (u32 k = 0; k < n; k++)
        json_array_append_new(list, tell_split(&splits[k]));
    return json_pack("{s:I, s:o, s:o}", "warp", (json_int_t)look_warp_index(w), "exited", word_hex(look_exited(w)),
                     "splits", list);
}

bool inspect_warps(const json_t *q, json_t *out, char why[200])
{
    struct focus f;
    json_t *list;
    if (!find_block(q, &f, why))
        return false;
    const struct exec_block_info *b = look_info(f.block);
    json_object_set_new(out, "block", json_integer((json_int_t)b->linear));
    json_object_set_new(out, "block_id", tell_dim(b->id));
    json_object_set_new(out, "warps", list = json_array());
    for (u32 k = 0; k < b->warps; k++)
        json_array_append_new(list, tell_warp(look_warp(f.block, k)));
    return true;
}

bool inspect_frames(const json_t *q, json_t *out, char why[200])
{
    struct look_frame frames[FRAMES_MOST];
    struct focus f;
    json_t *list;
    if (!find_frame(q, &f, why))
        return false;
    const u32 n = look_frames(f.warp, &agent.run->place, f.lane, frames, FRAMES_MOST);
    json_object_set_new(out, "lane", json_integer(f.lane));
    json_object_set_new(out, "frames", list = json_array());
    for (u32 k = 0; k < n; k++) {
        json_t *one = json_pack("{s:I, s:o}", "frame", (json_int_t)k, "lanes", word_hex(frames[k].lanes));
        tell_site(one, frames[k].func, frames[k].site);
        json_array_append_new(list, one);
    }
    return true;
}

/* ---- registers ---- */

static u64 lane_bits(const void *at, u32 bytes, int i)
{
    u64 bits = 0;
    if (bytes == 0) {
        memcpy(&bits, at, 4);
        return bits >> i & 1;
    }
    memcpy(&bits, (const u8 *)at + (size_t)i * bytes, bytes > 8 ? 8 : bytes);
    return bits;
}

static json_t *tell_register(const struct focus *f, u32 index)
{
    const struct ptx_var *v = f->frame.func->src->regs[index];
    u32 bytes;
    const void *at = look_register(f->frame.frame, index, &bytes);
    json_t *lanes = json_array();
    for (int i = 0; i < IR_LANES; i++)
        json_array_append_new(lanes, bytes == 16 ? word_bytes((const u8 *)at + 16 * i, 16)
                                                 : word_hex(lane_bits(at, bytes, i)));
    return json_pack("{s:s, s:s, s:I, s:o}", "name", v->name, "type", ptx_type_name((enum ptx_type)v->type), "bits",
                     (json_int_t)ptx_type_bits((enum ptx_type)v->type), "lanes", lanes);
}

static bool named_registers(const json_t *names, const struct focus *f, json_t *list, char why[200])
{
    for (size_t k = 0; k < json_array_size(names); k++) {
        const char *name = json_string_value(json_array_get(names, k));
        u32 index;
        if (!name || !register_named(f->frame.func, name, &index)) {
            snprintf(why, 200, "no instruction of %.80s names a register %.60s: it has no value", f->frame.func->name,
                     name ? name : "");
            return false;
        }
        json_array_append_new(list, tell_register(f, index));
    }
    return true;
}

bool inspect_registers(const json_t *q, json_t *out, char why[200])
{
    struct focus f;
    const json_t *names = json_object_get(q, "names");
    json_t *list;
    if (!find_frame(q, &f, why))
        return false;
    json_object_set_new(out, "function", json_string(f.frame.func->name));
    json_object_set_new(out, "registers", list = json_array());
    if (names)
        return named_registers(names, &f, list, why);
    for (u32 k = 0; k < f.frame.func->src->nregs; k++)
        json_array_append_new(list, tell_register(&f, k));
    return true;
}

static void put_lane(void *at, u32 bytes, unsigned lane, u64 value)
{
    u32 mask;
    if (bytes) {
        memcpy((u8 *)at + (size_t)lane * bytes, &value, bytes > 8 ? 8 : bytes);
        return;
    }
    memcpy(&mask, at, sizeof mask);
    mask = (mask & ~(1u << lane)) | (u32)(value & 1) << lane;
    memcpy(at, &mask, sizeof mask);
}

bool inspect_set_register(const json_t *q, json_t *out, char why[200])
{
    const char *name = json_string_value(json_object_get(q, "name"));
    struct focus f;
    u32 index, bytes;
    u64 value, mask;
    (void)out;
    if (!find_frame(q, &f, why))
        return false;
    if (!name || !register_named(f.frame.func, name, &index))
        return fail(why, "the function has no such register");
    if (!word_u64(json_object_get(q, "value"), &value))
        return fail(why, "value is the register's bits, as a number");
    if (!word_member(q, "mask", 1u << f.lane, UINT32_MAX, &mask))
        return fail(why, "mask is a bit a lane");
    void *at = look_register(f.frame.frame, index, &bytes);
    for (u32 m = (u32)mask; m; m &= m - 1)
        put_lane(at, bytes, (unsigned)__builtin_ctz(m), value);
    return true;
}

static bool tell_special(const struct warp *w, const char *name, json_t *out)
{
    enum ptx_sreg sreg;
    unsigned axis;
    union lanes lanes;
    if (!name || !special_named(name, &sreg, &axis) || !look_special(w, sreg, axis, lanes.bytes))
        return false;
    const u32 bytes = ptx_type_bits((enum ptx_type)ptx_sreg_rows[sreg].type) > 32 ? 8 : 4;
    json_t *list = json_array();
    for (int i = 0; i < IR_LANES; i++)
        json_array_append_new(list, json_integer((json_int_t)lane_bits(lanes.bytes, bytes, i)));
    json_object_set_new(out, name, list);
    return true;
}

bool inspect_specials(const json_t *q, json_t *out, char why[200])
{
    static const char *const usual[] = {"%tid.x",   "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",
                                        "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
                                        "%laneid",  "%warpid",  "%smid",    "%gridid"};
    const json_t *names = json_object_get(q, "names");
    struct focus f;
    if (!find_warp(q, &f, why))
        return false;
    for (unsigned k = 0; !names && k < LS_ARRAY_LEN(usual); k++)
        tell_special(f.warp, usual[k], out);
    for (size_t k = 0; k < json_array_size(names); k++)
        if (!tell_special(f.warp, json_string_value(json_array_get(names, k)), out))
            return fail(why, "one of them is no special register that can be read here");
    return true;
}

bool inspect_variable(const json_t *q, json_t *out, char why[200])
{
    static const char *const spaces[] = {[SPACE_CONST] = "const", [SPACE_GLOBAL] = "global", [SPACE_LOCAL] = "local",
                                         [SPACE_PARAM] = "param", [SPACE_SHARED] = "shared", [SPACE_TEX] = NULL};
    const char *name = json_string_value(json_object_get(q, "name"));
    struct focus f;
    enum ptx_space space;
    u64 address, size;
    if (!find_frame(q, &f, why))
        return false;
    if (!name || !look_variable(f.warp, f.frame.frame, name, &space, &address, &size) || !spaces[space])
        return fail(why, "neither the function nor its module has a variable of that name in memory");
    json_object_set_new(out, "space", json_string(spaces[space]));
    json_object_set_new(out, "address", word_hex(address));
    json_object_set_new(out, "size", json_integer((json_int_t)size));
    return true;
}

/* An address as a generic pointer has it. */
bool inspect_generic(const json_t *q, json_t *out, char why[200])
{
    struct focus f;
    enum ptx_space space = SPACE_NONE;
    const char *name = json_string_value(json_object_get(q, "space"));
    u64 address;
    if (!find_frame(q, &f, why))
        return false;
    if (!name || !space_named(name, &space) || space == SPACE_PARAM ||
        !word_u64(json_object_get(q, "address"), &address))
        return fail(why, "an address is needed, and the name of a space that has generic addresses");
    json_object_set_new(out, "address", word_hex(look_generic(f.warp, space, address)));
    return true;
}

/* An expression's value in all lanes that run. */
bool inspect_evaluate(const json_t *q, json_t *out, char why[200])
{
    struct focus f;
    union lanes lanes;
    if (!find_frame(q, &f, why))
        return false;
    struct condition *c = condition_compile(json_object_get(q, "code"), f.frame.func, why);
    if (!c)
        return false;
    const struct condition_place at = {agent.config.mem, f.warp, f.frame.frame};
    const u32 good = condition_run(c, &at, f.frame.lanes, &lanes);
    const enum condition_type t = (enum condition_type)c->type;
    json_t *list = json_array();
    for (int i = 0; i < IR_LANES; i++)
        json_array_append_new(list, word_hex(lane_bits(lanes.bytes, condition_type_bytes(t), i)));
    json_object_set_new(out, "type", json_string(condition_type_name(t)));
    json_object_set_new(out, "mask", word_hex(good));
    json_object_set_new(out, "lanes", list);
    condition_free(c);
    return true;
}

/* ---- memory ---- */

enum { MEMORY_MOST = 1 << 20 };

/* How many of the bytes are there; 0: why. */
static u64 find_memory(const json_t *q, u64 size, bool write, u8 **at, char why[200])
{
    struct focus f = {0};
    enum ptx_space space = SPACE_NONE;
    const char *name = json_string_value(json_object_get(q, "space")), *text = NULL;
    u64 address, n;
    if ((name && !space_named(name, &space)) || !word_u64(json_object_get(q, "address"), &address)) {
        fail(why, "an address is needed, and a space is one of its names");
        return 0;
    }
    const bool located = agent.run && find_frame(q, &f, why);
    if (!located && (space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_PARAM))
        return 0;
    n = look_memory(agent.config.mem, located ? f.warp : NULL, located ? f.frame.frame : NULL, f.lane, space, address,
                    size, write, at, &text);
    if (!n && (space == SPACE_NONE || space == SPACE_GLOBAL || space == SPACE_CONST))
        mem_describe(agent.config.mem, address, size, why, 200);
    else if (!n)
        fail(why, text);
    return n;
}

bool inspect_read(const json_t *q, json_t *out, char why[200])
{
    u64 size, n;
    u8 *at;
    if (!word_member(q, "size", 4, MEMORY_MOST, &size) || !size)
        return fail(why, "size is 1 to 1048576");
    if (!(n = find_memory(q, size, false, &at, why)))
        return false;
    json_object_set_new(out, "data", word_bytes(at, n));
    json_object_set_new(out, "complete", json_boolean(n == size));
    return true;
}

bool inspect_write(const json_t *q, json_t *out, char why[200])
{
    const char *text = json_string_value(json_object_get(q, "data"));
    const size_t n = text ? strlen(text) / 2 : 0;
    u8 *at, *bytes = n && n <= MEMORY_MOST ? ls_realloc(NULL, n) : NULL;
    bool ok = bytes && word_to_bytes(text, bytes, n);
    (void)out;
    if (!ok)
        fail(why, "data is 1 to 1048576 bytes as pairs of hexadecimal digits");
    if (ok) {
        const u64 room = find_memory(q, n, true, &at, why);
        ok = room == n || (room && fail(why, "the bytes do not all fit there: nothing was written"));
    }
    if (ok)
        memcpy(at, bytes, n);
    ls_free(bytes);
    return ok;
}

static void list_allocation(void *all, const struct mem_block *b)
{
    static const char *const kinds[] = {
        [MEM_DEVICE] = "device",      [MEM_PINNED] = "pinned",  [MEM_MANAGED] = "managed",    [MEM_REGISTERED] = "host",
        [MEM_GLOBAL] = "variable",    [MEM_CONST] = "constant", [MEM_HEAP] = "heap",          [MEM_MAPPED] = "mapped",
        [MEM_MAPPED_READ] = "mapped", [MEM_INTERNAL] = NULL,    [MEM_MAPPED_NONE] = "mapped", [MEM_RESERVED] = NULL};
    if (kinds[b->kind])
        json_array_append_new(all, json_pack("{s:o, s:I, s:s, s:I, s:s*}", "address", word_hex(b->base), "size",
                                             (json_int_t)b->size, "kind", kinds[b->kind], "number",
                                             (json_int_t)b->serial, "name", b->name));
}

bool inspect_allocations(const json_t *q, json_t *out, char why[200])
{
    json_t *all = json_array();
    (void)q, (void)why;
    mem_each(agent.config.mem, list_allocation, all);
    json_object_set_new(out, "allocations", all);
    return true;
}
