/* texel_cases.cu - surfaces and textures of all shapes, by what a warp's lanes look at; and whole kernels with textures. Behind
 * tests/hw/h200/texel-cases.csv and texel-rates.csv:
 *
 *     nvcc -O3 -arch=sm_90 tests/hw/texel_cases.cu -o texel_cases
 *     ./texel_cases rates       op,shape,texel,filter,where,sms,warps,cycles: of an SM for a warp's access
 *     ./texel_cases chains      the same, each access of the only warp needs the one before
 *     ./texel_cases SET         for a profiler: launches, and a line of text for each: surfaces, more_surfaces, textures,
 *                               more_textures, kernels, few
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                                   \
        if (error != cudaSuccess) {                                                                                     \
            fprintf(stderr, "%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error));                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum shape { D1, D1L, D2, D2L, D3, CUBE, MIP, SHAPES };
static const char *const shape_names[] = {"1d", "1dl", "2d", "2dl", "3d", "cube", "mip"};
enum op { TEX, LOAD, STORE, UPDATE };
static const char *const op_names[] = {"tex", "suld", "sust", "update"};
enum where { ROW, COLUMN, TILE, SQUARE, STRIDE4, DEPTH, RANDOM, SAME, WHERES };
static const char *const where_names[] = {"row", "column", "tile8x4", "tile16x2", "stride4", "depth", "random", "same"};
enum filter { POINT, LINEAR1, LINEAR4 }; /* LINEAR1: exactly on a texel */
static const char *const filter_names[] = {"point", "linear1", "linear4"};

__device__ unsigned hash(unsigned x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* ---- texels ---- */

template <typename T> struct texel;
template <> struct texel<unsigned char> {
    typedef float fetched; /* normalized */
    static constexpr const char *name = "u8";
    static __device__ float sum(unsigned char v) { return v; }
    static __device__ unsigned char make(int k) { return k; }
};
template <> struct texel<unsigned short> {
    typedef float fetched;
    static constexpr const char *name = "u16";
    static __device__ float sum(unsigned short v) { return v; }
    static __device__ unsigned short make(int k) { return k; }
};
template <> struct texel<float> {
    typedef float fetched;
    static constexpr const char *name = "f32";
    static __device__ float sum(float v) { return v; }
    static __device__ float make(int k) { return k; }
};
template <> struct texel<float2> {
    typedef float2 fetched;
    static constexpr const char *name = "f32x2";
    static __device__ float sum(float2 v) { return v.x + v.y; }
    static __device__ float2 make(int k) { return make_float2(k, k); }
};
template <> struct texel<float4> {
    typedef float4 fetched;
    static constexpr const char *name = "f32x4";
    static __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
    static __device__ float4 make(int k) { return make_float4(k, k, k, k); }
};
__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

/* ---- places ---- */

struct size {
    int x, y, z; /* powers of two; z: slices, layers, faces */
};

/* Lane's of warp w, so that all warps look at each texel once (RANDOM: about once). */
__device__ int3 place(int where, int w, int lane, size s)
{
    const unsigned n = (unsigned)s.x * s.y * s.z;
    const int ax = s.x < 32 ? 1 : s.x / 32, ay = s.y < 32 ? 1 : s.y / 32;
    int3 p = make_int3(0, 0, 0);
    unsigned k;
    switch (where) {
    case ROW: p = make_int3(w % ax * 32 + lane, w / ax % s.y, w / ax / s.y); break;
    case COLUMN: p = make_int3(w / ay % s.x, w % ay * 32 + lane, w / ay / s.x); break;
    case TILE: k = s.x / 8; p = make_int3(w % k * 8 + lane % 8, w / k * 4 % s.y + lane / 8, w / k * 4 / s.y); break;
    case SQUARE: k = s.x / 16; p = make_int3(w % k * 16 + lane % 16, w / k * 2 % s.y + lane / 16, w / k * 2 / s.y); break;
    case STRIDE4:
        k = s.x < 128 ? 1 : s.x / 128;
        p = make_int3(w / 4 % k * 128 + lane * 4 + w % 4, w / 4 / k % s.y, w / 4 / k / s.y);
        break;
    case DEPTH: p = make_int3(w % s.x, w / s.x % s.y, w / s.x / s.y * 32 + lane); break;
    case RANDOM:
        k = hash(w * 32 + lane) % n;
        p = make_int3(k % s.x, k / s.x % s.y, k / s.x / s.y);
        break;
    default: p = make_int3(w % s.x, w / s.x % s.y, w / s.x / s.y); break;
    }
    p.x %= s.x; /* for the compiler and the short ones */
    p.y %= s.y;
    p.z %= s.z;
    return p;
}

/* ---- accesses ---- */

template <int SHAPE, typename T> __device__ float fetch(cudaTextureObject_t t, int3 p, float off, size s)
{
    typedef typename texel<T>::fetched V;
    const float x = p.x + off, y = p.y + off, z = p.z + off;
    if (SHAPE == D1)
        return sum_of(tex1D<V>(t, x));
    if (SHAPE == D1L)
        return sum_of(tex1DLayered<V>(t, x, p.z));
    if (SHAPE == D2)
        return sum_of(tex2D<V>(t, x, y));
    if (SHAPE == D2L)
        return sum_of(tex2DLayered<V>(t, x, y, p.z));
    if (SHAPE == D3)
        return sum_of(tex3D<V>(t, x, y, z));
    if (SHAPE == MIP)
        return sum_of(tex2DLod<V>(t, x / s.x, y / s.y, 0.0f));
    const float a = 2 * x / s.x - 1, b = 2 * y / s.y - 1, side = p.z & 1 ? -1 : 1;
    return sum_of(p.z < 2 ? texCubemap<V>(t, side, a, b) : p.z < 4 ? texCubemap<V>(t, a, side, b) : texCubemap<V>(t, a, b, side));
}

template <int SHAPE, typename T> __device__ T load(cudaSurfaceObject_t t, int3 p)
{
    const int x = p.x * (int)sizeof(T);
    if (SHAPE == D1)
        return surf1Dread<T>(t, x);
    if (SHAPE == D1L)
        return surf1DLayeredread<T>(t, x, p.z);
    if (SHAPE == D2 || SHAPE == MIP)
        return surf2Dread<T>(t, x, p.y);
    if (SHAPE == D3)
        return surf3Dread<T>(t, x, p.y, p.z);
    return surf2DLayeredread<T>(t, x, p.y, p.z);
}

template <int SHAPE, typename T> __device__ void store(cudaSurfaceObject_t t, int3 p, T v)
{
    const int x = p.x * (int)sizeof(T);
    if (SHAPE == D1)
        surf1Dwrite(v, t, x);
    else if (SHAPE == D1L)
        surf1DLayeredwrite(v, t, x, p.z);
    else if (SHAPE == D2 || SHAPE == MIP)
        surf2Dwrite(v, t, x, p.y);
    else if (SHAPE == D3)
        surf3Dwrite(v, t, x, p.y, p.z);
    else
        surf2DLayeredwrite(v, t, x, p.y, p.z);
}

/* Texels of whole images: each thread n. */
template <int SHAPE, typename T, int OP>
__global__ void c_image(cudaTextureObject_t t, size s, int where, float off, int n, float *out)
{
    const int lane = threadIdx.x, warps = gridDim.x * blockDim.y;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        const int w = blockIdx.x * blockDim.y + threadIdx.y + k * warps;
        const int3 p = place(where, w, lane, s);
        if (OP == TEX)
            sum += fetch<SHAPE, T>(t, p, off, s);
        else if (OP == LOAD)
            sum += texel<T>::sum(load<SHAPE, T>(t, p));
        else if (OP == STORE)
            store<SHAPE, T>(t, p, texel<T>::make(lane));
        else
            store<SHAPE, T>(t, p, texel<T>::make((int)texel<T>::sum(load<SHAPE, T>(t, p)) + 1));
    }
    if (sum == -1.5f)
        *out = sum;
}

/* Each warp of each SM n accesses to the same few places; CHAIN: each needs the one before. */
template <int SHAPE, typename T, int OP, bool CHAIN>
__global__ void rate(cudaTextureObject_t t, size s, int where, float off, int n, long long *cycles, float *out)
{
    enum { AHEAD = 8 };
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int3 at[AHEAD];
    float sum = 0;
    long long start = 0;
    for (int k = 0; k < AHEAD; k++)
        at[k] = place(where, (OP == STORE ? (blockIdx.x * blockDim.x / 32 + warp) * 8 : 0) + k, lane, s);
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock64();
        for (int k = 0; k < n; k += AHEAD) {
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                if (OP == STORE) {
                    store<SHAPE, T>(t, at[u], texel<T>::make(lane + k + warp));
                    continue;
                }
                const float v =
                    OP == TEX ? fetch<SHAPE, T>(t, at[u], off, s) : texel<T>::sum(load<SHAPE, T>(t, at[u]));
                at[CHAIN ? (u + 1) % AHEAD : u].x += __float2int_rz(v * 0); /* 0, which the compiler does not know */
                sum += v;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* ---- objects ---- */

struct object {
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture[2]; /* point, linear */
    size s;
};

static cudaTextureObject_t texture_of(const cudaResourceDesc &r, bool linear, bool floats, bool relative)
{
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = d.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = floats ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    d.normalizedCoords = relative;
    d.maxMipmapLevelClamp = relative ? 100 : 0;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static void fill(cudaArray_t array, cudaExtent e, int bytes)
{
    const size_t high = e.height ? e.height : 1, deep = e.depth ? e.depth : 1;
    static std::vector<unsigned> data;
    data.resize((e.width * high * deep * bytes + 3) / 4);
    unsigned x = 1;
    for (unsigned &d : data) {
        x = x * 1664525u + 1013904223u;
        d = bytes < 4 ? x ^ x >> 16 : (x >> 9 | 0x3f800000u); /* floats from 1 to 2 */
    }
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(data.data(), e.width * bytes, e.width, high);
    m.dstArray = array;
    m.extent = make_cudaExtent(e.width, high, deep);
    m.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&m));
}

template <typename T> static object make_object(int shape, size s)
{
    object o = {};
    cudaResourceDesc r = {};
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    const bool floats = sizeof(T) >= 4, relative = shape == MIP;
    const bool flat = shape == D1 || shape == D1L;
    const cudaExtent e = make_cudaExtent(s.x, flat ? 0 : s.y, shape == D1 || shape == D2 || shape == MIP ? 0 : s.z);
    const unsigned flags = cudaArraySurfaceLoadStore | (shape == D1L || shape == D2L ? cudaArrayLayered : 0) |
                           (shape == CUBE ? cudaArrayCubemap : 0);
    o.s = s;
    if (shape == MIP) {
        CHECK(cudaMallocMipmappedArray(&o.mipmap, &d, e, 5, flags));
        CHECK(cudaGetMipmappedArrayLevel(&o.array, o.mipmap, 0));
    } else {
        CHECK(cudaMalloc3DArray(&o.array, &d, e, flags));
    }
    fill(o.array, e, sizeof(T));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = o.array;
    CHECK(cudaCreateSurfaceObject(&o.surface, &r));
    if (shape == MIP) {
        r.resType = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = o.mipmap;
    }
    for (int linear = 0; linear < 2; linear++)
        o.texture[linear] = texture_of(r, linear, floats, relative);
    return o;
}

static void drop(object &o)
{
    CHECK(cudaDestroySurfaceObject(o.surface));
    for (int linear = 0; linear < 2; linear++)
        CHECK(cudaDestroyTextureObject(o.texture[linear]));
    if (o.mipmap)
        CHECK(cudaFreeMipmappedArray(o.mipmap));
    else
        CHECK(cudaFreeArray(o.array));
}

/* So many texels, or a little more. */
static size size_of(int shape, int side)
{
    switch (shape) {
    case D1: return {std::min(side * side, 32768), 1, 1};
    case D1L: return {4096, 1, side * side / 4096};
    case D2L: return {side / 4, side / 4, 16};
    case D3: return {side / 8, side / 8, 64};
    case CUBE: return {side / 2, side / 2, 6};
    default: return {side, side, 1};
    }
}

/* ---- images ---- */

static float *d_out;
static long long *d_cycles;
enum { SMS = 132, N = 64 };

static void told(const char *what, const char *shape, const char *texel, const char *filter, const char *where, int side, int each)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%s,%s,%s,%s,%d,%d\n", what, shape, texel, filter, where, side, each);
    fflush(stdout);
}

template <int SHAPE, typename T, int OP> static void image(int side, int where, int filter, int each)
{
    object o = make_object<T>(SHAPE, size_of(SHAPE, side));
    const int texels = o.s.x * o.s.y * o.s.z, warps = std::max(texels / 32, SHAPE == D1 ? 32768 : 0);
    const dim3 block(32, 8);
    const cudaTextureObject_t t = OP == TEX ? o.texture[filter != POINT] : o.surface;
    c_image<SHAPE, T, OP><<<warps / 8 / each, block>>>(t, o.s, where, filter == LINEAR4 ? 1.0f : 0.5f, each, d_out);
    told(op_names[OP], shape_names[SHAPE], texel<T>::name, OP == TEX ? filter_names[filter] : "-", where_names[where], side, each);
    drop(o);
}

static void few(void)
{
    const int s = 256;
    image<D2, unsigned char, STORE>(s, ROW, POINT, 1);
    image<D2, unsigned char, STORE>(s, TILE, POINT, 1);
    image<D2, float, STORE>(s, ROW, POINT, 1);
    image<D2, float, STORE>(s, COLUMN, POINT, 1);
    image<D2, float4, STORE>(s, ROW, POINT, 4);
    image<D3, float, STORE>(s, ROW, POINT, 1);
    image<D2, float, LOAD>(s, COLUMN, POINT, 1);
    image<D2, float, UPDATE>(s, ROW, POINT, 1);
    image<D2L, float, TEX>(s, ROW, POINT, 1);
    image<D2L, float, TEX>(s, ROW, LINEAR4, 1);
    image<D3, float, TEX>(s, TILE, LINEAR4, 1);
    image<CUBE, float, TEX>(s, ROW, POINT, 1);
    image<MIP, float, TEX>(s, ROW, LINEAR4, 1);
    image<D1L, float, TEX>(s, ROW, POINT, 1);
}

template <int SHAPE, typename T> static void stores_of(int side, bool all)
{
    for (int where : {ROW, COLUMN, TILE, RANDOM, STRIDE4, DEPTH, SQUARE}) {
        const bool flat = SHAPE == D1 || SHAPE == D1L;
        if ((where == DEPTH && SHAPE != D3) || (flat && (where == COLUMN || where == TILE || where == SQUARE)))
            continue;
        image<SHAPE, T, STORE>(side, where, POINT, 1);
        if (all || where == ROW || where == COLUMN)
            image<SHAPE, T, LOAD>(side, where, POINT, 1);
        if (where == ROW || where == TILE)
            image<SHAPE, T, UPDATE>(side, where, POINT, 1);
    }
    if (all) {
        image<SHAPE, T, STORE>(side, ROW, POINT, 4);
        image<SHAPE, T, LOAD>(side, ROW, POINT, 4);
        image<SHAPE, T, STORE>(side, COLUMN, POINT, 4);
    }
}

static void surfaces(void)
{
    stores_of<D2, unsigned char>(1024, true);
    stores_of<D2, float>(1024, true);
    stores_of<D2, float4>(1024, true);
    stores_of<D2, unsigned short>(1024, false);
    stores_of<D2, float2>(1024, false);
}

static void more_surfaces(void)
{
    stores_of<D3, float>(1024, true);
    stores_of<D3, float4>(1024, false);
    stores_of<D3, unsigned char>(1024, false);
    stores_of<D2L, float>(1024, false);
    stores_of<CUBE, float>(1024, false);
    stores_of<D1, float>(1024, false);
    stores_of<D1L, float4>(1024, false);
    stores_of<D2, float>(2048, false);
    for (int where : {ROW, COLUMN, TILE})
        image<D2, float4, STORE>(2048, where, POINT, 1);
}

template <int SHAPE, typename T> static void fetches_of(int side, bool all)
{
    for (int where : {ROW, COLUMN, TILE, RANDOM, STRIDE4, DEPTH})
        for (int filter : {POINT, LINEAR4}) {
            const bool flat = SHAPE == D1 || SHAPE == D1L;
            if ((where == DEPTH && SHAPE != D3) || (flat && (where == COLUMN || where == TILE)))
                continue;
            if (all || where == ROW || where == RANDOM)
                image<SHAPE, T, TEX>(side, where, filter, 1);
        }
    if (all)
        image<SHAPE, T, TEX>(side, ROW, LINEAR4, 4);
}

static void textures(void)
{
    fetches_of<D2, float>(1024, true);
    fetches_of<D2L, float>(1024, true);
    fetches_of<D3, float>(1024, true);
    fetches_of<D1, float>(1024, true);
    fetches_of<D1L, float>(1024, true);
    fetches_of<CUBE, float>(1024, true);
    fetches_of<MIP, float>(1024, true);
}

static void more_textures(void)
{
    fetches_of<D2, unsigned char>(1024, true);
    fetches_of<D2, unsigned short>(1024, false);
    fetches_of<D2, float2>(1024, true);
    fetches_of<D2, float4>(1024, true);
    fetches_of<D2L, unsigned char>(1024, false);
    fetches_of<D2L, float4>(1024, false);
    fetches_of<D3, unsigned char>(1024, true);
    fetches_of<D3, float4>(1024, false);
    fetches_of<D2L, float>(2048, false);
    fetches_of<D3, float>(2048, false);
    fetches_of<CUBE, float>(2048, false);
}

/* ---- rates and chains ---- */

template <int SHAPE, typename T, int OP, bool CHAIN> static void rate_of(int where, int filter, int sms, int warps)
{
    const int side = sizeof(T) > 4 ? 32 : 64;
    static object o;
    if (!o.array) {
        const size s = SHAPE == D1    ? size{1024, 1, 1}
                       : SHAPE == D1L ? size{1024, 1, 16}
                       : SHAPE == D3  ? size{64, 64, 64}
                       : SHAPE == CUBE ? size{64, 64, 6}
                       : SHAPE == D2L ? size{64, 64, 16}
                                      : size{256, OP == TEX ? 64 : 8192, 1};
        o = make_object<T>(SHAPE, s);
    }
    size s = o.s;
    if (OP == TEX && where == RANDOM) { /* what L1 holds */
        s.x = SHAPE == D1 || SHAPE == D1L ? 1024 : side;
        s.y = s.y > 1 ? side : 1;
        s.z = 1;
    }
    const cudaTextureObject_t t = OP == TEX ? o.texture[filter != POINT] : o.surface;
    std::vector<long long> c(sms);
    rate<SHAPE, T, OP, CHAIN><<<sms, warps * 32>>>(t, s, where, filter == LINEAR4 ? 1.0f : 0.5f, N, d_cycles, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), d_cycles, sms * sizeof c[0], cudaMemcpyDeviceToHost));
    std::sort(c.begin(), c.end());
    printf("%s,%s,%s,%s,%s,%d,%d,%.2f\n", op_names[OP], shape_names[SHAPE], texel<T>::name, OP == TEX ? filter_names[filter] : "-",
           where_names[where], sms, CHAIN ? 0 : warps, c[sms / 2] / (double)N / warps);
    fflush(stdout);
}

template <int SHAPE, typename T, bool CHAIN> static void fetch_rates(void)
{
    const bool flat = SHAPE == D1 || SHAPE == D1L;
    for (int filter : {POINT, LINEAR1, LINEAR4})
        for (int where : {SAME, ROW, TILE, COLUMN, STRIDE4, DEPTH, RANDOM})
            if ((where != DEPTH || SHAPE == D3) && (!flat || (where != TILE && where != COLUMN)))
                rate_of<SHAPE, T, TEX, CHAIN>(where, filter, 1, CHAIN ? 1 : 32);
}

template <int SHAPE, typename T, bool CHAIN> static void surface_rates(void)
{
    const bool flat = SHAPE == D1 || SHAPE == D1L;
    for (int where : {SAME, ROW, TILE, SQUARE, COLUMN, STRIDE4, DEPTH, RANDOM}) {
        if ((where == DEPTH && SHAPE != D3) || (flat && (where == TILE || where == SQUARE || where == COLUMN)))
            continue;
        rate_of<SHAPE, T, LOAD, CHAIN>(where, POINT, 1, CHAIN ? 1 : 32);
        if (CHAIN)
            continue;
        rate_of<SHAPE, T, STORE, false>(where, POINT, 1, 32);
        if (SHAPE == D2)
            rate_of<SHAPE, T, STORE, false>(where, POINT, SMS, 32);
        if (SHAPE == D2)
            rate_of<SHAPE, T, STORE, false>(where, POINT, 1, 4);
    }
}

template <bool CHAIN> static void rates(void)
{
    fetch_rates<D1, float, CHAIN>();
    fetch_rates<D1L, float, CHAIN>();
    fetch_rates<D2, float, CHAIN>();
    fetch_rates<D2L, float, CHAIN>();
    fetch_rates<D3, float, CHAIN>();
    fetch_rates<CUBE, float, CHAIN>();
    fetch_rates<MIP, float, CHAIN>();
    fetch_rates<D2, unsigned char, CHAIN>();
    fetch_rates<D2, unsigned short, CHAIN>();
    fetch_rates<D2, float2, CHAIN>();
    fetch_rates<D2, float4, CHAIN>();
    fetch_rates<D3, unsigned char, CHAIN>();
    surface_rates<D2, unsigned char, CHAIN>();
    surface_rates<D2, unsigned short, CHAIN>();
    surface_rates<D2, float, CHAIN>();
    surface_rates<D2, float2, CHAIN>();
    surface_rates<D2, float4, CHAIN>();
    surface_rates<D3, float, CHAIN>();
    surface_rates<D2L, float, CHAIN>();
    surface_rates<D1, float, CHAIN>();
}

/* ---- kernels as people write them ---- */

#define XY const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

__global__ void k_rotate(cudaTextureObject_t t, float *out, int side, float c, float s)
{
    XY;
    const float u = x - side / 2 + 0.5f, v = y - side / 2 + 0.5f;
    out[y * side + x] = tex2D<float>(t, u * c - v * s + side / 2, v * c + u * s + side / 2);
}

__global__ void k_resize(cudaTextureObject_t t, uchar4 *out, int side, float scale)
{
    XY;
    const float4 v = tex2D<float4>(t, (x + 0.5f) * scale, (y + 0.5f) * scale);
    out[y * side + x] = make_uchar4(v.x * 255, v.y * 255, v.z * 255, v.w * 255);
}

__global__ void k_box(cudaTextureObject_t t, float *out, int side)
{
    XY;
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += tex2D<float>(t, x + dx + 0.5f, y + dy + 0.5f);
    out[y * side + x] = sum / 25;
}

__global__ void k_table(cudaTextureObject_t t, const float *in, float *out, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        out[k] = tex1D<float>(t, (in[k] - 1) * 255 + 0.5f);
}

__global__ void k_fetch_table(cudaTextureObject_t t, const unsigned *in, float *out, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    float sum = 0;
    unsigned at = in[k];
    for (int step = 0; step < 4; step++, at = at * 5 + 1)
        sum += tex1Dfetch<float>(t, at >> 20);
    out[k] = sum;
}

__global__ void k_march(cudaTextureObject_t t, float *out, int side, int steps, float tilt)
{
    XY;
    float light = 1, sum = 0;
    for (int k = 0; k < steps; k++) {
        const float v = tex3D<float>(t, x * 0.5f + k * tilt, y * 0.5f + k * tilt, k + 0.5f);
        sum += light * v;
        light *= 1 - v * 0.01f;
    }
    out[y * side + x] = sum;
}

__global__ void k_layers(cudaTextureObject_t t, float *out, int side, int layers)
{
    XY;
    for (int l = 0; l < layers; l++) {
        float sum = 0;
        for (int dl = -1; dl <= 1; dl++)
            for (int d = -1; d <= 1; d++)
                sum += tex2DLayered<float>(t, x + d + 0.5f, y + 0.5f, l + dl) + tex2DLayered<float>(t, x + 0.5f, y + d + 0.5f, l + dl);
        out[(l * side + y) * side + x] = sum / 18;
    }
}

__global__ void k_average_layers(cudaTextureObject_t t, float *out, int side, int layers)
{
    XY;
    float sum = 0;
    for (int l = 0; l < layers; l++)
        sum += tex2DLayered<float>(t, x + 0.5f, y + 0.5f, l);
    out[y * side + x] = sum / layers;
}

__global__ void k_smaller(cudaTextureObject_t t, cudaSurfaceObject_t s, int side)
{
    XY;
    const float v = tex2DLod<float>(t, (x + 0.5f) / side, (y + 0.5f) / side, 0.0f);
    surf2Dwrite(v, s, x * 4, y);
}

__global__ void k_turn(cudaTextureObject_t t, cudaSurfaceObject_t s, int side)
{
    XY;
    surf2Dwrite(tex2D<float>(t, x + 0.5f, y + 0.5f), s, (side - 1 - y) * 4, x);
}

__global__ void k_sobel(cudaTextureObject_t t, cudaSurfaceObject_t s, int side)
{
    XY;
    float h = 0, v = 0;
#pragma unroll
    for (int d = -1; d <= 1; d++) {
        const float w = d ? 1 : 2;
        h += w * (tex2D<float>(t, x + 1.5f, y + d + 0.5f) - tex2D<float>(t, x - 0.5f, y + d + 0.5f));
        v += w * (tex2D<float>(t, x + d + 0.5f, y + 1.5f) - tex2D<float>(t, x + d + 0.5f, y - 0.5f));
    }
    surf2Dwrite<unsigned char>(fminf(255, 255 * (fabsf(h) + fabsf(v))), s, x, y);
}

__global__ void k_polar(cudaTextureObject_t t, float *out, int side)
{
    XY;
    const float angle = x * (6.2831853f / side), radius = y * 0.5f;
    out[y * side + x] = tex2D<float>(t, side / 2 + radius * __cosf(angle), side / 2 + radius * __sinf(angle));
}

__global__ void k_product(cudaTextureObject_t a, cudaTextureObject_t b, float *out, int side, int n)
{
    XY;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += tex2D<float>(a, k + 0.5f, y + 0.5f) * tex2D<float>(b, x + 0.5f, k + 0.5f);
    out[y * side + x] = sum;
}

__global__ void k_columns(cudaTextureObject_t t, float *out, int side)
{
    XY;
    float sum = 0;
#pragma unroll
    for (int d = -8; d <= 8; d++)
        sum += tex2D<float>(t, x + 0.5f, y + d + 0.5f) * (9 - abs(d));
    out[y * side + x] = sum;
}

__global__ void k_bicubic(cudaTextureObject_t t, float *out, int side, float scale)
{
    XY;
    const float u = x * scale + 0.3f, v = y * scale + 0.3f, fx = u - floorf(u), fy = v - floorf(v);
    const float a = tex2D<float>(t, u - 0.7f, v - 0.7f), b = tex2D<float>(t, u + 1.2f, v - 0.7f);
    const float c = tex2D<float>(t, u - 0.7f, v + 1.2f), d = tex2D<float>(t, u + 1.2f, v + 1.2f);
    out[y * side + x] = (a * (1 - fx) + b * fx) * (1 - fy) + (c * (1 - fx) + d * fx) * fy;
}

__global__ void k_heat(cudaTextureObject_t t, float *out, int side)
{
    XY;
    const int at = y * side + x, left = x ? at - 1 : at, right = x < side - 1 ? at + 1 : at;
    const int up = y ? at - side : at, down = y < side - 1 ? at + side : at;
    const float c = tex1Dfetch<float>(t, at);
    out[at] = c + 0.25f * (tex1Dfetch<float>(t, left) + tex1Dfetch<float>(t, right) + tex1Dfetch<float>(t, up) +
                           tex1Dfetch<float>(t, down) - 4 * c);
}

__global__ void k_volume(cudaTextureObject_t t, cudaSurfaceObject_t s)
{
    XY;
    const int z = blockIdx.z;
    const float v = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f) + tex3D<float>(t, x - 0.5f, y + 0.5f, z + 0.5f) +
                    tex3D<float>(t, x + 1.5f, y + 0.5f, z + 0.5f) + tex3D<float>(t, x + 0.5f, y - 0.5f, z + 0.5f) +
                    tex3D<float>(t, x + 0.5f, y + 1.5f, z + 0.5f) + tex3D<float>(t, x + 0.5f, y + 0.5f, z - 0.5f) +
                    tex3D<float>(t, x + 0.5f, y + 0.5f, z + 1.5f);
    surf3Dwrite(v / 7, s, x * 4, y, z);
}

__global__ void k_brighter(cudaSurfaceObject_t s)
{
    XY;
    uchar4 v = surf2Dread<uchar4>(s, x * 4, y);
    v.x = min(v.x + 16, 255), v.y = min(v.y + 16, 255), v.z = min(v.z + 16, 255);
    surf2Dwrite(v, s, x * 4, y);
}

template <> struct texel<uchar4> {
    static constexpr const char *name = "u8x4";
};

static cudaTextureObject_t linear_texture(float **data, int n)
{
    cudaResourceDesc r = {};
    std::vector<float> host(n);
    for (int k = 0; k < n; k++)
        host[k] = 1 + k * 7919 % 1000 / 1000.0f;
    CHECK(cudaMalloc(data, n * sizeof(float)));
    CHECK(cudaMemcpy(*data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {*data, cudaCreateChannelDesc<float>(), n * sizeof(float)};
    return texture_of(r, false, true, false);
}

static object make_colours(int side)
{
    object o = {};
    cudaResourceDesc r = {};
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMallocArray(&o.array, &d, side, side, cudaArraySurfaceLoadStore));
    fill(o.array, make_cudaExtent(side, side, 0), 4);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = o.array;
    CHECK(cudaCreateSurfaceObject(&o.surface, &r));
    for (int linear = 0; linear < 2; linear++)
        o.texture[linear] = texture_of(r, linear, false, false);
    return o;
}

#define TOLD(name) told(name, "-", "-", "-", "-", side, 1)

static void kernels(int side)
{
    const dim3 block(16, 16), grid(side / 16, side / 16), flat(32, 8), rows(side / 32, side / 8);
    const int n = side * side;
    object image = make_object<float>(D2, {side, side, 1}), other = make_object<float>(D2, {side, side, 1});
    object bytes = make_object<unsigned char>(D2, {side, side, 1}), bytes_out = make_object<unsigned char>(D2, {side, side, 1});
    object colours = make_colours(side), colours2 = make_colours(2 * side);
    object table = make_object<float>(D1, {256, 1, 1});
    object volume = make_object<unsigned char>(D3, {128, 128, 128}), floats = make_object<float>(D3, {128, 128, 64});
    object floats_out = make_object<float>(D3, {128, 128, 64});
    object layers = make_object<float>(D2L, {side / 2, side / 2, 8});
    object levels = make_object<float>(MIP, {side, side, 1});
    float *words, *small, *out;
    const cudaTextureObject_t lines = linear_texture(&words, n), little = linear_texture(&small, 4096);
    CHECK(cudaMalloc(&out, (size_t)n * 16));
    k_rotate<<<grid, block>>>(image.texture[1], out, side, 0.8660254f, 0.5f), TOLD("rotate");
    k_rotate<<<rows, flat>>>(image.texture[1], out, side, 0.7071068f, 0.7071068f), TOLD("rotate_rows");
    k_resize<<<grid, block>>>(colours2.texture[1], (uchar4 *)out, side, 2.0f), TOLD("half");
    k_resize<<<rows, flat>>>(colours.texture[1], (uchar4 *)out, side, 0.6f), TOLD("larger");
    k_box<<<grid, block>>>(image.texture[0], out, side), TOLD("box");
    k_box<<<rows, flat>>>(bytes.texture[0], out, side), TOLD("box_bytes");
    k_table<<<n / 256, 256>>>(table.texture[1], words, out, n), TOLD("table");
    k_table<<<n / 256, 256>>>(table.texture[0], words, out, n), TOLD("table_point");
    k_fetch_table<<<n / 256, 256>>>(little, (unsigned *)words, out, n), TOLD("fetch_table");
    k_heat<<<rows, flat>>>(lines, out, side), TOLD("heat");
    k_march<<<dim3(16, 16), block>>>(volume.texture[1], out, 256, 128, 0.0f), TOLD("march");
    k_march<<<dim3(16, 16), block>>>(volume.texture[1], out, 256, 128, 0.4f), TOLD("march_tilted");
    k_layers<<<dim3(side / 32, side / 32), block>>>(layers.texture[0], out, side / 2, 8), TOLD("layers");
    k_average_layers<<<dim3(side / 64, side / 16), flat>>>(layers.texture[0], out, side / 2, 8), TOLD("average_layers");
    cudaArray_t half;
    cudaResourceDesc r = {};
    cudaSurfaceObject_t half_out;
    CHECK(cudaGetMipmappedArrayLevel(&half, levels.mipmap, 1));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = half;
    CHECK(cudaCreateSurfaceObject(&half_out, &r));
    k_smaller<<<dim3(side / 32, side / 32), block>>>(levels.texture[1], half_out, side / 2), TOLD("smaller");
    k_turn<<<grid, block>>>(image.texture[0], other.surface, side), TOLD("turn");
    k_turn<<<rows, flat>>>(image.texture[0], other.surface, side), TOLD("turn_rows");
    k_sobel<<<grid, block>>>(bytes.texture[0], bytes_out.surface, side), TOLD("sobel");
    k_sobel<<<rows, flat>>>(bytes.texture[0], bytes_out.surface, side), TOLD("sobel_rows");
    k_polar<<<grid, block>>>(image.texture[1], out, side), TOLD("polar");
    k_product<<<dim3(side / 64, side / 64), block>>>(image.texture[0], other.texture[0], out, side / 4, 256), TOLD("product");
    k_columns<<<grid, block>>>(image.texture[0], out, side), TOLD("columns");
    k_columns<<<rows, flat>>>(image.texture[0], out, side), TOLD("columns_rows");
    k_bicubic<<<grid, block>>>(image.texture[1], out, side, 0.7f), TOLD("bicubic");
    k_volume<<<dim3(8, 8, 64), block>>>(floats.texture[0], floats_out.surface), TOLD("volume");
    k_volume<<<dim3(4, 16, 64), flat>>>(floats.texture[0], floats_out.surface), TOLD("volume_rows");
    k_brighter<<<grid, block>>>(colours.surface), TOLD("brighter");
    k_brighter<<<rows, flat>>>(colours2.surface), TOLD("brighter_rows");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "few";
    CHECK(cudaMalloc(&d_cycles, SMS * sizeof *d_cycles));
    CHECK(cudaMalloc(&d_out, SMS * 1024 * sizeof *d_out));
    if (!strcmp(what, "rates"))
        rates<false>();
    else if (!strcmp(what, "chains"))
        rates<true>();
    else if (!strcmp(what, "surfaces"))
        surfaces();
    else if (!strcmp(what, "more_surfaces"))
        more_surfaces();
    else if (!strcmp(what, "textures"))
        textures();
    else if (!strcmp(what, "more_textures"))
        more_textures();
    else if (!strcmp(what, "kernels"))
        kernels(1024);
    else
        few();
    return 0;
}
