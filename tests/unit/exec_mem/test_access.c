/* test_access.c - every ld and st body, at every level the processor runs, fast and traced, against a reference that
 * moves bytes: registers, memory, faults and events must be equal, whatever the addresses look like. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

/* Slots: address at 0 and 1; data from DATA on, two a element so that 64 bits fit, four for 128 bits. */
enum { ADDRESS = 0, DATA = 8 };

#define ACTIVE_LANE(mask, i) ((mask) >> (i) & 1)

static unsigned ptx_bits(u8 type)
{
    switch (type) {
    case PTX_B8:
    case PTX_S8:
        return 8;
    case PTX_B16:
    case PTX_S16:
        return 16;
    case PTX_B32:
    case PTX_S32:
        return 32;
    case PTX_B64:
        return 64;
    default:
        return type == PTX_B128 ? 128 : 0;
    }
}

/* ---- the memory that accesses aim at ---- */

enum { BLOCKS = 5 };
static struct block_of_test {
    u64 base, size;
    u8 kind;
} blocks[BLOCKS];
static u8 *host_buffer;

static void make_blocks(struct fx *f)
{
    const u64 sizes[BLOCKS] = {4096, 1000, 777, 4096, 3001};
    const u8 kinds[BLOCKS] = {MEM_DEVICE, MEM_GLOBAL, MEM_HEAP, MEM_CONST, MEM_REGISTERED};
    for (int b = 0; b < BLOCKS; b++) {
        blocks[b].size = sizes[b];
        blocks[b].kind = kinds[b];
        if (kinds[b] == MEM_REGISTERED) {
            host_buffer = malloc(sizes[b] + 16);
            blocks[b].base = (u64)(uintptr_t)host_buffer + 1; /* odd, as cuMemHostRegister allows */
            assert_int_equal(mem_register(f->m, host_buffer + 1, sizes[b]), LS_OK);
        } else {
            assert_int_equal(mem_alloc(f->m, sizes[b], 0, kinds[b], NULL, &blocks[b].base), LS_OK);
        }
        for (u64 k = 0; k < sizes[b]; k++)
            ((u8 *)(uintptr_t)blocks[b].base)[k] = (u8)fx_random();
    }
}

/* ---- one body ---- */

struct subject {
    char name[48];
    u8 space; /* SPACE_NONE = generic */
    unsigned esize, n;
    bool sext, store;
};

struct scene {
    struct subject s;
    u32 mask, aux;
    i64 imm;
    u64 addr[IR_LANES]; /* effective */
};

/* Where a lane's access goes: a pointer, or NULL and why not. */
static u8 *reference_place(const struct fx *f, const struct scene *c, int lane, u8 *space, u64 *offset,
                           enum exec_fault_kind *why)
{
    const u64 size = c->s.esize * c->s.n;
    u64 at = c->addr[lane];
    *space = c->s.space;
    if (c->s.space == SPACE_NONE) {
        *space = SPACE_GLOBAL;
        if (at >= f->w.shared_window &&
            at < f->w.shared_window + MEM_SHARED_WINDOW_BYTES) { /* of all the cluster's blocks */
            *space = SPACE_SHARED;
            at -= f->w.shared_window;
        } else if (at >= f->w.local_window && at < f->w.local_window + MEM_WINDOW_BYTES) {
            *space = SPACE_LOCAL;
            at -= f->w.local_window;
        }
    }
    *offset = at;
    *why = FAULT_MISALIGNED;
    if (at % size)
        return NULL;
    *why = FAULT_ILLEGAL_ADDRESS;
    if (*space == SPACE_SHARED)
        return at <= FX_SHARED && size <= FX_SHARED - at ? f->shared + at : NULL;
    if (*space == SPACE_LOCAL)
        return at <= FX_LOCAL && size <= FX_LOCAL - at ? f->local + lane * FX_LOCAL + at : NULL;
    for (int b = 0; b < BLOCKS; b++) {
        if (at < blocks[b].base || at >= blocks[b].base + blocks[b].size || blocks[b].base + blocks[b].size - at < size)
            continue;
        if ((c->s.store && blocks[b].kind == MEM_CONST) || (*space == SPACE_CONST && blocks[b].kind != MEM_CONST))
            return NULL;
        return (u8 *)(uintptr_t)at;
    }
    return NULL;
}

static u32 data_stride(const struct subject *s) { return s->esize == 16 ? 4 : 2; }

/* A register lane's bytes. */
static u8 *lane_bytes(u8 *regs, const struct subject *s, unsigned k, int lane, bool wide)
{
    const unsigned bytes = s->esize == 16 ? 16 : s->esize == 8 || wide ? 8 : 4;
    return regs + (DATA + k * data_stride(s)) * IR_SLOT + (unsigned)lane * bytes;
}

static void reference_lane(u8 *regs, const struct scene *c, int lane, u8 *p)
{
    const struct subject *s = &c->s;
    const bool wide = c->aux & IR_REG64 && s->esize < 8;
    for (unsigned k = 0; k < s->n; k++) {
        u8 *d = lane_bytes(regs, s, k, lane, wide && !s->store), *at = p + k * s->esize;
        if (s->store) {
            for (unsigned b = 0; b < s->esize; b++)
                at[b] = d[b];
            continue;
        }
        const u8 fill = s->sext && at[s->esize - 1] & 0x80 ? 0xff : 0;
        const unsigned whole = s->esize == 16 ? 16 : s->esize == 8 || wide ? 8 : 4;
        for (unsigned b = 0; b < whole; b++)
            d[b] = b < s->esize ? at[b] : c->aux & IR_REG16 && !wide && b >= 2 ? 0 : fill;
    }
}

/* ---- both, compared ---- */

static u8 saved_regs[2][FX_SLOTS * IR_SLOT];

struct memory_copy {
    u8 block[BLOCKS][4096], shared[FX_SHARED], local[FX_LOCAL * IR_LANES];
};
static struct memory_copy before, expected, after;

static void copy_memory(const struct fx *f, struct memory_copy *to)
{
    for (int b = 0; b < BLOCKS; b++)
        memcpy(to->block[b], (void *)(uintptr_t)blocks[b].base, blocks[b].size);
    memcpy(to->shared, f->shared, FX_SHARED);
    memcpy(to->local, f->local, sizeof to->local);
}

static void restore_memory(struct fx *f, const struct memory_copy *from)
{
    for (int b = 0; b < BLOCKS; b++)
        memcpy((void *)(uintptr_t)blocks[b].base, from->block[b], blocks[b].size);
    memcpy(f->shared, from->shared, FX_SHARED);
    memcpy(f->local, from->local, sizeof from->local);
}

static void set_up(struct fx *f, const struct scene *c, u32 *list)
{
    for (u32 k = 0; k < FX_SLOTS * IR_SLOT / 8; k++)
        ((u64 *)(void *)f->regs)[k] = fx_random();
    for (int i = 0; i < IR_LANES; i++) {
        /* lanes that are off hold what would fault */
        const u64 a = ACTIVE_LANE(c->mask, i) ? c->addr[i] - (u64)c->imm : fx_random();
        if (c->aux & IR_ADDR32)
            fx_32(f, ADDRESS)[i] = (u32)a;
        else
            fx_64(f, ADDRESS)[i] = a;
    }
    for (unsigned k = 0; k < c->s.n; k++)
        list[k] = (DATA + k * data_stride(&c->s)) * IR_SLOT;
    f->code[0] = (struct ir_inst){.d = list[0], .b = list[0], .a = ADDRESS * IR_SLOT, .imm = c->imm, .aux = c->aux};
    if (c->s.n > 1) {
        f->code[0].d = f->code[0].b = 0xffffffff;
        f->code[0].list = list;
    }
    f->w.mask = c->mask;
    f->w.budget = 1000;
}

static void check_events(const struct fx *f, const struct scene *c)
{
    u32 seen = 0;
    u8 space;
    u64 offset;
    enum exec_fault_kind why;
    for (unsigned e = 0; e < f->nevents; e++) {
        const struct exec_access *a = &f->events[e];
        assert_int_equal(a->size, c->s.esize * c->s.n);
        assert_int_equal(a->op, c->s.store ? ACCESS_ST : ACCESS_LD);
        assert_int_equal(a->generic, c->s.space == SPACE_NONE);
        assert_int_equal(a->mask & seen, 0);
        assert_int_not_equal(a->mask, 0);
        assert_ptr_equal(a->func, &f->func);
        assert_int_equal(ptx_bits(a->type), c->s.esize * 8);
        seen |= a->mask;
        for (int i = 0; i < IR_LANES; i++) {
            if (!ACTIVE_LANE(a->mask, i))
                continue;
            reference_place(f, c, i, &space, &offset, &why);
            assert_int_equal(a->space, space);
            assert_int_equal(f->event_addr[e][i], offset);
            if (a->pattern == PATTERN_UNIFORM)
                assert_int_equal(offset, f->event_addr[e][__builtin_ctz(a->mask)]);
            if (a->pattern == PATTERN_CONTIGUOUS) {
                assert_int_equal(a->mask, FULL_MASK);
                assert_int_equal(offset, f->event_addr[e][0] + (u64)i * a->size);
            }
            assert_true(a->space != SPACE_LOCAL || a->pattern == PATTERN_GATHER);
        }
    }
    assert_int_equal(seen, c->mask);
}

static const char *scene_text(const struct scene *c, enum exec_isa isa, enum ir_mode mode)
{
    static char text[256];
    snprintf(text, sizeof text, "%s isa %d mode %d mask %08x aux %x imm %lld addr %llx %llx", c->s.name, isa, mode,
             c->mask, c->aux, (long long)c->imm, (unsigned long long)c->addr[0], (unsigned long long)c->addr[1]);
    return text;
}

static void play(struct fx *f, const struct scene *c, enum exec_isa isa, enum ir_mode mode, bool warm)
{
    u32 list[8];
    const ir_body body = bodies_find_isa(isa, c->s.name, mode);
    enum exec_fault_kind why = FAULT_NONE, kind = FAULT_NONE;
    int faulting = -1;
    u64 fault_at = 0, offset;
    u8 fault_space = 0, space;
    if (!body)
        fail_msg("no body %s", c->s.name);
    set_up(f, c, list);
    memcpy(saved_regs[0], f->regs, sizeof saved_regs[0]);
    copy_memory(f, &before);
    for (int i = 0; i < IR_LANES && faulting < 0; i++)
        if (ACTIVE_LANE(c->mask, i) && !reference_place(f, c, i, &space, &offset, &why)) {
            faulting = i;
            fault_at = offset;
            fault_space = space;
            kind = why;
        }
    for (int i = 0; i < IR_LANES && faulting < 0; i++)
        if (ACTIVE_LANE(c->mask, i))
            reference_lane(saved_regs[0], c, i, reference_place(f, c, i, &space, &offset, &why));
    copy_memory(f, &expected);
    restore_memory(f, &before);
    for (int round = 0; round <= warm; round++) { /* the second time the site's cache is full */
        struct site_cache site = f->site;
        fx_reset(f);
        if (round) {
            f->site = site;
            restore_memory(f, &before);
        }
        f->w.budget = 1000;
        f->w.polled = false;
        const bool done = fx_run(f, body);
        if (done != (faulting < 0) || f->fault.set != !done)
            fail_msg("%s: expected fault lane %d, got %d", scene_text(c, isa, mode), faulting, done);
        if (!done) {
            if (f->fault.kind != kind || f->fault.lane != (unsigned)faulting || f->fault.address != fault_at ||
                f->fault.space != fault_space || f->fault.write != c->s.store || f->fault.atomic ||
                f->fault.size != c->s.esize * c->s.n)
                fail_msg("%s: fault %d of lane %u at %llx in space %d, expected %d, %d, %llx, %d",
                         scene_text(c, isa, mode), f->fault.kind, f->fault.lane, (unsigned long long)f->fault.address,
                         f->fault.space, kind, faulting, (unsigned long long)fault_at, fault_space);
        }
        copy_memory(f, &after);
        if (memcmp(&after, &expected, sizeof after))
            fail_msg("%s: memory differs", scene_text(c, isa, mode));
        if (memcmp(f->regs, saved_regs[0], sizeof saved_regs[0]))
            fail_msg("%s: registers differ", scene_text(c, isa, mode));
        if (mode == IR_TRACED && done)
            check_events(f, c);
        else
            assert_int_equal(f->nevents, 0);
        if (done) {
            assert_int_equal(f->w.budget, c->aux & IR_VOLATILE ? 1000 - WARP_POLL_COST : 1000);
            assert_int_equal(f->w.polled, (c->aux & IR_VOLATILE) != 0);
        }
    }
    restore_memory(f, &before);
}

/* ---- scenes ---- */

enum {
    ROW, /* lane 0's address plus i * size */
    UNIFORM,
    STRIDED,
    SCATTERED,  /* aligned, anywhere in one block */
    TWO_BLOCKS, /* every other lane in another block; generic: in another space */
    TAIL,       /* a row that ends with the block */
    PAST_END,   /* a row whose last byte is outside */
    ODD,        /* a row, misaligned by one */
    ONE_ODD,
    ONE_WILD, /* one lane anywhere */
    NULL_ROW,
    BEFORE, /* a row that begins a size too early */
    PATTERNS
};

struct target {
    u64 base, bytes;
};

/* Memory of n bytes in which accesses of the scene's space are right; `which` picks one of several. */
static struct target target_of(const struct fx *f, const struct scene *c, unsigned which)
{
    const struct target shared = {0, FX_SHARED}, local = {0, FX_LOCAL};
    switch (c->s.space) {
    case SPACE_SHARED:
        return shared;
    case SPACE_LOCAL:
        return local;
    case SPACE_CONST:
        return (struct target){blocks[3].base, blocks[3].size};
    case SPACE_NONE:
        which %= 6;
        if (which == 4)
            return (struct target){f->w.shared_window, FX_SHARED};
        if (which == 5)
            return (struct target){f->w.local_window, FX_LOCAL};
        break;
    default:
        which %= 5;
    }
    if (which == 3) /* constant memory: stores fault */
        which = c->s.store && fx_random() % 4 ? 0 : 3;
    return (struct target){blocks[which].base, blocks[which].size};
}

static u64 aligned_in(const struct target *t, u64 size)
{
    const u64 first = (t->base + size - 1) / size * size, end = t->base + t->bytes;
    return first + fx_random() % ((end - first) / size) * size;
}

static void aim(const struct fx *f, struct scene *c, unsigned pattern, unsigned which)
{
    const u64 size = c->s.esize * c->s.n;
    const struct target t = target_of(f, c, which), other = target_of(f, c, which + 1);
    const u64 first = (t.base + size - 1) / size * size;
    const u64 rows = (t.base + t.bytes - first) / size;
    u64 row = first + (rows > 32 ? fx_random() % (rows - 31) * size : 0);
    if (pattern == TAIL || pattern == PAST_END)
        row = first + rows * size - 32 * size;
    if (pattern == PAST_END)
        row += size;
    if (pattern == ODD)
        row += 1;
    if (pattern == NULL_ROW)
        row = 0;
    if (pattern == BEFORE)
        row = first - size;
    const u64 same = aligned_in(&t, size);
    const int odd = (int)(fx_random() % 32);
    for (int i = 0; i < IR_LANES; i++) {
        c->addr[i] = row + (u64)i * size;
        if (pattern == UNIFORM)
            c->addr[i] = same;
        if (pattern == STRIDED)
            c->addr[i] = first + (u64)i * 2 % (rows ? rows : 1) * size;
        if (pattern == SCATTERED || pattern == TWO_BLOCKS || pattern == ONE_ODD || pattern == ONE_WILD)
            c->addr[i] = aligned_in(pattern == TWO_BLOCKS && i % 2 ? &other : &t, size);
        if (pattern == ONE_ODD && i == odd)
            c->addr[i] += 1 + fx_random() % size;
        if (pattern == ONE_WILD && i == odd)
            c->addr[i] = fx_random() >> (fx_random() % 64) & ~(size - 1);
        if (c->aux & IR_ADDR_CONST)
            c->addr[i] = pattern == ODD ? same + 1 : pattern == PAST_END ? first + rows * size : same;
        if (c->aux & IR_ADDR32)
            c->addr[i] = (u32)c->addr[i];
    }
    if (c->aux & IR_ADDR_CONST)
        c->imm = (i64)c->addr[0];
}

static u32 some_mask(unsigned k)
{
    const u32 sparse = (u32)(fx_random() & fx_random());
    return k == 0   ? FULL_MASK
           : k == 1 ? (u32)fx_random() | 1
           : k == 2 ? 1u << fx_random() % 32
           : k == 3 ? 0xffff
                    : sparse | 0x80000000u;
}

/* The thread sanitizer makes a run twenty times slower and has little to say about one thread: every third pattern. */
#if defined(__SANITIZE_THREAD__)
enum { PATTERN_STEP = 3 };
#else
enum { PATTERN_STEP = 1 };
#endif

static void play_all(struct fx *f, const struct subject *s)
{
    static const u32 flags[] = {0,        IR_ADDR32, IR_ADDR_CONST,           IR_VOLATILE,
                                IR_REG64, IR_REG16,  IR_VOLATILE | IR_ADDR32, IR_REG64 | IR_ADDR_CONST};
    for (unsigned pattern = 0; pattern < PATTERNS; pattern += PATTERN_STEP)
        for (unsigned k = 0; k < LS_ARRAY_LEN(flags); k++)
            for (unsigned m = 0; m < 5; m++) {
                struct scene c = {.s = *s, .mask = some_mask(m), .aux = flags[k]};
                if (c.aux & IR_REG16 && (s->esize > 2 || s->store))
                    continue;
                if (c.aux & IR_REG64 && (s->store || s->esize > 4))
                    continue;
                c.imm = fx_random() % 3 ? 0 : (i64)(fx_random() % 512) - 256;
                aim(f, &c, pattern, (unsigned)fx_random());
                for (int isa = 0; isa < ISA_COUNT; isa++)
                    for (int mode = 0; mode < IR_NMODES && bodies_has_isa(isa); mode++)
                        play(f, &c, isa, mode, true);
            }
}

/* ---- the list of bodies ---- */

static const struct {
    const char *name;
    u8 space;
    bool store;
} spaces[] = {{"global", SPACE_GLOBAL, true},
              {"shared", SPACE_SHARED, true},
              {"local", SPACE_LOCAL, true},
              {"generic", SPACE_NONE, true},
              {"const", SPACE_CONST, false}};
static const struct {
    const char *name;
    unsigned esize, n;
    bool sext;
} types[] = {{"b8", 1, 1, 0},     {"b16", 2, 1, 0},    {"b32", 4, 1, 0},    {"b64", 8, 1, 0},    {"b128", 16, 1, 0},
             {"s8", 1, 1, 1},     {"s16", 2, 1, 1},    {"s32", 4, 1, 1},    {"v2_b8", 1, 2, 0},  {"v4_b8", 1, 4, 0},
             {"v2_b16", 2, 2, 0}, {"v4_b16", 2, 4, 0}, {"v2_b32", 4, 2, 0}, {"v4_b32", 4, 4, 0}, {"v8_b32", 4, 8, 0},
             {"v2_b64", 8, 2, 0}, {"v4_b64", 8, 4, 0}, {"v2_s8", 1, 2, 1},  {"v4_s8", 1, 4, 1},  {"v2_s16", 2, 2, 1},
             {"v4_s16", 2, 4, 1}};

static void play_space(unsigned k)
{
    struct fx f;
    unsigned played = 0;
    fx_seed(k + 1);
    fx_init(&f);
    make_blocks(&f);
    for (u64 b = 0; b < FX_SHARED; b++)
        f.shared[b] = (u8)fx_random();
    for (u64 b = 0; b < FX_LOCAL * IR_LANES; b++)
        f.local[b] = (u8)fx_random();
    for (unsigned t = 0; t < LS_ARRAY_LEN(types); t++)
        for (int store = 0; store <= spaces[k].store; store++) {
            struct subject s = {.space = spaces[k].space,
                                .esize = types[t].esize,
                                .n = types[t].n,
                                .sext = types[t].sext,
                                .store = store};
            if (store && s.sext)
                continue;
            snprintf(s.name, sizeof s.name, "%s_%s_%s", store ? "st" : "ld", spaces[k].name, types[t].name);
            play_all(&f, &s);
            played++;
        }
    assert_int_equal(played, spaces[k].store ? 35 : 21);
    mem_unregister(f.m, host_buffer + 1);
    free(host_buffer);
    fx_free(&f);
}

static void test_global(void **state) { (void)state, play_space(0); }
static void test_shared(void **state) { (void)state, play_space(1); }
static void test_local(void **state) { (void)state, play_space(2); }
static void test_generic(void **state) { (void)state, play_space(3); }
static void test_const(void **state) { (void)state, play_space(4); }

/* Every table entry named ld_ or st_ of these spaces is in the list above, so none goes untested. */
static void test_all_listed(void **state)
{
    unsigned found = 0;
    (void)state;
    for (unsigned n = 0; bodies_name(n); n++) {
        const char *name = bodies_name(n);
        if ((strncmp(name, "ld_", 3) && strncmp(name, "st_", 3)) || strstr(name, "_arg_"))
            continue;
        for (unsigned k = 0; k < LS_ARRAY_LEN(spaces); k++)
            found += !strncmp(name + 3, spaces[k].name, strlen(spaces[k].name));
    }
    assert_int_equal(found, 4 * 35 + 21);
}

/* A freed heap block is never served from an instruction's cache. */
static void test_heap_is_not_cached(void **state)
{
    struct fx f;
    u64 heap, device;
    (void)state;
    fx_init(&f);
    assert_int_equal(mem_alloc(f.m, 256, 0, MEM_HEAP, NULL, &heap), LS_OK);
    assert_int_equal(mem_alloc(f.m, 256, 0, MEM_DEVICE, NULL, &device), LS_OK);
    const ir_body body = bodies_find("ld_global_b32", IR_FAST);
    f.code[0] = (struct ir_inst){.d = DATA * IR_SLOT};
    for (int i = 0; i < IR_LANES; i++)
        fx_64(&f, ADDRESS)[i] = device + (u64)i * 4;
    assert_true(fx_run(&f, body));
    assert_int_equal(f.site.lo, device);
    assert_int_equal(f.site.hi, device + 256);
    fx_reset(&f);
    for (int i = 0; i < IR_LANES; i++)
        fx_64(&f, ADDRESS)[i] = heap + (u64)i * 4;
    assert_true(fx_run(&f, body));
    assert_int_equal(mem_free(f.m, heap), LS_OK);
    assert_false(fx_run(&f, body));
    assert_int_equal(f.fault.kind, FAULT_ILLEGAL_ADDRESS);
    fx_free(&f);
}

/* Two threads write and read the same words, as racing kernels do: every value read was written by somebody, and the
 * thread sanitizer has nothing to say about it. */
struct racer {
    struct mem *m;
    u64 block;
    u32 value;
    bool ok;
};

static void *race(void *arg)
{
    struct racer *r = arg;
    struct fx f;
    fx_init(&f);
    f.w.mem = r->m;
    const ir_body load = bodies_find("ld_global_b32", IR_FAST), store = bodies_find("st_global_b32", IR_FAST);
    r->ok = true;
    for (u32 round = 0; round < 2000; round++) {
        for (u32 i = 0; i < IR_LANES; i++) {
            fx_64(&f, ADDRESS)[i] = r->block + (round % 2 ? i : i * 7 % 32) * 4;
            fx_32(&f, DATA)[i] = r->value;
        }
        f.code[0] = (struct ir_inst){.d = (DATA + 2) * IR_SLOT, .b = DATA * IR_SLOT};
        f.w.mask = round % 3 ? FULL_MASK : 0x0ff0f00f;
        r->ok &= fx_run(&f, store) && fx_run(&f, load);
        for (u32 i = 0; i < IR_LANES; i++)
            r->ok &= !ACTIVE_LANE(f.w.mask, i) || fx_32(&f, DATA + 2)[i] % 0x11111111 == 0;
    }
    fx_free(&f);
    return NULL;
}

static void test_race(void **state)
{
    struct mem *m;
    struct racer r[2];
    pthread_t id[2];
    u64 block;
    (void)state;
    assert_int_equal(mem_create(1u << 30, &m), LS_OK);
    assert_int_equal(mem_alloc(m, 128, 0, MEM_DEVICE, NULL, &block), LS_OK);
    memset((void *)(uintptr_t)block, 0x11, 128);
    for (u32 k = 0; k < 2; k++) {
        r[k] = (struct racer){m, block, (k + 2) * 0x11111111u, false};
        assert_int_equal(pthread_create(&id[k], NULL, race, &r[k]), 0);
    }
    for (int k = 0; k < 2; k++) {
        pthread_join(id[k], NULL);
        assert_true(r[k].ok);
    }
    mem_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_const),
        cmocka_unit_test(test_all_listed),
        cmocka_unit_test(test_heap_is_not_cached),
        cmocka_unit_test(test_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
