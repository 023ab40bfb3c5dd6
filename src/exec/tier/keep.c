/* keep.c - see keep.h. An entry is a row of 64-bit numbers, the tables, and behind them the object file. */
#include "exec/tier/keep.h"

#include <link.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/tier/codegen.h"

/* ---- the build ---- */

struct search {
    uintptr_t at; /* an address in the file that is looked for */
    u8 *out;
    u32 most, n;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t at)
{
    for (unsigned k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type == PT_LOAD && at - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

static void find_note(struct search *s, const u8 *at, size_t n)
{
    while (n >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        const size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (n - sizeof note < name || n - sizeof note - name < desc)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + sizeof note, "GNU", 4) == 0) {
            s->n = note.n_descsz < s->most ? note.n_descsz : s->most;
            memcpy(s->out, at + sizeof note + name, s->n);
            return;
        }
        at += sizeof note + name + desc;
        n -= sizeof note + name + desc;
    }
}

static int look(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct search *s = ctx;
    (void)size;
    if (!holds(info, s->at))
        return 0;
    for (unsigned k = 0; k < info->dlpi_phnum && !s->n; k++)
        if (info->dlpi_phdr[k].p_type == PT_NOTE)
            find_note(s, (const u8 *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr), info->dlpi_phdr[k].p_memsz);
    return 1;
}

u32 keep_build(u8 *out, u32 most)
{
    struct search s = {.at = (uintptr_t)keep_build, .out = out, .most = most};
    dl_iterate_phdr(look, &s);
    return s.n;
}

/* ---- the key ---- */

static void add_words(struct tier_key *k, const u64 *words, size_t n) { tier_key_add(k, words, n * sizeof *words); }

/* What the union of a record has, as far as it is code's: a record's number, or the slots of a vector. */
static void add_record(struct tier_key *k, const struct graph *g, u32 n)
{
    const struct ir_inst *r = &g->code[n];
    const struct op *op = g->ops[n];
    const bool branches =
        (uintptr_t)r->target >= (uintptr_t)g->code && (uintptr_t)r->target < (uintptr_t)(g->code + g->n);
    const u64 words[] = {r->d,   r->a,        r->b,
                         r->c,   (u64)r->imm, r->site,
                         r->aux, op != NULL,  branches ? (u64)(r->target - g->code) : UINT64_MAX};
    tier_key_add(k, g->names[n], strlen(g->names[n]));
    add_words(k, words, LS_ARRAY_LEN(words));
    if (op && op->count > 1)
        tier_key_add(k, r->list, sizeof *r->list * op->count);
}

static void add_consts(struct tier_key *k, const struct ir_func *f)
{
    for (u32 n = 0; n < f->nconsts; n++) {
        const struct ir_const *c = &f->consts[n];
        const u64 words[] = {c->kind, c->bytes, c->type, c->at, c->value};
        add_words(k, words, LS_ARRAY_LEN(words));
    }
}

static void add_graph(struct tier_key *k, const struct graph *g)
{
    for (u32 n = 0; n < g->cells.len; n++) {
        const u64 words[] = {g->cells.at[n].at, g->cells.at[n].kind};
        add_words(k, words, LS_ARRAY_LEN(words));
    }
    for (u32 n = 0; n < g->units.len; n++) {
        const struct unit *u = &g->units.at[n];
        const u64 words[] = {u->kind, u->guarded, u->whole, u->first, u->end, u->reads, u->writes, u->uses_end};
        add_words(k, words, LS_ARRAY_LEN(words));
    }
    tier_key_add(k, g->uses.at, sizeof *g->uses.at * g->uses.len);
    for (u32 n = 0; n < g->nodes.len; n++) {
        const struct node *at = &g->nodes.at[n];
        const u64 words[] = {at->first, at->end, at->nsucc, at->entry, g->order[n], g->rank[n]};
        add_words(k, words, LS_ARRAY_LEN(words));
        tier_key_add(k, at->succ, sizeof *at->succ * at->nsucc);
        tier_key_add(k, at->live, sizeof *at->live * g->words);
    }
}

bool keep_key(const struct tier_code *c, const struct graph *g, struct tier_key *k)
{
    u8 build[64];
    const u32 length = keep_build(build, sizeof build);
    const u64 words[] = {
        g->f->frame_bytes, g->f->masks_at,           g->n,        g->f->nconsts, g->cells.len, g->units.len,
        g->nodes.len,      g->runs_bodies,           c->block[0], c->block[1],   c->block[2],  c->mixed,
        c->mode,           c->f->module->device->isa};
    *k = (struct tier_key){{0, 0}};
    tier_key_add(k, build, length);
    tier_key_add(k, tier_codegen_recipe(), strlen(tier_codegen_recipe()));
    add_words(k, words, LS_ARRAY_LEN(words));
    for (u32 n = 0; n < g->n; n++)
        add_record(k, g, n);
    add_consts(k, g->f);
    add_graph(k, g);
    return length > 0;
}

/* ---- bytes ---- */

enum { HEAD = 7, STATE = 2, CELL = 3, BODY = 2 };

static u64 count_words(const struct tier_code *c)
{
    u64 n = HEAD + (u64)BODY * c->nbodies;
    for (u32 k = 0; k < c->nstates; k++) {
        n += STATE + (u64)CELL * c->states[k].ncells;
        for (u32 i = 0; i < c->states[k].ncells; i++)
            n += c->states[k].cells[i].s.offset ? IR_LANES : 0;
    }
    return n;
}

static u64 *put_state(u64 *to, const struct tier_state *s)
{
    *to++ = s->record;
    *to++ = s->ncells;
    for (u32 k = 0; k < s->ncells; k++) {
        const struct tier_cell *c = &s->cells[k];
        *to++ = c->at;
        *to++ = c->kind | (u64)c->s.kind << 8 | (u64)c->s.known << 16 | (u64)c->s.raw << 17 |
                (u64)(c->s.offset != NULL) << 18 | (u64)c->s.align << 24 | (u64)c->s.root << 32;
        *to++ = (u64)c->s.value;
        for (u32 i = 0; c->s.offset && i < IR_LANES; i++)
            *to++ = (u64)c->s.offset[i];
    }
    return to;
}

u8 *keep_pack(const struct tier_code *c, const u8 *object, size_t len, size_t *n)
{
    const u64 words = count_words(c);
    u64 *const all = ls_realloc(NULL, words * sizeof *all + len), *to = all;
    if (!all)
        return NULL;
    const u64 head[HEAD] = {words, c->nstates, c->nentries, c->nbodies, c->pays, c->needs_frame, len};
    memcpy(to, head, sizeof head);
    to += HEAD;
    for (u32 k = 0; k < c->nstates; k++)
        to = put_state(to, &c->states[k]);
    for (u32 k = 0; k < c->nbodies; k++) {
        *to++ = c->body_list[k].first;
        *to++ = c->body_list[k].end;
    }
    memcpy(to, object, len);
    *n = words * sizeof *all + len;
    return (u8 *)all;
}

struct reader {
    const u64 *at, *end;
    bool bad;
};

static u64 next_any(struct reader *r)
{
    r->bad |= r->at == r->end;
    return r->bad ? 0 : *r->at++;
}

/* The next number, which must be less than `limit`. */
static u64 next(struct reader *r, u64 limit)
{
    if (r->bad || r->at == r->end || *r->at >= limit) {
        r->bad = true;
        return 0;
    }
    return *r->at++;
}

static void get_offsets(struct reader *r, struct tier_code *c, struct shape *s)
{
    i64 *const to = arena_array(&c->mem, i64, IR_LANES);
    for (u32 k = 0; k < IR_LANES; k++)
        to[k] = (i64)next_any(r);
    s->offset = to;
}

static void get_cell(struct reader *r, struct tier_code *code, struct tier_cell *c)
{
    const struct ir_func *f = code->f->ir;
    c->at = (u32)next(r, f->frame_bytes);
    const u64 kinds = next(r, (u64)1 << 48);
    c->kind = (u8)kinds;
    c->s = (struct shape){.kind = (u8)(kinds >> 8),
                          .known = kinds >> 16 & 1,
                          .raw = kinds >> 17 & 1,
                          .align = (u8)(kinds >> 24),
                          .root = (u16)(kinds >> 32)};
    c->s.value = (i64)next_any(r);
    if (kinds >> 18 & 1)
        get_offsets(r, code, &c->s);
    const u32 bytes = c->kind == CELL_PRED ? 4 : c->kind == CELL_64 ? 2 * (u32)IR_SLOT : (u32)IR_SLOT;
    r->bad |= c->kind > CELL_PRED || c->s.kind > SHAPE_VECTOR || (u64)c->at + bytes > f->frame_bytes;
}

static void get_state(struct reader *r, struct tier_code *c, struct tier_state *s)
{
    s->record = (u32)next(r, c->f->ir->code[c->mode].n);
    s->ncells = (u32)next(r, (u64)(r->end - r->at) / CELL + 1);
    s->cells = arena_array(&c->mem, struct tier_cell, s->ncells);
    for (u32 k = 0; k < s->ncells && !r->bad; k++)
        get_cell(r, c, &s->cells[k]);
}

static void get_tables(struct reader *r, struct tier_code *c)
{
    const u32 n = c->f->ir->code[c->mode].n;
    c->states = arena_array(&c->mem, struct tier_state, c->nstates);
    for (u32 k = 0; k < c->nstates && !r->bad; k++)
        get_state(r, c, &c->states[k]);
    c->body_list = arena_array(&c->mem, struct tier_body, c->nbodies);
    for (u32 k = 0; k < c->nbodies && !r->bad; k++) {
        c->body_list[k].first = (u32)next(r, n);
        c->body_list[k].end = (u32)next(r, (u64)n + 1);
        r->bad |= c->body_list[k].end <= c->body_list[k].first;
    }
}

bool keep_unpack(struct tier_code *c, const u8 *bytes, size_t n, const u8 **object, size_t *len)
{
    const u64 *const words = (const u64 *)(const void *)bytes;
    const u64 most = n / sizeof *words;
    struct reader r = {words, words + (most < HEAD ? 0 : HEAD), false};
    const u64 count = next(&r, most + 1);
    c->nstates = (u32)next(&r, most);
    c->nentries = (u32)next(&r, (u64)c->nstates + 1);
    c->nbodies = (u32)next(&r, most);
    c->pays = next(&r, 2);
    c->needs_frame = next(&r, 2);
    *len = next(&r, n);
    if (r.bad || count < HEAD || n - count * sizeof *words != *len)
        return false;
    r.end = words + count;
    get_tables(&r, c);
    *object = bytes + count * sizeof *words;
    return !r.bad && r.at == r.end;
}
