/* batches.c - loads of a warp that are on their way together. ptxas puts loads in front of what waits for them, so a warp asks
 * for several before it stops, and no other warp's accesses come in between: where lines do not stay in L1 for long, those of a batch
 * find what the first of them brought.
 *
 * A site goes with the block's next load if no access to global memory stands between them, and
 *   - as ptxas made it: both are in a row of loads of a machine block in which nothing waits for one of them;
 *   - without a ptxas: the address of neither needs what the batch loads, and the batch is not full.
 *
 * Stores in a row: no access to global memory stands between two of them either, and
 *   - as ptxas made it: both are in a row of stores of a machine block that are STORES_APART cycles apart at most;
 *   - without a ptxas: no more than STORES_BETWEEN instructions stand between them, as it mostly puts stores together. */
#include "ir/pass.h"
#include "meter/sass/match.h"
#include "model/cache/traffic.h"

enum {
    BATCH_MOST = 4, /* without a ptxas: what it makes of most loops that are unrolled */
    STORES_APART = 16,
    STORES_BETWEEN = 32,
};

/* Global memory, perhaps by a generic address. */
static bool is_global(const struct ptx_inst *i) { return i->space == SPACE_GLOBAL || i->space == SPACE_NONE; }

static bool is_load(const struct ptx_inst *i) { return i->op == OP_LD && is_global(i) && !ir_passes_l1(i); }

static bool is_store(const struct ptx_inst *i) { return i->op == OP_ST && is_global(i); }

/* What loads are not taken across: other accesses that the caches see, barriers, jumps. */
static bool is_border(const struct ptx_inst *i)
{
    const struct ptx_op_row *row = &ptx_op_rows[i->op];
    if (i->space == SPACE_SHARED || i->space == SPACE_PARAM)
        return row->memory != PTX_MEM_LOAD && row->memory != PTX_MEM_STORE;
    return row->memory != PTX_MEM_NONE || row->class == PTX_CLASS_INTER_THREAD || row->class == PTX_CLASS_CONTROL;
}

/* ---- without a ptxas ---- */

struct batch {
    u32 *stamp; /* by register: `now` if it needs what the batch loads */
    u32 now, n; /* loads */
    u32 last;   /* site */
    bool needs; /* of the instruction that is looked at */
};

static void look(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct batch *b = ctx;
    b->needs |= !is_write && b->stamp[reg->index] == b->now;
}

static void mark(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct batch *b = ctx;
    if (is_write && b->needs)
        b->stamp[reg->index] = b->now;
}

static void begin(struct batch *b)
{
    b->now++;
    b->n = 0;
}

static void add_load(struct batch *b, struct site_estimate *sites, u32 site)
{
    if (b->needs || b->n == BATCH_MOST)
        begin(b);
    if (b->n++)
        sites[b->last].how |= SITE_WITH_NEXT;
    b->last = site;
    b->needs = true;
}

static void set_row(struct site_estimate *sites, u32 before, u32 site)
{
    sites[before].how |= SITE_ROW;
    sites[site].how |= SITE_ROW | SITE_AFTER;
}

static void find_rows(const struct ir_func *f, u32 block, struct site_estimate *sites)
{
    u32 last = 0, between = 0; /* last: 1 + the site of the store before */
    for (u32 s = f->blocks[block].first; s < f->blocks[block].end; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        if (is_store(i)) {
            if (last && between <= STORES_BETWEEN)
                set_row(sites, last - 1, s);
            last = s + 1;
            between = 0;
        } else {
            last = is_border(i) ? 0 : last;
            between += sites[s].weight;
        }
    }
}

void estimate_batches(struct arena *mem, const struct ir_func *f, struct site_estimate *sites)
{
    struct batch b = {.stamp = arena_array(mem, u32, f->src->nregs + 1)};
    for (u32 k = 0; k < f->nblocks; k++) {
        begin(&b);
        for (u32 s = f->blocks[k].first; s < f->blocks[k].end; s++) {
            const struct ptx_inst *i = &f->src->insts[s];
            b.needs = false;
            ir_each_reg(i, look, &b);
            if (is_load(i))
                add_load(&b, sites, s);
            else if (is_border(i))
                begin(&b);
            ir_each_reg(i, mark, &b);
        }
        find_rows(f, k, sites);
    }
}

/* ---- as ptxas made it ---- */

/* By site the first row of loads that it stands in, from 1 on; 0: none. */
static u32 *rows_of(const struct match *m)
{
    u32 *rows = arena_array(m->mem, u32, m->f->src->ninsts + 1), row = 1;
    for (u32 k = 0; k < m->blocks.len; k++) {
        const struct machine_block *b = &m->blocks.at[k];
        u32 under_way = 0; /* scoreboards of the row's loads */
        for (u32 i = b->first; i < b->end; i++) {
            const struct sass_inst *made = &m->code->insts[i];
            const struct sass_control c = sass_control_of(made->high);
            const u32 site = match_site(m, i);
            if (i == b->first || c.wait & under_way) {
                row++;
                under_way = 0;
            }
            if ((made->op != SASS_LDG && made->op != SASS_LD) || !site)
                continue;
            under_way |= c.write_bar < SASS_NO_BAR ? 1u << c.write_bar : 0;
            if (!rows[site - 1])
                rows[site - 1] = row;
        }
    }
    return rows;
}

/* The same of stores. */
static u32 *store_rows_of(const struct match *m)
{
    u32 *rows = arena_array(m->mem, u32, m->f->src->ninsts + 1), row = 1;
    for (u32 k = 0; k < m->blocks.len; k++) {
        const struct machine_block *b = &m->blocks.at[k];
        u32 apart = STORES_APART + 1; /* cycles since the last one */
        for (u32 i = b->first; i < b->end; i++) {
            const struct sass_inst *made = &m->code->insts[i];
            const u32 site = match_site(m, i);
            if ((made->op == SASS_STG || made->op == SASS_ST) && site) {
                row += apart > STORES_APART;
                if (!rows[site - 1])
                    rows[site - 1] = row;
                apart = 0;
            }
            apart += sass_control_of(made->high).stall;
        }
    }
    return rows;
}

void batches_ask(const struct match *m, struct site_estimate *sites)
{
    const u32 *rows = rows_of(m), *store_rows = store_rows_of(m);
    for (u32 k = 0; k < m->f->nblocks; k++) {
        u32 last = 0, store = 0; /* 1 + the site of the load before, of the store */
        for (u32 s = m->f->blocks[k].first; s < m->f->blocks[k].end; s++) {
            const struct ptx_inst *i = &m->f->src->insts[s];
            sites[s].how = 0;
            if (last && is_load(i) && rows[s] && rows[s] == rows[last - 1])
                sites[last - 1].how |= SITE_WITH_NEXT;
            if (store && is_store(i) && store_rows[s] && store_rows[s] == store_rows[store - 1])
                set_row(sites, store - 1, s);
            last = is_load(i) ? s + 1 : is_border(i) ? 0 : last;
            store = is_store(i) ? s + 1 : is_border(i) ? 0 : store;
        }
    }
}
