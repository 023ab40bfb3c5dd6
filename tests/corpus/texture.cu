/* texture.cu - textures and surfaces against plain loads: gathers, rotation with a filter, box blur, layers, volumes, surfaces.
 * Fetches are written as PTX, so that no header of the toolkit is needed. Textures take coordinates in texels; the middle of
 * texel (i, j) is at (i + 0.5, j + 0.5). A GPU's filter weighs with 8 bits of fraction: the checks allow for that.
 */
#include "corpus.h"

typedef unsigned long long object; /* what cudaTextureObject_t and cudaSurfaceObject_t are */

static __device__ __forceinline__ float fetch1(object texture, int x)
{
    float4 v;
    asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(texture), "r"(x));
    return v.x;
}

static __device__ __forceinline__ float fetch2(object texture, float x, float y)
{
    float4 v;
    asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(texture), "f"(x), "f"(y));
    return v.x;
}

static __device__ __forceinline__ float fetch_layer(object texture, int layer, float x, float y)
{
    float4 v;
    asm("tex.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(texture), "r"(layer), "f"(x), "f"(y));
    return v.x;
}

static __device__ __forceinline__ float fetch3(object texture, float x, float y, float z)
{
    float4 v;
    asm("tex.3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(texture), "f"(x), "f"(y), "f"(z));
    return v.x;
}

static __device__ __forceinline__ void store2(object surface, int x, int y, float v)
{
    asm volatile("sust.b.2d.b32.clamp [%0, {%1, %2}], {%3};" : : "l"(surface), "r"(x * 4), "r"(y), "f"(v) : "memory");
}

static __host__ __device__ int inside(int k, int n) { return k < 0 ? 0 : k >= n ? n - 1 : k; }

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);
    for (size_t k = 0; k < n; k++)
        a[k] = random_float();
    return a;
}

/* An array of floats with a copy of `data`, or of zeros. Flags: cudaArrayLayered and the like. */
static cudaArray_t array_of(const float *data, struct cudaExtent extent, unsigned flags)
{
    cudaArray_t array;
    const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    struct cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr.ptr = (void *)data;
    copy.srcPtr.pitch = extent.width * sizeof(float);
    copy.srcPtr.xsize = extent.width;
    copy.srcPtr.ysize = extent.height;
    copy.dstArray = array;
    copy.extent = extent;
    copy.extent.depth = extent.depth ? extent.depth : 1;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static struct cudaExtent extent_of(int width, int height, int depth)
{
    const struct cudaExtent extent = {(size_t)width, (size_t)height, (size_t)depth};
    return extent;
}

static object texture_of(cudaArray_t array, bool filtered)
{
    cudaTextureObject_t texture;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.filterMode = filtered ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

static object linear_texture_of(float *data, size_t n)
{
    cudaTextureObject_t texture;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.sizeInBytes = n * sizeof(float);
    resource.res.linear.desc.x = 32;
    resource.res.linear.desc.f = cudaChannelFormatKindFloat;
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

/* ---- gather: out[k] = the sum of 4 values at random places ---- */

enum { PLACES = 4 };

/* Fetches from a linear texture: bound by the texture unit's sectors, 32 a request. */
__global__ void gather_texture(object texture, const float *, const int *place, float *out, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int p = 0; p < PLACES; p++)
        sum += fetch1(texture, place[(size_t)p * n + k]);
    out[k] = sum;
}

/* The same by loads: bound by sectors in L1 and L2. */
__global__ void gather_loads(object, const float *data, const int *place, float *out, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int p = 0; p < PLACES; p++)
        sum += data[place[(size_t)p * n + k]];
    out[k] = sum;
}

static void gather_case(int size, void (*kernel)(object, const float *, const int *, float *, int))
{
    const int n = size == 0 ? 1 << 14 : size == 1 ? 1 << 20 : 1 << 22;
    const size_t m = size == 0 ? 1 << 18 : size == 1 ? 1 << 22 : 1 << 26;
    float *data = random_floats(m), *dd = to_device(data, m), *out = device_zeros<float>((size_t)n);
    int *place = host_array<int>((size_t)n * PLACES);
    for (size_t k = 0; k < (size_t)n * PLACES; k++)
        place[k] = (int)random_below((uint32_t)m);
    int *dp = to_device(place, (size_t)n * PLACES);
    const object texture = linear_texture_of(dd, m);
    LAUNCH(kernel<<<blocks_for(n, 256), 256>>>(texture, dd, dp, out, n));
    const float *got = to_host(out, (size_t)n);
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int p = 0; p < PLACES; p++)
            sum += data[place[(size_t)p * n + k]];
        EXPECT(close_to(got[k], sum, 1e-5), "element %d: %g, not %g", k, got[k], sum);
    }
    CHECK(cudaDestroyTextureObject(texture));
}

static void run_gather_texture(int size) { gather_case(size, gather_texture); }
static void run_gather_loads(int size) { gather_case(size, gather_loads); }

/* ---- rotation by 30 degrees, and box blur, of a picture ---- */

static const int sides[3] = {384, 2048, 6144};

static __host__ __device__ float2 turned(int x, int y, int side)
{
    const float u = (float)x + 0.5f - 0.5f * (float)side, v = (float)y + 0.5f - 0.5f * (float)side;
    float2 r;
    r.x = 0.8660254f * u + 0.5f * v + 0.5f * (float)side;
    r.y = 0.8660254f * v - 0.5f * u + 0.5f * (float)side;
    return r;
}

/* Bilinear by the texture's filter: one fetch a pixel, bound by the texture unit's rate. */
__global__ void rotate_texture(object texture, const float *, float *out, int side)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const float2 at = turned(x, y, side);
    out[(size_t)y * side + x] = fetch2(texture, at.x, at.y);
}

static __host__ __device__ float bilinear(const float *in, float2 at, int side)
{
    const float fx = floorf(at.x - 0.5f), fy = floorf(at.y - 0.5f), ax = at.x - 0.5f - fx, ay = at.y - 0.5f - fy;
    const int l = inside((int)fx, side), r = inside((int)fx + 1, side);
    const float *above = in + (size_t)inside((int)fy, side) * side,
                *below = in + (size_t)inside((int)fy + 1, side) * side;
    const float top = above[l] + ax * (above[r] - above[l]), bottom = below[l] + ax * (below[r] - below[l]);
    return top + ay * (bottom - top);
}

/* Bilinear by four loads a pixel: bound by their sectors. */
__global__ void rotate_loads(object, const float *in, float *out, int side)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    out[(size_t)y * side + x] = bilinear(in, turned(x, y, side), side);
}

enum { BOX = 2 };

/* The mean of 5x5 by 25 point fetches: bound by the texture unit's rate. */
__global__ void box_texture(object texture, const float *, float *out, int side)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0;
#pragma unroll
    for (int dy = -BOX; dy <= BOX; dy++)
#pragma unroll
        for (int dx = -BOX; dx <= BOX; dx++)
            sum += fetch2(texture, (float)(x + dx) + 0.5f, (float)(y + dy) + 0.5f);
    out[(size_t)y * side + x] = sum * (1.0f / 25);
}

/* The mean of 5x5 by 25 loads: bound by requests to L1. */
__global__ void box_loads(object, const float *in, float *out, int side)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0;
#pragma unroll
    for (int dy = -BOX; dy <= BOX; dy++)
#pragma unroll
        for (int dx = -BOX; dx <= BOX; dx++)
            sum += in[(size_t)inside(y + dy, side) * side + inside(x + dx, side)];
    out[(size_t)y * side + x] = sum * (1.0f / 25);
}

static float box_on_host(const float *in, int x, int y, int side)
{
    float sum = 0;
    for (int e = 0; e < 25; e++)
        sum += in[(size_t)inside(y + e / 5 - BOX, side) * side + inside(x + e % 5 - BOX, side)];
    return sum / 25;
}

static void picture_case(int side, void (*kernel)(object, const float *, float *, int), dim3 block, bool rotation)
{
    const size_t n = (size_t)side * side;
    float *in = random_floats(n), *di = to_device(in, n), *out = device_zeros<float>(n);
    cudaArray_t array = array_of(in, extent_of(side, side, 0), cudaArrayDefault);
    const object texture = texture_of(array, rotation);
    LAUNCH(kernel<<<dim3(side / block.x, side / block.y), block>>>(texture, di, out, side));
    const float *got = to_host(out, n);
    for (size_t k = 0; k < n; k += 1 + n / 20000) {
        const int x = (int)(k % side), y = (int)(k / side);
        const float want = rotation ? bilinear(in, turned(x, y, side), side) : box_on_host(in, x, y, side);
        EXPECT(fabsf(got[k] - want) < (rotation ? 1e-2f : 1e-5f), "pixel %d %d: %g, not %g", x, y, got[k], want);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

static void run_rotate_texture(int size) { picture_case(sides[size], rotate_texture, dim3(16, 16), true); }
static void run_rotate_loads(int size) { picture_case(sides[size], rotate_loads, dim3(16, 16), true); }
static void run_box_texture(int size) { picture_case(sides[size] / 2, box_texture, dim3(32, 4), false); }
static void run_box_loads(int size) { picture_case(sides[size] / 2, box_loads, dim3(32, 4), false); }

/* ---- layers, a volume, a surface ---- */

enum { LAYERS = 8 };

/* The greatest value of 8 layers, filtered, at places a little apart: bound by the texture unit's rate and DRAM. */
__global__ void layers_texture(object texture, float *out, int side)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float most = 0;
#pragma unroll
    for (int layer = 0; layer < LAYERS; layer++)
        most = fmaxf(most, fetch_layer(texture, layer, (float)x + 0.75f, (float)y + 0.5f));
    out[(size_t)y * side + x] = most;
}

static void run_layers_texture(int size)
{
    const int side = sides[size] / 2;
    const size_t n = (size_t)side * side;
    float *in = random_floats(n * LAYERS), *out = device_zeros<float>(n);
    cudaArray_t array = array_of(in, extent_of(side, side, LAYERS), cudaArrayLayered);
    const object texture = texture_of(array, true);
    LAUNCH(layers_texture<<<dim3(side / 64, side / 8), dim3(64, 8)>>>(texture, out, side));
    const float *got = to_host(out, n);
    for (size_t k = 0; k < n; k += 1 + n / 20000) {
        const int x = (int)(k % side), right = inside(x + 1, side) - x;
        float most = 0;
        for (int layer = 0; layer < LAYERS; layer++) {
            const float *p = in + (size_t)layer * n + k;
            const float v = 0.75f * p[0] + 0.25f * p[right];
            most = v > most ? v : most;
        }
        EXPECT(fabsf(got[k] - most) < 1e-2f, "pixel %zu: %g, not %g", k, got[k], most);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

enum { RAY = 96 };

static __host__ __device__ float3 ray_at(int x, int y, int step)
{
    float3 p;
    p.x = (float)x * 0.25f + (float)step * 0.125f + 0.5f;
    p.y = (float)y * 0.25f + (float)step * 0.25f + 0.5f;
    p.z = (float)step * 0.5f + 0.5f;
    return p;
}

/* A thread a ray, up to 96 trilinear fetches until enough is seen: bound by the texture unit and by unequal rays. */
__global__ void volume_texture(object texture, float *out, int width)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float seen = 0;
    for (int step = 0; step < RAY && seen < 8.0f; step++) {
        const float3 p = ray_at(x, y, step);
        seen += fetch3(texture, p.x, p.y, p.z);
    }
    out[y * width + x] = seen;
}

static void run_volume_texture(int size)
{
    const int width = size == 0 ? 96 : size == 1 ? 384 : 768, side = 192, depth = 64;
    const size_t n = (size_t)side * side * depth;
    float *in = random_floats(n), *out = device_zeros<float>((size_t)width * width);
    for (size_t k = 0; k < n; k++) /* whole parts of the volume are thin */
        in[k] = ((k / 32 ^ k / side / 32) & 1 ? 0.5f : 0.05f) + 0.001f * in[k];
    cudaArray_t array = array_of(in, extent_of(side, side, depth), cudaArrayDefault);
    const object texture = texture_of(array, true);
    LAUNCH(volume_texture<<<dim3(width / 8, width / 8), dim3(8, 8)>>>(texture, out, width));
    const float *got = to_host(out, (size_t)width * width);
    for (int k = 0; k < width * width; k += 1 + width * width / 5000) {
        float seen = 0;
        for (int step = 0; step < RAY && seen < 8.0f; step++) {
            const float3 p = ray_at(k % width, k / width, step);
            const float x = floorf(p.x - 0.5f), y = floorf(p.y - 0.5f), z = floorf(p.z - 0.5f);
            for (int e = 0; e < 8; e++)
                seen +=
                    (e & 1 ? p.x - 0.5f - x : 1.5f + x - p.x) * (e & 2 ? p.y - 0.5f - y : 1.5f + y - p.y) *
                    (e & 4 ? p.z - 0.5f - z : 1.5f + z - p.z) *
                    in[((size_t)inside((int)z + (e >> 2), depth) * side + inside((int)y + (e >> 1 & 1), side)) * side +
                       inside((int)x + (e & 1), side)];
        }
        EXPECT(fabsf(got[k] - seen) < 0.55f, "ray %d: %g, not %g", k, got[k], seen); /* one step more or less */
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

/* A picture's transpose from a texture to a surface: bound by the surface's stores, rows apart. */
__global__ void transpose_surface(object texture, object surface)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    store2(surface, y, x, fetch2(texture, (float)x + 0.5f, (float)y + 0.5f));
}

static void run_transpose_surface(int size)
{
    const int side = sides[size];
    const size_t n = (size_t)side * side;
    float *in = random_floats(n), *got = host_array<float>(n);
    cudaArray_t from = array_of(in, extent_of(side, side, 0), cudaArrayDefault);
    cudaArray_t to = array_of(got, extent_of(side, side, 0), cudaArraySurfaceLoadStore);
    const object texture = texture_of(from, false);
    cudaSurfaceObject_t surface;
    struct cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = to;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    LAUNCH(transpose_surface<<<dim3(side / 32, side / 32), dim3(32, 32)>>>(texture, surface));
    CHECK(
        cudaMemcpy2DFromArray(got, side * sizeof(float), to, 0, 0, side * sizeof(float), side, cudaMemcpyDeviceToHost));
    for (int y = 0; y < side; y += 1 + side / 500)
        for (int x = 0; x < side; x++)
            EXPECT(got[(size_t)x * side + y] == in[(size_t)y * side + x], "pixel %d %d", x, y);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
}

CORPUS({"gather_texture", "gather", run_gather_texture}, {"gather_loads", "gather", run_gather_loads},
       {"rotate_texture", "rotate", run_rotate_texture}, {"rotate_loads", "rotate", run_rotate_loads},
       {"box_texture", "box", run_box_texture}, {"box_loads", "box", run_box_loads},
       {"layers_texture", NULL, run_layers_texture}, {"volume_texture", NULL, run_volume_texture},
       {"transpose_surface", NULL, run_transpose_surface})
