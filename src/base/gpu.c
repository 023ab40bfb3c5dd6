/* gpu.c - reads gpus/<name>.json: one object with id, name and one member a number,
 *
 *     "sms": {"value": 132, "source": "device query on an H200", "mark": "verified"}
 *
 * Every member of struct gpu has one row in `fields`; a file must have all of them and nothing else, each with its
 * source and a mark: verified, recalled, or unknown (then the value is 0). So a typing error in a file of one's own is
 * told instead of giving a GPU with no registers. */
#include "base/gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/gpu_files.h"

enum field_kind { FIELD_U32, FIELD_U64, FIELD_REAL, FIELD_U32_LIST };

struct field {
    const char *name;
    size_t at;
    enum field_kind kind;
    double min, max;
    u32 len; /* of a list: how many exactly; 0 = up to the room there is (shared_carveouts) */
};

#define F(name, kind, min, max) {#name, offsetof(struct gpu, name), kind, min, max, 0}
#define LIST(name, min, max, len) {#name, offsetof(struct gpu, name), FIELD_U32_LIST, min, max, len}
static const struct field fields[] = {
    F(cc_major, FIELD_U32, 1, 99),
    F(cc_minor, FIELD_U32, 0, 9),
    F(sms, FIELD_U32, 1, 4096),
    F(boost_mhz, FIELD_U32, 1, 100000),
    F(base_mhz, FIELD_U32, 0, 100000),
    F(memory_mhz, FIELD_U32, 0, 100000),
    F(memory_bus_bits, FIELD_U32, 0, 65536),
    F(memory_bytes, FIELD_U64, 1 << 20, 1e15),
    F(l2_bytes, FIELD_U64, 0, 1e12),
    F(l2_persisting_bytes, FIELD_U64, 0, 1e12),
    F(ecc, FIELD_U32, 0, 1),
    F(l1_kib, FIELD_U32, 0, 4096),
    F(threads_per_sm, FIELD_U32, 32, 65536),
    F(blocks_per_sm, FIELD_U32, 1, 1024),
    F(registers_per_sm, FIELD_U32, 1, 1 << 24),
    F(sub_partitions, FIELD_U32, 1, 64),
    F(shared_per_sm, FIELD_U32, 1024, 16 << 20),
    F(shared_reserved, FIELD_U32, 0, 65536),
    LIST(shared_carveouts, 0, 16384, 0),
    LIST(gpc_sms, 0, 4096, GPU_GPCS),
    F(threads_per_block, FIELD_U32, 1, 65536),
    LIST(block_dim, 1, 65536, 3),
    LIST(grid_dim, 1, 2147483647, 3),
    F(shared_per_block, FIELD_U32, 1, 16 << 20),
    F(shared_per_block_optin, FIELD_U32, 1, 16 << 20),
    F(registers_per_block, FIELD_U32, 1, 1 << 24),
    F(registers_per_thread, FIELD_U32, 1, 65536),
    F(warp_size, FIELD_U32, 32, 32),
    F(barriers_per_sm, FIELD_U32, 1, 1024),
    F(register_unit, FIELD_U32, 1, 65536),
    F(shared_unit, FIELD_U32, 1, 65536),
    F(banks, FIELD_U32, 1, 64),
    F(bank_bytes, FIELD_U32, 1, 16),
    F(fp32_rate, FIELD_U32, 0, 65536),
    F(fp64_rate, FIELD_U32, 0, 65536),
    F(int_rate, FIELD_U32, 0, 65536),
    F(sfu_rate, FIELD_U32, 0, 65536),
    F(dram_bytes_per_s, FIELD_REAL, 0, 1e18),
    F(copy_bytes_per_s, FIELD_REAL, 0, 1e18),
    F(read_bytes_per_s, FIELD_REAL, 0, 1e18),
    F(link_htod_bytes_per_s, FIELD_REAL, 0, 1e15),
    F(link_dtoh_bytes_per_s, FIELD_REAL, 0, 1e15),
    F(link_htod_pageable_bytes_per_s, FIELD_REAL, 0, 1e15),
    F(link_dtoh_pageable_bytes_per_s, FIELD_REAL, 0, 1e15),
    F(copy_latency_ns, FIELD_U32, 0, 1000000000),
    F(launch_ns, FIELD_U32, 0, 1000000000),
    F(latency_shared, FIELD_U32, 0, 100000),
    F(latency_l1, FIELD_U32, 0, 100000),
    F(latency_l2, FIELD_U32, 0, 100000),
    F(latency_dram, FIELD_U32, 0, 100000),
    F(latency_int, FIELD_U32, 0, 100000),
    F(latency_fp32, FIELD_U32, 0, 100000),
    F(latency_fp16, FIELD_U32, 0, 100000),
    F(latency_fp64, FIELD_U32, 0, 100000),
    F(latency_sfu, FIELD_U32, 0, 100000),
    F(latency_convert, FIELD_U32, 0, 100000),
    F(latency_shuffle, FIELD_U32, 0, 100000),
    F(latency_tensor, FIELD_U32, 0, 100000),
    F(l2_rate, FIELD_U32, 1, 1000000),
    F(l2_sm_rate, FIELD_U32, 1, 1000000),
    F(atomic_rate, FIELD_U32, 1, 1000000),
    F(kernel_ns, FIELD_U32, 0, 1000000000),
    F(imad_rate, FIELD_U32, 0, 100000000),
    F(imad_wide_rate, FIELD_U32, 0, 100000000),
    F(fp16_rate, FIELD_U32, 0, 100000000),
    F(convert_rate, FIELD_U32, 0, 100000000),
    F(convert64_rate, FIELD_U32, 0, 100000000),
    F(shuffle_rate, FIELD_U32, 0, 100000000),
    F(vote_rate, FIELD_U32, 0, 100000000),
    F(reduce_rate, FIELD_U32, 0, 100000000),
    F(texture_rate, FIELD_U32, 0, 100000000),
    F(tensor_fp16_rate, FIELD_U32, 0, 100000000),
    F(tensor_tf32_rate, FIELD_U32, 0, 100000000),
    F(tensor_int8_rate, FIELD_U32, 0, 100000000),
    F(tensor_fp64_rate, FIELD_U32, 0, 100000000),
    F(shared_atomic_rate, FIELD_U32, 0, 100000000),
    F(shared_rate, FIELD_U32, 0, 100000000),
    F(l1_rate, FIELD_U32, 0, 100000000),
    F(latency_imad, FIELD_U32, 0, 100000000),
    F(latency_imad_wide, FIELD_U32, 0, 100000000),
    F(latency_convert64, FIELD_U32, 0, 100000000),
    F(latency_vote, FIELD_U32, 0, 100000000),
    F(latency_reduce, FIELD_U32, 0, 100000000),
    F(latency_match, FIELD_U32, 0, 100000000),
    F(latency_tensor_tf32, FIELD_U32, 0, 100000000),
    F(latency_tensor_int8, FIELD_U32, 0, 100000000),
    F(latency_tensor_fp64, FIELD_U32, 0, 100000000),
    F(latency_ldmatrix, FIELD_U32, 0, 100000000),
    F(latency_shared_atomic, FIELD_U32, 0, 100000000),
    F(latency_shared_cas, FIELD_U32, 0, 100000000),
    F(latency_shared_float, FIELD_U32, 0, 100000000),
    F(latency_atomic, FIELD_U32, 0, 100000000),
    F(latency_texture, FIELD_U32, 0, 100000000),
    F(latency_l2_near, FIELD_U32, 0, 100000000),
    F(latency_l2_far, FIELD_U32, 0, 100000000),
    F(latency_constant, FIELD_U32, 0, 100000000),
    F(constant_l1_bytes, FIELD_U32, 0, 1 << 30),
    F(latency_constant_l2, FIELD_U32, 0, 100000000),
    F(latency_constant_miss, FIELD_U32, 0, 100000000),
    F(latency_fence, FIELD_U32, 0, 100000000),
    F(latency_store_fence, FIELD_U32, 0, 100000000),
    F(latency_barrier, FIELD_U32, 0, 100000000),
    F(barrier_warp_cycles, FIELD_REAL, 0, 1e6),
    F(grid_barrier_cycles, FIELD_U32, 0, 100000000),
    F(conflict_cycles, FIELD_REAL, 0, 1e6),
    F(branch_cycles, FIELD_U32, 0, 100000000),
    F(write_bytes_per_s, FIELD_REAL, 0, 1e15),
    F(l2_write_rate, FIELD_U32, 0, 100000000),
    F(l2_sm_write_rate, FIELD_U32, 0, 100000000),
    F(dram_sm_rate, FIELD_U32, 0, 100000000),
    F(l2_sector_rate, FIELD_REAL, 0, 1e6),
    F(dram_sector_rate, FIELD_REAL, 0, 1e6),
    F(l2_line_rate, FIELD_REAL, 0, 1e6),
    F(atomic_scattered_rate, FIELD_REAL, 0, 1e6),
    F(atomic_line_rate, FIELD_REAL, 0, 1e6),
    F(atomic_address_rate, FIELD_REAL, 0, 1e6),
    F(atomic_address_float_rate, FIELD_REAL, 0, 1e6),
    F(atomic_sm_rate, FIELD_REAL, 0, 1e6),
    F(atomic_result_rate, FIELD_REAL, 0, 1e6),
    F(atomic_dram_rate, FIELD_REAL, 0, 1e6),
    F(swap_cycles, FIELD_REAL, 0, 1e6),
    F(icache_l1_bytes, FIELD_U32, 0, 1 << 30),
    F(icache_bytes, FIELD_U32, 0, 1 << 30),
    F(icache_prefetch_bytes, FIELD_U32, 0, 1 << 30),
    F(fetch_cycles, FIELD_REAL, 0, 1e6),
    F(fetch_l2_cycles, FIELD_REAL, 0, 1e6),
    F(fetch_dram_cycles, FIELD_REAL, 0, 1e6),
    F(block_rate, FIELD_REAL, 0, 1e6),
    F(block_turnover_cycles, FIELD_U32, 0, 100000000),
    F(printf_cycles, FIELD_U32, 0, 100000000),
    F(malloc_cycles, FIELD_U32, 0, 100000000),
};

/* What reading one file carries along. */
struct reading {
    const char *file;
    struct gpu *gpu;
    struct diag_list *diags;
};

static struct diag *complain(const struct reading *r, const char *what, const char *why)
{
    const struct diag_place at = {.file = r->file};
    return diag_add(r->diags, DIAG_ERROR, at, "%s: %s", what, why);
}

const char *gpu_builtin(unsigned n)
{
    for (unsigned i = 0; i <= n; i++)
        if (!gpu_files[i].id)
            return NULL;
    return gpu_files[n].id;
}

/* ---- one member ---- */

static bool in_range(const struct field *f, const json_t *v)
{
    return json_is_number(v) && (f->kind == FIELD_REAL || json_is_integer(v)) && json_number_value(v) >= f->min &&
           json_number_value(v) <= f->max;
}

static bool complain_range(const struct reading *r, const struct field *f)
{
    char why[96];
    snprintf(why, sizeof why, "the value is not %s from %.0f to %.0f",
             f->kind == FIELD_REAL ? "a number" : "an integer", f->min, f->max);
    complain(r, f->name, why);
    return false;
}

static bool read_list(const struct reading *r, const struct field *f, const json_t *v)
{
    const size_t room = f->len ? f->len : LS_ARRAY_LEN(r->gpu->shared_carveouts), n = json_array_size(v);
    if (!json_is_array(v) || n == 0 || n > room || (f->len && n != f->len)) {
        complain(r, f->name, "the value is not a list of the right length");
        return false;
    }
    u32 *to = (u32 *)(void *)((char *)r->gpu + f->at);
    for (size_t i = 0; i < n; i++) {
        const json_t *e = json_array_get(v, i);
        if (!in_range(f, e))
            return complain_range(r, f);
        to[i] = (u32)json_integer_value(e);
        if (!f->len && i && to[i] <= to[i - 1]) {
            complain(r, f->name, "the list is not ascending");
            return false;
        }
    }
    if (!f->len)
        r->gpu->ncarveouts = (u32)n;
    return true;
}

static bool read_value(const struct reading *r, const struct field *f, const json_t *v)
{
    char *to = (char *)r->gpu + f->at;
    if (f->kind == FIELD_U32_LIST)
        return read_list(r, f, v);
    if (!in_range(f, v))
        return complain_range(r, f);
    if (f->kind == FIELD_REAL)
        *(double *)(void *)to = json_number_value(v);
    else if (f->kind == FIELD_U64)
        *(u64 *)(void *)to = (u64)json_integer_value(v);
    else
        *(u32 *)(void *)to = (u32)json_integer_value(v);
    return true;
}

static bool mark_known(const char *mark)
{
    return mark && (!strcmp(mark, "verified") || !strcmp(mark, "recalled") || !strcmp(mark, "unknown"));
}

static bool read_field(const struct reading *r, const struct field *f, const json_t *root)
{
    const json_t *member = json_object_get(root, f->name);
    if (!member) {
        complain(r, f->name, "this number is missing");
        return false;
    }
    const char *source = json_string_value(json_object_get(member, "source"));
    if (!source || !*source || !mark_known(json_string_value(json_object_get(member, "mark")))) {
        struct diag *g = complain(r, f->name, "a number needs its source and a mark");
        diag_set_note(r->diags, g, "\"mark\" is \"verified\", \"recalled\" or \"unknown\"");
        return false;
    }
    return read_value(r, f, json_object_get(member, "value"));
}

/* ---- the file ---- */

static bool known_member(const char *name)
{
    for (size_t i = 0; i < LS_ARRAY_LEN(fields); i++)
        if (!strcmp(name, fields[i].name))
            return true;
    return !strcmp(name, "id") || !strcmp(name, "name") || !strcmp(name, "comment");
}

static bool read_name(const struct reading *r, const json_t *root, const char *key, char *to, size_t room)
{
    const char *s = json_string_value(json_object_get(root, key));
    if (!s || !*s || strlen(s) >= room) {
        complain(r, key, "missing, empty or too long");
        return false;
    }
    strcpy(to, s);
    return true;
}

static bool read_members(const struct reading *r, json_t *root)
{
    bool ok = read_name(r, root, "id", r->gpu->id, sizeof r->gpu->id);
    ok &= read_name(r, root, "name", r->gpu->name, sizeof r->gpu->name);
    for (size_t i = 0; i < LS_ARRAY_LEN(fields); i++)
        ok &= read_field(r, &fields[i], root);
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value) {
        if (!known_member(key)) {
            complain(r, key, "unknown member");
            ok = false;
        }
    }
    return ok;
}

/* Relations between numbers that the rest of the program relies on. */
static bool consistent(const struct reading *r)
{
    const struct gpu *g = r->gpu;
    const char *why = NULL;
    if (g->threads_per_block > g->threads_per_sm)
        why = "exceeds threads_per_sm";
    else if (g->shared_per_block > g->shared_per_block_optin || g->shared_per_block_optin > g->shared_per_sm)
        why = "shared_per_block, shared_per_block_optin and shared_per_sm must ascend";
    else if (g->shared_carveouts[g->ncarveouts - 1] * 1024u < g->shared_per_sm)
        why = "no carve-out holds shared_per_sm";
    else if (g->bank_bytes & (g->bank_bytes - 1))
        why = "bank_bytes is not a power of two";
    if (why)
        complain(r, g->id, why);
    return !why;
}

static enum ls_status parse(const struct reading *r, const char *text, size_t len)
{
    json_error_t e;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
    if (!root) {
        const struct diag_place at = {
            .file = r->file, .line = e.line > 0 ? (u32)e.line : 0, .column = e.column > 0 ? (u32)e.column : 0};
        diag_add(r->diags, DIAG_ERROR, at, "not JSON: %s", e.text);
        return LS_ERR_SYNTAX;
    }
    memset(r->gpu, 0, sizeof *r->gpu);
    bool ok = json_is_object(root);
    if (!ok)
        complain(r, "GPU file", "it is not an object");
    ok = ok && read_members(r, root) && consistent(r);
    json_decref(root);
    return ok ? LS_OK : LS_ERR_SYNTAX;
}

/* ---- finding it ---- */

static enum ls_status read_path(const char *path, struct gpu *out, struct diag_list *diags)
{
    enum { MOST = 1 << 20 };
    const struct reading r = {path, out, diags};
    FILE *f = fopen(path, "rb");
    if (!f) {
        complain(&r, "cannot open", strerror(errno));
        return LS_ERR_NOT_FOUND;
    }
    char *text = ls_realloc(NULL, MOST);
    const size_t len = text ? fread(text, 1, MOST, f) : 0;
    const bool bad = text && ferror(f);
    if (bad) /* a folder, for one */
        complain(&r, "cannot read", strerror(errno));
    fclose(f);
    enum ls_status s = !text ? LS_ERR_NOMEM : bad ? LS_ERR_IO : parse(&r, text, len);
    ls_free(text);
    return s;
}

static enum ls_status unknown(const char *id, struct diag_list *diags)
{
    char known[512] = "";
    size_t n = 0;
    for (unsigned i = 0; gpu_builtin(i) && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", gpu_builtin(i));
    struct diag *g = diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "no GPU is called '%s'", id);
    diag_set_note(diags, g, "known are %s, and the path of a .json file", known);
    return LS_ERR_NOT_FOUND;
}

static bool is_path(const char *s)
{
    const size_t n = strlen(s);
    return strchr(s, '/') || (n > 5 && !strcmp(s + n - 5, ".json"));
}

enum ls_status gpu_find(const char *id_or_path, struct gpu *out, struct diag_list *diags)
{
    const char *id = id_or_path && *id_or_path ? id_or_path : "h200";
    if (is_path(id))
        return read_path(id, out, diags);
    for (const struct gpu_file *f = gpu_files; f->id; f++) {
        const struct reading r = {f->id, out, diags};
        if (!strcmp(f->id, id))
            return parse(&r, (const char *)f->text, f->len);
    }
    return unknown(id, diags);
}
