/* trial.c - what a plan needs, made and dropped: the module, its constants, buffers, streams and events.
 *
 * Every buffer starts as an image with guards of poison on both sides (kernels/family.h has the picture). Outputs are
 * poison; under `lockstep check` there are no guards, and outputs are not uploaded at all. Inputs are random and never zero, because zeros hide sums of what was not written, and run faster on GPUs. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "lab/trial.h"

double lab_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static u64 guard_bytes(const struct trial *t) { return t->lab->request.checked ? 0 : GUARD_BYTES; }

static u64 content_bytes(const struct buffer *b) { return (b->lead + b->count + b->tail) * buffer_element(b->type); }

u64 image_bytes(const struct trial *t, const struct buffer *b)
{
    return 2 * guard_bytes(t) + (content_bytes(b) + 3) / 4 * 4; /* whole words of poison */
}

u64 device_bytes(const struct trial *t, const struct buffer *b)
{
    return t->lab->request.checked ? content_bytes(b) : image_bytes(t, b);
}

u64 payload_at(const struct trial *t, const struct buffer *b)
{
    return guard_bytes(t) + b->lead * buffer_element(b->type);
}

bool trial_ok(struct trial *t, CUresult r)
{
    if (r != CUDA_SUCCESS && t->error == CUDA_SUCCESS)
        t->error = r;
    return r == CUDA_SUCCESS;
}

/* ---- contents ---- */

/* xorshift64* (Vigna 2014): the high half is what is used. */
static u32 next_random(u64 *state)
{
    u64 x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (u32)((x * 0x2545f4914f6cdd1dull) >> 32);
}

/* One element's bits. A float is 0.5 to 2 of either sign: full mantissas, no overflow, no denormals. The narrow formats
 * have the same sign and exponents, -1 and 0 and their mantissas' bits. */
static inline __attribute__((always_inline)) u64 random_element(enum buffer_type type, u64 *state)
{
    u32 r = next_random(state);
    const f32 signs[2] = {1.0f, -1.0f}; /* no branch: it would go either way */
    i32 magnitude = 1 + (i32)(r % 1000), minus = -(i32)(r >> 31);
    f32 value = (0.5f + (f32)(r >> 8) * 0x1p-24f * 1.5f) * signs[r & 1];
    double wide = ((double)value) * (1 + (double)next_random(state) * 0x1p-60);
    u32 bits;
    u64 wide_bits;
    memcpy(&bits, &value, 4);
    memcpy(&wide_bits, &wide, 8);
    switch (type) {
    case BUFFER_INT:
        return (u32)((magnitude ^ minus) - minus);
    case BUFFER_FLOAT:
        return bits;
    case BUFFER_DOUBLE:
        return wide_bits;
    case BUFFER_HALF:
        return (r >> 31) << 15 | (14 + (r >> 30 & 1)) << 10 | (r & 0x3ff);
    case BUFFER_BF16:
        return (r >> 31) << 15 | (126 + (r >> 30 & 1)) << 7 | (r & 0x7f);
    case BUFFER_BYTE:
        return 1 + r % 255;
    }
    return 0;
}

/* Of one type and size, which are constants where it is inlined. */
static inline __attribute__((always_inline)) void fill_as(enum buffer_type type, u32 size, u8 *to, u64 n, u64 seed)
{
    u64 state = seed;
    for (u64 i = 0; i < n; i++) {
        u64 element = random_element(type, &state);
        memcpy(to + i * size, &element, size);
    }
}

static void fill_random(enum buffer_type type, u8 *to, u64 n, u64 seed)
{
    switch (type) {
    case BUFFER_INT:
        fill_as(BUFFER_INT, 4, to, n, seed);
        break;
    case BUFFER_FLOAT:
        fill_as(BUFFER_FLOAT, 4, to, n, seed);
        break;
    case BUFFER_DOUBLE:
        fill_as(BUFFER_DOUBLE, 8, to, n, seed);
        break;
    case BUFFER_HALF:
        fill_as(BUFFER_HALF, 2, to, n, seed);
        break;
    case BUFFER_BF16:
        fill_as(BUFFER_BF16, 2, to, n, seed);
        break;
    case BUFFER_BYTE:
        fill_as(BUFFER_BYTE, 1, to, n, seed);
        break;
    }
}

static void fill_image(const struct trial *t, const struct buffer *b, u8 *image, u64 seed)
{
    const u64 n = b->lead + b->count + b->tail, bytes = image_bytes(t, b);
    u8 *content = image + guard_bytes(t);
    const u32 poison = POISON;
    for (u64 i = 0; i < bytes; i += 4)
        memcpy(image + i, &poison, 4);
    if (b->use == BUFFER_OUT)
        return;
    if (b->fixed)
        memcpy(content, b->fixed, n * buffer_element(b->type));
    else
        fill_random(b->type, content, n, seed);
}

/* ---- buffers ---- */

/* Memory of the buffer's kind; on success host or device, or both, are set. */
static bool place(struct trial *t, u32 i, u64 bytes)
{
    struct lab_cuda *c = &t->lab->cuda;
    void *host = NULL;
    switch (t->plan.buffers[i].place) {
    case PLACE_DEVICE:
        return trial_ok(t, c->alloc(&t->device[i], bytes));
    case PLACE_PAGEABLE:
        t->host[i] = ls_realloc(NULL, bytes);
        return t->host[i] || trial_ok(t, CUDA_ERROR_OUT_OF_MEMORY);
    case PLACE_PINNED:
    case PLACE_MAPPED:
        if (!trial_ok(t, c->host_alloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP)))
            return false;
        t->host[i] = host;
        return trial_ok(t, c->host_pointer(&t->device[i], host, 0));
    case PLACE_MANAGED:
        if (!trial_ok(t, c->managed_alloc(&t->device[i], bytes, CU_MEM_ATTACH_GLOBAL)))
            return false;
        t->host[i] = (u8 *)(uintptr_t)t->device[i]; /* one address on both sides */
        return true;
    }
    return false;
}

static bool make_buffer(struct trial *t, u32 i)
{
    const struct buffer *b = &t->plan.buffers[i];
    u64 bytes = device_bytes(t, b);
    t->before[i] = ls_realloc(NULL, image_bytes(t, b));
    if (!t->before[i])
        return trial_ok(t, CUDA_ERROR_OUT_OF_MEMORY);
    fill_image(t, b, t->before[i], 0x9e3779b97f4a7c15ull + i);
    if (!place(t, i, bytes))
        return false;
    if (t->host[i])
        memcpy(t->host[i], t->before[i], bytes);
    const bool cold = t->lab->request.checked && b->use == BUFFER_OUT;
    return t->host[i] || cold || trial_ok(t, t->lab->cuda.to_device(t->device[i], t->before[i], bytes));
}

static void drop_buffer(struct trial *t, u32 i)
{
    struct lab_cuda *c = &t->lab->cuda;
    enum buffer_place where = t->plan.buffers[i].place;
    ls_free(t->before[i]);
    if (where == PLACE_PAGEABLE)
        ls_free(t->host[i]);
    else if (where == PLACE_PINNED || where == PLACE_MAPPED)
        t->host[i] ? (void)c->host_free(t->host[i]) : (void)0;
    else if (t->device[i])
        c->free(t->device[i]);
}

/* ---- the rest ---- */

static bool set_constant(struct trial *t, const struct plan_constant *k)
{
    CUdeviceptr at;
    size_t bytes;
    return trial_ok(t, t->lab->cuda.module_global(&at, &bytes, t->module, k->name)) &&
           trial_ok(t, t->lab->cuda.to_device(at, k->data, k->bytes));
}

/* The streams and events that the steps name. */
static bool make_queues(struct trial *t)
{
    struct lab_cuda *c = &t->lab->cuda;
    bool good = true;
    for (u32 i = 0; good && i < t->plan.steps.len; i++) {
        const struct step *s = &t->plan.steps.at[i];
        if (s->stream && !t->streams[s->stream])
            good = trial_ok(t, c->stream_create(&t->streams[s->stream], CU_STREAM_NON_BLOCKING));
        if (good && (s->kind == STEP_RECORD || s->kind == STEP_WAIT) && !t->events[s->to])
            good = trial_ok(t, c->event_create(&t->events[s->to], 0));
    }
    return good;
}

bool trial_begin(struct trial *t, const char *ptx)
{
    if (!trial_ok(t, t->lab->cuda.module_load(&t->module, ptx)))
        return false;
    for (u32 i = 0; i < t->plan.nbuffers; i++)
        if (!make_buffer(t, i))
            return false;
    for (u32 i = 0; i < t->plan.nconstants; i++)
        if (!set_constant(t, &t->plan.constants[i]))
            return false;
    return trial_make_textures(t) && trial_make_maps(t) && make_queues(t);
}

void trial_end(struct trial *t)
{
    struct lab_cuda *c = &t->lab->cuda;
    for (u32 i = 0; i < PLAN_EVENTS; i++)
        if (t->events[i])
            c->event_destroy(t->events[i]);
    for (u32 i = 0; i < PLAN_STREAMS; i++)
        if (t->streams[i])
            c->stream_destroy(t->streams[i]);
    trial_drop_textures(t);
    trial_drop_maps(t);
    for (u32 i = 0; i < t->plan.nbuffers; i++)
        drop_buffer(t, i);
    if (t->module)
        c->module_unload(t->module);
}
