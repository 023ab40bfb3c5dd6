/* sampling.c - see sampling.h. */
#include "attach/sampling.h"

#include <pthread.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "meter/report/sampled.h"

enum { ROWS_MOST = 4096, SLOTS = 2 * ROWS_MOST, MOST_UNLIKE = 3, PARAMS_MOST = 4096 };

struct sampled_row {
    u64 key;
    u64 run;    /* launches that did the same work, one after the other, with the last one */
    u32 unlike; /* launches that were not modelled and did other work */
    struct model_sample *sample;
};

static struct {
    pthread_mutex_t lock;
    struct sampled_row *slots[SLOTS]; /* by key, then the next free one */
    u32 n;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what makes a row ---- */

/* The parameters with addresses of memory left out; the length. */
static size_t plain_params(const struct exec_launch *l, u64 words[PARAMS_MOST / 8])
{
    const size_t size = l->kernel->param_bytes < PARAMS_MOST ? l->kernel->param_bytes : PARAMS_MOST;
    u64 lo, hi;
    enum mem_kind kind;
    words[size / 8 < PARAMS_MOST / 8 ? size / 8 : 0] = 0;
    if (size)
        memcpy(words, l->params, size);
    for (size_t k = 0; k < size / 8; k++)
        if (mem_range(l->device->mem, words[k], &lo, &hi, &kind))
            words[k] = kind;
    return size;
}

static u64 key_of(const struct exec_launch *l, i32 carveout_kib, struct launch_place place)
{
    u64 words[PARAMS_MOST / 8];
    const u64 shape[] = {(uintptr_t)l->kernel, l->grid[0],   l->grid[1],        l->grid[2],     l->block[0],
                         l->block[1],          l->block[2],  l->dynamic_shared, l->cooperative, (u64)carveout_kib,
                         place.context,        place.stream, place.device,      l->depth};
    const u64 params = XXH3_64bits(words, plain_params(l, words));
    return XXH3_64bits_withSeed(shape, sizeof shape, params);
}

static struct sampled_row *find_or_make(u64 key)
{
    u64 at = key % SLOTS;
    while (all.slots[at] && all.slots[at]->key != key)
        at = (at + 1) % SLOTS;
    if (all.slots[at] || all.n == ROWS_MOST)
        return all.slots[at];
    struct sampled_row *row = ls_calloc(1, sizeof *row);
    if (!row)
        return NULL;
    row->key = key;
    all.n++;
    return all.slots[at] = row;
}

struct sampled_row *sampling_row(const struct exec_launch *l, i32 carveout_kib, struct launch_place place)
{
    const u64 key = key_of(l, carveout_kib, place);
    pthread_mutex_lock(&all.lock);
    struct sampled_row *row = find_or_make(key);
    pthread_mutex_unlock(&all.lock);
    return row;
}

/* ---- the launches of a row ---- */

static bool power_of_two(u64 n) { return !(n & (n - 1)); }

bool sampling_models(struct sampled_row *row)
{
    if (!row)
        return true;
    pthread_mutex_lock(&all.lock);
    const bool models = !row->sample || row->unlike >= MOST_UNLIKE || power_of_two(row->run + 1);
    pthread_mutex_unlock(&all.lock);
    return models;
}

static void take_modelled(struct sampled_row *row, const struct meter_report *r)
{
    const bool same = row->sample && model_sample_alike(row->sample, r) && model_sample_as_long(row->sample, r);
    row->run = same ? row->run + 1 : 1;
    model_sample_free(row->sample);
    row->sample = model_sample_make(r, row->run > 1); /* nothing follows the first of a run */
}

static void take_counted(struct sampled_row *row, struct meter_report *r)
{
    if (row->sample && model_sample_alike(row->sample, r)) {
        model_sample_give(row->sample, r);
        row->run++;
        return;
    }
    r->unlike = true;
    row->run = 0;
    row->unlike++;
}

void sampling_take(struct sampled_row *row, struct meter_report *r, bool modelled)
{
    if (!row)
        return;
    pthread_mutex_lock(&all.lock);
    if (modelled)
        take_modelled(row, r);
    else
        take_counted(row, r);
    pthread_mutex_unlock(&all.lock);
}
