/* tensor_maps.c - what a GPU makes of tensor maps: which ones its driver refuses, and what the copies and reductions through
 * some hundreds of them leave in shared and global memory: types, ranks, strides, swizzles, interleaves, fills, im2col, boxes
 * that lie outside. Each line has a map and a copy, and a hash of all bytes that it may have changed.
 *
 *     tensor_maps KERNELS.ptx [DUMP] >tensor-maps.txt
 *     tensor_maps KERNELS.ptx DUMP after N: goes on behind copy N
 *
 * DUMP: a file for the bytes themselves, a line's number, size and content after each other; of what is stored, which bits
 * changed. `tensor_maps KERNELS.ptx model` compares with an independent model. `tensor_maps KERNELS.ptx fault N` makes the N-th mistake instead and says what becomes of it. On a GPU:
 *     gcc -Isrc tests/hw/tensor_maps.c tests/hw/tensor_model.c -lcuda -o tensor_maps */
#include "tensor_maps.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/cuda_abi.h"

static const char *const way_names[] = {"load", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
static const char *kernels; /* their file */
static CUcontext context;
static CUfunction run, change;
static CUdeviceptr global_memory, shared_memory, done, copied;

static uint64_t state = 1;
static unsigned draw(unsigned below) /* the same on every machine */
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}

static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const char *const types[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                    "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"};
static bool is_float(int t) { return t >= 6; }

static FILE *dump;
static bool with_model;
static unsigned differ; /* from the model */

static CUresult encode(CUtensorMap *to, const struct map *m)
{
    void *at = (void *)(uintptr_t)(global_memory + m->align);
    const cuuint64_t *dims = (const cuuint64_t *)m->dims, *strides = (const cuuint64_t *)m->strides;
    if (m->mode == IM2COL)
        return cuTensorMapEncodeIm2col(to, (CUtensorMapDataType)m->type, m->rank, at, dims, strides, m->lower, m->upper,
                                       m->channels, m->pixels, m->steps, (CUtensorMapInterleave)m->interleave,
                                       (CUtensorMapSwizzle)m->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       (CUtensorMapFloatOOBfill)m->fill);
    return cuTensorMapEncodeTiled(to, (CUtensorMapDataType)m->type, m->rank, at, dims, strides, m->box, m->steps,
                                  (CUtensorMapInterleave)m->interleave, (CUtensorMapSwizzle)m->swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)m->fill);
}

static void print_map(const struct map *m)
{
    printf("%s %s", m->mode == TILED ? "tiled" : "im2col", m->type >= 0 && m->type < 13 ? types[m->type] : "?");
    for (int k = 0; k < m->rank; k++)
        printf("%c%llu", k ? 'x' : ' ', (unsigned long long)m->dims[k]);
    for (int k = 0; k + 1 < m->rank; k++)
        printf("%c%llu", k ? ',' : ' ', (unsigned long long)m->strides[k]);
    if (m->mode == TILED) {
        for (int k = 0; k < m->rank; k++)
            printf("%s%u", k ? "x" : " box ", m->box[k]);
    } else {
        for (int k = 0; k + 2 < m->rank; k++)
            printf("%s%d..%d", k ? "," : " corners ", m->lower[k], m->upper[k]);
        printf(" %ux%u", m->channels, m->pixels);
    }
    for (int k = 0; k < m->rank; k++)
        printf("%s%u", k ? "," : " steps ", m->steps[k]);
    printf(" interleave %d swizzle %d fill %d", m->interleave, m->swizzle, m->fill);
}

static uint64_t hash_of(const unsigned char *p, size_t n)
{
    uint64_t h = 14695981039346656037ull;
    for (size_t k = 0; k < n; k++)
        h = (h ^ p[k]) * 1099511628211ull;
    return h;
}

/* Any bits, but of floats that are to be added many of like size. */
static void make_data(unsigned char *p, size_t n, int type, bool sums)
{
    for (size_t k = 0; k < n; k++)
        p[k] = (unsigned char)draw(256);
    if (!is_float(type) || !sums)
        return;
    const unsigned size = sizes[type];
    for (size_t k = 0; k < n; k += size) {
        if (draw(16) == 0)
            continue;    /* any bits */
        if (type == 8) { /* f64 */
            p[k + 7] = (unsigned char)((p[k + 7] & 0x80) | 0x3f);
            p[k + 6] = (unsigned char)((p[k + 6] & 0x0f) | 0xf0);
        } else if (type == 6) { /* f16 */
            p[k + 1] = (unsigned char)((p[k + 1] & 0x87) | 0x38);
        } else { /* f32, bf16, .. */
            p[k + size - 1] = (unsigned char)((p[k + size - 1] & 0x80) | 0x3f);
            p[k + size - 2] |= 0x40;
        }
        if (draw(16) == 0) { /* next to zero */
            p[k + size - 1] &= 0x80;
            p[k + size - 2] &= type == 6 ? 0xff : 0x07;
        }
    }
}

static unsigned box_bytes(const struct map *m)
{
    unsigned n = sizes[m->type];
    if (m->mode == IM2COL)
        return n * m->channels * m->pixels;
    for (int k = 0; k < m->rank; k++)
        n *= k ? (m->box[k] + m->steps[k] - 1) / m->steps[k] : m->box[k];
    return n;
}

/* Slices of 16 or 32 bytes; of the last dimension but one, which is theirs, a box has one. */
static unsigned sliced_bytes(const struct map *m)
{
    unsigned n = 8u << m->interleave;
    for (int k = 0; k < m->rank; k++)
        n *= k == m->rank - 2 ? 1 : (m->box[k] + m->steps[k] - 1) / m->steps[k];
    return n;
}

static const char *error_name(CUresult e)
{
    const char *name = "?";
    cuGetErrorName(e, &name);
    return name;
}

/* With fields: through the map changed to them. */
static CUresult launch(CUtensorMap *map, struct job *j, struct fields *f, unsigned *over)
{
    void *args[] = {map, j, &shared_memory, &done, f, &copied};
    cuMemsetD32_v2(done, 0, 1);
    CUresult e = cuLaunchKernel(f ? change : run, 1, 1, 1, 64, 1, 1, SHARED_BYTES + 1024, NULL, args, NULL);
    if (e == CUDA_SUCCESS)
        e = cuCtxSynchronize();
    cuMemcpyDtoH_v2(over, done, sizeof *over);
    return e;
}

static struct fields fields_of(const struct map *m)
{
    struct fields f = {.address = global_memory + m->align,
                       .rank = (unsigned)m->rank,
                       .type = m->type,
                       .interleave = m->interleave,
                       .swizzle = m->swizzle,
                       .fill = m->fill};
    for (int k = 0; k < m->rank; k++) {
        f.dims[k] = (unsigned)m->dims[k];
        f.box[k] = m->box[k];
        f.steps[k] = m->steps[k];
        if (k)
            f.strides[k - 1] = m->strides[k - 1];
    }
    return f;
}

static int number, past; /* copies up to `past` are left out */
/* What memory must hold after the copy. */
static void compare(const struct map *m, const struct job *j, const unsigned char *data)
{
    static unsigned char global[GLOBAL_BYTES], shared[GLOBAL_BYTES];
    state = 77 + 1000 * (uint64_t)number;
    make_data(global, sizeof global, m->type, false);
    if (j->way == LOAD)
        memset(shared, FILLER, SHARED_BYTES);
    else
        make_data(shared, SHARED_BYTES, m->type, false);
    tensor_model(m, j, sizes[m->type], global + m->align, shared + j->base);
    if (memcmp(data, j->way == LOAD ? shared : global, j->way == LOAD ? SHARED_BYTES : GLOBAL_BYTES)) {
        printf("%d is not as the model has it\n", number);
        differ++;
    }
}

static bool start(void)
{
    static char text[1 << 18];
    CUmodule module;
    FILE *f = fopen(kernels, "rb");
    if (!f || !fread(text, 1, sizeof text - 1, f))
        return false;
    fclose(f);
    return cuInit(0) == CUDA_SUCCESS && cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS &&
           cuModuleLoadData(&module, text) == CUDA_SUCCESS &&
           cuModuleGetFunction(&run, module, "run") == CUDA_SUCCESS &&
           cuModuleGetFunction(&change, module, "change") == CUDA_SUCCESS &&
           cuMemAlloc_v2(&copied, 128) == CUDA_SUCCESS && cuMemAlloc_v2(&global_memory, GLOBAL_BYTES) == CUDA_SUCCESS &&
           cuMemAlloc_v2(&shared_memory, SHARED_BYTES) == CUDA_SUCCESS && cuMemAlloc_v2(&done, 4) == CUDA_SUCCESS;
}

static void copy_through(const struct map *m, struct job j, unsigned bytes, const struct map *changed_from)
{
    static unsigned char data[GLOBAL_BYTES];
    CUtensorMap map;
    struct fields fields = fields_of(m);
    state = 77 + 1000 * (uint64_t)++number;
    printf("%d ", number);
    print_map(m);
    printf(" %s at", way_names[j.way]);
    for (int k = 0; k < m->rank; k++)
        printf(" %d", j.at[k]);
    if (m->mode == IM2COL && j.way == LOAD)
        for (int k = 0; k + 2 < m->rank; k++)
            printf("%s%d", k ? "," : " off ", j.off[k]);
    printf(" base %u%s", j.base, changed_from ? " changed" : "");
    if (number <= past) {
        printf(": -\n");
        return;
    }
    const CUresult r = encode(&map, changed_from ? changed_from : m);
    if (r != CUDA_SUCCESS) {
        printf(": refused %d\n", (int)r);
        return;
    }
    j.mode = m->mode, j.rank = m->rank, j.bytes = bytes;
    make_data(data, sizeof data, m->type, j.way >= ADD);
    cuMemcpyHtoD_v2(global_memory, data, sizeof data);
    if (j.way == LOAD)
        memset(data, FILLER, SHARED_BYTES);
    else
        make_data(data, SHARED_BYTES, m->type, j.way >= ADD);
    cuMemcpyHtoD_v2(shared_memory, data, SHARED_BYTES);
    unsigned over = 0;
    const CUresult e = launch(&map, &j, changed_from ? &fields : NULL, &over);
    if (e != CUDA_SUCCESS) {
        printf(": %s\n", error_name(e));
        cuCtxDestroy_v2(context); /* as good as lost */
        if (!start())
            exit(1);
        return;
    }
    const size_t n = j.way == LOAD ? SHARED_BYTES : GLOBAL_BYTES;
    cuMemcpyDtoH_v2(data, j.way == LOAD ? shared_memory : global_memory, n);
    printf(": %u bytes%s %016llx\n", bytes, over ? "" : " NOT AS MANY", (unsigned long long)hash_of(data, n));
    if (with_model && j.way <= STORE)
        compare(m, &j, data);
    if (dump) {
        static unsigned char before[GLOBAL_BYTES];
        const int head[2] = {number, (int)n};
        state = 77 + 1000 * (uint64_t)number;
        make_data(before, sizeof before, m->type, j.way >= ADD);
        for (size_t k = 0; k < n && j.way != LOAD; k++)
            data[k] ^= before[k];
        fwrite(head, sizeof head, 1, dump);
        fwrite(data, 1, n, dump);
    }
}

static void copy(const struct map *m, struct job j, unsigned bytes) { copy_through(m, j, bytes, NULL); }

/* ---- what is copied ---- */

static unsigned most(unsigned a, unsigned b) { return a > b ? a : b; }
static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* A map of any type and rank whose tensor is not too large, and whose box is not either. */
static struct map any_tiled(int type, int rank, int swizzle)
{
    struct map m = {0};
    const unsigned size = sizes[type], span = swizzle ? 16u << swizzle : 256;
    m.mode = TILED, m.type = type, m.rank = rank, m.swizzle = swizzle;
    m.fill = is_float(type) && draw(3) == 0;
    const unsigned unit = 16 / size;
    unsigned stride = 0, left = 4096;
    for (int k = 0; k < rank; k++) {
        m.steps[k] = draw(4) ? 1 : 1 + draw(k ? 3 : 1);
        if (k == 0) {
            const unsigned row = least(span, 16 * (1 + draw(8)));
            m.dims[0] = 1 + draw(rank == 1 ? 600 : 160 / size);
            m.box[0] = most(unit, least(256, row / size) / unit * unit);
            stride = (unsigned)(m.dims[0] * size + 15) / 16 * 16;
            left /= m.box[0] * size;
        } else {
            m.dims[k] = 1 + draw(rank == 2 ? 40 : rank == 3 ? 12 : 6);
            m.box[k] = 1 + draw(most(1, least(8, left)));
            left /= m.box[k];
            m.strides[k - 1] = stride + 16 * draw(2);
            stride = (unsigned)(m.strides[k - 1] * m.dims[k]);
        }
    }
    m.align = 16 * draw(4);
    return m;
}

/* A box begins at a multiple of 16 bytes: else the instruction is an illegal one. */
static int whole(const struct map *m, int at)
{
    const int unit = 16 / (int)sizes[m->type];
    return (at < 0 ? at - unit + 1 : at) / unit * unit;
}

static struct job any_place(const struct map *m, int way)
{
    struct job j = {0};
    j.way = way;
    for (int k = 0; k < m->rank; k++)
        j.at[k] = draw(3) ? (int)draw((unsigned)m->dims[k]) : (int)draw((unsigned)m->dims[k] + 12) - 6;
    j.at[0] = whole(m, j.at[0] + (draw(4) ? 0 : (int)draw(40) - 20));
    j.base = 128 * draw(9);
    return j;
}

static bool fits(const struct map *m) { return m->rank == 1 || m->strides[m->rank - 2] * m->dims[m->rank - 1] < 60000; }

static struct map plain(int mode)
{
    struct map m = {0};
    m.mode = mode, m.type = 7, m.rank = 4;
    for (int k = 0; k < 4; k++)
        m.dims[k] = 16, m.box[k] = 4, m.steps[k] = 1;
    for (int k = 0; k < 3; k++)
        m.strides[k] = 64ull << 4 * k;
    m.channels = 8, m.pixels = 8;
    return m;
}

/* Plain ones first. */
static void simple(void)
{
    for (int rank = 1; rank <= 5; rank++)
        for (int way = LOAD; way <= ADD; way++)
            for (int at = 0; at < 2; at++) {
                struct map m = plain(TILED);
                struct job j = {0};
                m.rank = rank;
                if (rank == 5)
                    m.dims[4] = m.steps[4] = m.box[4] = 1, m.strides[3] = 64 << 9;
                for (int k = 1; k < 4; k++)
                    m.dims[k] = 8, m.strides[k - 1] = 64ull << 3 * (k - 1);
                j.way = way;
                j.at[0] = 4 * at;
                copy(&m, j, box_bytes(&m));
            }
}

static void tiled(void)
{
    for (int type = 0; type < 13; type++)
        for (int rank = 1; rank <= 5; rank++)
            for (int swizzle = 0; swizzle < 4; swizzle++) {
                state = 1000003 * (uint64_t)(1 + swizzle + 4 * rank + 100 * type);
                struct map m;
                do
                    m = any_tiled(type, rank, swizzle);
                while (!fits(&m));
                const struct job j = any_place(&m, LOAD);
                copy(&m, j, box_bytes(&m));
                if (rank % 2 == type % 2) {
                    state = 999 + swizzle + 4 * rank + 100 * type;
                    copy(&m, any_place(&m, STORE), box_bytes(&m));
                }
            }
}

static void reductions(void)
{
    static const struct {
        int type;
        unsigned ways;
    } all[] = {{2, 0x3ff & ~3u},
               {3, 1 << ADD | 1 << MIN | 1 << MAX},
               {4, 1 << ADD | 1 << MIN | 1 << MAX | 1 << AND | 1 << OR | 1 << XOR},
               {5, 1 << MIN | 1 << MAX},
               {6, 1 << ADD | 1 << MIN | 1 << MAX},
               {9, 1 << ADD | 1 << MIN | 1 << MAX},
               {7, 1 << ADD},
               {10, 1 << ADD},
               {8, 1 << ADD},
               {11, 1 << ADD},
               {12, 1 << ADD}};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        for (int way = ADD; way < WAYS; way++)
            if (all[k].ways >> way & 1) {
                const int rank = 1 + (int)(k + (unsigned)way) % 5;
                state = 31 * (uint64_t)(way + 100 * all[k].type);
                struct map m;
                do
                    m = any_tiled(all[k].type, rank, (way + (int)k) % 4);
                while (!fits(&m));
                copy(&m, any_place(&m, way), box_bytes(&m));
            }
}

/* Maps that a kernel makes of others, field by field. */
static void changed(void)
{
    for (int k = 0; k < 26; k++) {
        state = 5150 * (uint64_t)(1 + k);
        struct map from, to;
        do
            from = any_tiled((int)draw(13), 1 + (int)draw(5), (int)draw(4));
        while (!fits(&from));
        do
            to = any_tiled(k % 13, 1 + k % 5, (int)draw(4));
        while (!fits(&to));
        copy_through(&to, any_place(&to, LOAD), box_bytes(&to), &from);
    }
}

/* NC/xHWCx: slices of 16 or 32 bytes. */
static void interleaved(void)
{
    for (int interleave = 1; interleave <= 2; interleave++)
        for (int rank = 3; rank <= 5; rank++)
            for (int type = 0; type < 13; type += interleave == 1 ? 3 : 5)
                for (int swizzle = 0; swizzle < 4; swizzle++) {
                    if (interleave == 2 && swizzle != 1)
                        continue;
                    struct map m = {0};
                    const unsigned size = sizes[type], slice = 16u * interleave;
                    state = 71 * (uint64_t)(1 + swizzle + 4 * type + 100 * rank + 1000 * interleave);
                    m.mode = TILED, m.type = type, m.rank = rank, m.interleave = interleave, m.swizzle = swizzle;
                    m.dims[0] = slice / size * (1 + draw(4));
                    unsigned stride = slice;
                    for (int k = 1; k < rank; k++) {
                        m.dims[k] = 2 + draw(6);
                        m.strides[k - 1] = stride;
                        stride = (unsigned)(stride * m.dims[k]);
                        m.box[k] = 1 + draw(4);
                        m.steps[k] = 1;
                    }
                    m.box[0] = slice / size * (1 + draw(2));
                    m.steps[0] = 1;
                    if (!fits(&m))
                        continue;
                    struct job j = any_place(&m, draw(4) ? LOAD : STORE);
                    if (draw(2))
                        j.at[0] = (int)draw((unsigned)m.dims[0] / (slice / size)) * (int)(slice / size);
                    copy(&m, j, sliced_bytes(&m));
                }
}

static void im2col(void)
{
    for (int rank = 3; rank <= 5; rank++)
        for (int k = 0; k < 24; k++) {
            struct map m = {0};
            struct job j = {0};
            state = 17 * (uint64_t)(1 + k + 100 * rank);
            m.mode = IM2COL, m.rank = rank;
            m.type = (int)draw(13);
            m.swizzle = (int)draw(4);
            m.fill = is_float(m.type) && draw(3) == 0;
            const unsigned size = sizes[m.type], unit = 16 / size, span = m.swizzle ? 16u << m.swizzle : 256;
            m.dims[0] = 1 + draw(64);
            unsigned stride = (unsigned)(m.dims[0] * size + 15) / 16 * 16;
            m.steps[0] = 1;
            for (int d = 1; d < rank; d++) {
                m.dims[d] = 3 + draw(rank == 3 ? 10 : 5);
                m.strides[d - 1] = stride;
                stride = (unsigned)(stride * m.dims[d]);
                m.steps[d] = draw(3) ? 1 : 1 + draw(3);
                if (d + 1 < rank) {
                    m.lower[d - 1] = (int)draw(4) - 2;
                    m.upper[d - 1] = (int)draw(4) - 2;
                    j.off[d - 1] = (int)draw(3);
                }
            }
            m.steps[rank - 1] = 1;
            m.channels = most(unit, least(256, span / size) / unit * unit / (1 + draw(2)) / unit * unit);
            m.pixels = 1 + draw(40);
            if (m.strides[rank - 2] * m.dims[rank - 1] >= 60000)
                continue;
            j.way = k % 4 == 3 ? STORE : LOAD;
            j.at[0] = draw(2) ? 0 : whole(&m, (int)draw((unsigned)m.dims[0]));
            for (int d = 1; d < rank; d++) {
                const int low = d + 1 < rank ? m.lower[d - 1] : 0;
                const int high = (int)m.dims[d] - 1 + (d + 1 < rank ? m.upper[d - 1] : 0);
                if (high < low)
                    m.upper[d - 1] = 0;
                j.at[d] = low + (int)draw((unsigned)most(1, (unsigned)(high - low + 1 > 0 ? high - low + 1 : 1)));
            }
            j.base = 128 * draw(9);
            copy(&m, j, box_bytes(&m));
        }
}

/* ---- what is refused ---- */

static void tell(const char *what, const struct map *m)
{
    CUtensorMap map;
    printf("%s %s: %d\n", m->mode == TILED ? "tiled" : "im2col", what, (int)encode(&map, m));
}

#define TRY(change)                                                                                                    \
    do {                                                                                                               \
        struct map m = plain(mode);                                                                                    \
        change;                                                                                                        \
        tell(#change, &m);                                                                                             \
    } while (0)

static void refused(int mode)
{
    TRY(;);
    TRY(m.type = 13);
    TRY(m.type = 16);
    TRY(m.type = -1);
    TRY(m.rank = 0);
    TRY(m.rank = 1);
    TRY(m.rank = 2);
    TRY(m.rank = 3);
    TRY(m.rank = 6);
    TRY(m.align = 8);
    TRY(m.align = 16);
    TRY(m.align = 16; m.interleave = 2; m.swizzle = 1);
    TRY(m.align = 32; m.interleave = 2; m.swizzle = 1);
    TRY(m.dims[0] = 0);
    TRY(m.dims[1] = 0);
    TRY(m.dims[3] = 0);
    TRY(m.dims[3] = 1ull << 32);
    TRY(m.dims[3] = (1ull << 32) + 1);
    TRY(m.dims[0] = 17);
    TRY(m.dims[0] = 1 << 20);
    TRY(m.strides[0] = 0);
    TRY(m.strides[0] = 16);
    TRY(m.strides[0] = 56);
    TRY(m.strides[1] = 64);
    TRY(m.strides[1] = 32);
    TRY(m.strides[2] = 0);
    TRY(m.strides[2] = (1ull << 40) - 16);
    TRY(m.strides[2] = 1ull << 40);
    TRY(m.strides[0] = 80; m.interleave = 2; m.swizzle = 1);
    TRY(m.box[0] = 0);
    TRY(m.box[0] = 3);
    TRY(m.box[0] = 3; m.interleave = 1);
    TRY(m.box[0] = 256);
    TRY(m.box[0] = 260);
    TRY(m.box[3] = 0);
    TRY(m.box[3] = 256);
    TRY(m.box[3] = 257);
    TRY(m.box[0] = 256; m.box[1] = 227; m.box[2] = m.box[3] = 1);
    TRY(m.box[0] = 256; m.box[1] = 228; m.box[2] = m.box[3] = 1);
    TRY(m.box[0] = 256; m.box[1] = 256; m.box[2] = m.box[3] = 1);
    TRY(m.box[0] = 256; m.box[1] = 256; m.box[2] = 2; m.box[3] = 1);
    TRY(m.box[0] = 256; m.box[1] = 256; m.box[2] = 256);
    TRY(m.box[0] = 256; m.box[1] = 256; m.box[2] = m.box[3] = 1; m.steps[1] = 8);
    TRY(m.steps[0] = 0);
    TRY(m.steps[0] = 9);
    TRY(m.steps[1] = 0);
    TRY(m.steps[1] = 8);
    TRY(m.steps[1] = 9);
    TRY(m.steps[0] = 9; m.interleave = 1);
    TRY(m.interleave = 1);
    TRY(m.interleave = 2);
    TRY(m.interleave = 2; m.swizzle = 1);
    TRY(m.interleave = 2; m.swizzle = 2);
    TRY(m.interleave = 3);
    TRY(m.interleave = -1);
    TRY(m.interleave = 1; m.rank = 2);
    TRY(m.swizzle = 1; m.box[0] = m.channels = 8);
    TRY(m.swizzle = 1; m.box[0] = m.channels = 12);
    TRY(m.swizzle = 2; m.box[0] = m.channels = 16);
    TRY(m.swizzle = 2; m.box[0] = m.channels = 20);
    TRY(m.swizzle = 3; m.box[0] = m.channels = 32);
    TRY(m.swizzle = 3; m.box[0] = m.channels = 36);
    TRY(m.swizzle = 1; m.interleave = 1; m.box[0] = m.channels = 36);
    TRY(m.swizzle = 4);
    TRY(m.swizzle = 6);
    TRY(m.swizzle = 7);
    TRY(m.fill = 1);
    TRY(m.fill = 1; m.type = 3);
    TRY(m.fill = 2);
    TRY(m.channels = 0);
    TRY(m.channels = 3);
    TRY(m.channels = 256);
    TRY(m.channels = 260);
    TRY(m.pixels = 0);
    TRY(m.pixels = 1024);
    TRY(m.pixels = 1025);
    TRY(m.lower[0] = -128);
    TRY(m.lower[0] = -129);
    TRY(m.lower[1] = 127; m.upper[1] = 127);
    TRY(m.lower[0] = 128; m.upper[0] = 127);
    TRY(m.upper[0] = 128);
    TRY(m.lower[2] = 1000);
    TRY(m.upper[1] = -15);
    TRY(m.upper[1] = -16);
    TRY(m.upper[1] = -17);
    TRY(m.rank = 3; m.lower[0] = -32768; m.upper[0] = 32767);
    TRY(m.rank = 3; m.lower[0] = -32769);
}

static void refused_otherwise(void)
{
    struct map m = plain(TILED);
    CUtensorMap map; /* a NULL in its place is no error but a crash */
    encode(&map, &m);
    printf("address 16: %d\n", (int)cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(global_memory + 16)));
    printf("address 8: %d\n", (int)cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(global_memory + 8)));
    printf("address 0: %d\n", (int)cuTensorMapReplaceAddress(&map, NULL));
    m.interleave = 2, m.swizzle = 1;
    encode(&map, &m);
    printf("interleave 2, address 16: %d\n",
           (int)cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(global_memory + 16)));
    m = plain(TILED);
    global_memory += 1ull << 50;
    printf("an address that is no memory: %d\n", (int)encode(&map, &m));
    global_memory -= 1ull << 50;
}

static void fault(int which)
{
    struct map m = plain(TILED);
    struct job j = {0};
    CUtensorMap map;
    j.rank = 4, j.bytes = box_bytes(&m);
    encode(&map, &m);
    switch (which) {
    case 0:
        printf("shared memory at 64");
        j.base = 64;
        break;
    case 1:
        printf("shared memory at 16");
        j.base = 16;
        break;
    case 2:
        printf("a map of zeros");
        memset(&map, 0, sizeof map);
        break;
    case 3:
        printf("a map of ones");
        memset(&map, 0xff, sizeof map);
        break;
    case 4:
        printf("no memory");
        cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(global_memory + (1ull << 40)));
        break;
    case 5:
        printf("behind shared memory");
        j.base = 200 << 10;
        break;
    case 6:
        printf("two coordinates for four");
        j.rank = 2;
        break;
    case 7:
        printf("five coordinates for four");
        j.rank = 5;
        break;
    case 8:
        printf("im2col of a tiled map");
        j.mode = IM2COL;
        break;
    case 9:
        printf("tiles of an im2col map");
        m = plain(IM2COL);
        encode(&map, &m);
        break;
    case 10:
        printf("a sum of tf32");
        m.type = 11;
        encode(&map, &m);
        j.way = ADD;
        break;
    case 11:
        printf("a sum of s64");
        m.type = 5;
        m.box[0] = 2;
        encode(&map, &m);
        j.way = ADD;
        break;
    case 12:
        printf("inc of s32");
        m.type = 3;
        encode(&map, &m);
        j.way = INC;
        break;
    case 13:
        printf("and of f32");
        j.way = AND;
        break;
    case 14:
        printf("max of f32");
        j.way = MAX;
        break;
    case 15:
        printf("a sum of u8");
        m.type = 0;
        m.box[0] = 16;
        encode(&map, &m);
        j.way = ADD;
        break;
    case 16:
        printf("a store of an im2col map by tiles");
        m = plain(IM2COL);
        encode(&map, &m);
        j.way = STORE;
        break;
    case 17:
        printf("and of s32");
        m.type = 3;
        encode(&map, &m);
        j.way = AND;
        break;
    case 18:
        printf("xor of s64");
        m.type = 5;
        encode(&map, &m);
        j.way = XOR;
        break;
    case 19:
        printf("or of u64");
        m.type = 4;
        encode(&map, &m);
        j.way = OR;
        break;
    case 20:
        printf("load at 3");
        j.at[0] = 3;
        break;
    case 21:
        printf("store at 3");
        j.at[0] = 3;
        j.way = STORE;
        break;
    case 22:
        printf("load at -1");
        j.at[0] = -1;
        break;
    case 23:
        printf("load at 2");
        j.at[0] = 2;
        break;
    case 24:
        printf("a sum of f64");
        m.type = 8;
        encode(&map, &m);
        j.way = ADD;
        break;
    case 25:
        printf("min of u64");
        m.type = 4;
        encode(&map, &m);
        j.way = MIN;
        break;
    case 26:
        printf("inc of u64");
        m.type = 4;
        encode(&map, &m);
        j.way = INC;
        break;
    case 27:
        printf("interleave 1 at 1");
        m.interleave = 1;
        encode(&map, &m);
        j.at[0] = 1;
        break;
    case 28:
        printf("interleave 1 at 4");
        m.interleave = 1;
        encode(&map, &m);
        j.at[0] = 4;
        break;
    case 29:
        printf("steps 2 of the first dimension");
        m.steps[0] = 2;
        encode(&map, &m);
        break;
    case 30:
        printf("min of f16");
        m.type = 6;
        m.box[0] = 8;
        encode(&map, &m);
        j.way = MIN;
        break;
    case 31:
        printf("max of f32.ftz");
        m.type = 10;
        encode(&map, &m);
        j.way = MAX;
        break;
    default:
        return;
    }
    unsigned over = 0;
    const CUresult e = launch(&map, &j, NULL, &over);
    printf(": %s%s\n", error_name(e), !e && !over ? ", not as many bytes" : "");
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    kernels = argc < 2 ? "" : argv[1];
    if (!start()) {
        printf("no device, or no kernels\n");
        return 1;
    }
    if (argc == 4 && !strcmp(argv[2], "fault")) {
        fault(atoi(argv[3]));
        return 0;
    }
    if (argc == 5)
        past = (int)strtol(argv[4], NULL, 10);
    with_model = argc == 3 && !strcmp(argv[2], "model");
    if ((argc == 3 || argc == 5) && !with_model && !(dump = fopen(argv[2], "ab")))
        return 1;
    refused(TILED);
    refused(IM2COL);
    refused_otherwise();
    simple();
    tiled();
    interleaved();
    im2col();
    reductions();
    changed();
    if (dump)
        fclose(dump);
    return differ != 0;
}
