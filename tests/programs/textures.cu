/* textures - texture and surface objects: 1D, 2D, 3D arrays, linear memory, rows with a pitch; address modes, filters,
 * normalised coordinates and values; writes to a surface, read back through a texture. */
#include <cuda_runtime.h>

#include "program.h"

enum { W = 16, H = 8, D = 4 };

__global__ void fetch_linear(cudaTextureObject_t t, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<float>(t, i);
}

__global__ void read_1d(cudaTextureObject_t t, const float *at, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1D<float>(t, at[i]);
}

__global__ void read_2d(cudaTextureObject_t t, float *out, float dx, float dy, float scale_x, float scale_y)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<float>(t, (x + dx) * scale_x, (y + dy) * scale_y);
}

__global__ void read_2d_bytes(cudaTextureObject_t t, float4 *out)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f);
}

__global__ void read_3d(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    out[(z * H + y) * W + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void write_surface(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(100.0f * y + x, s, x * (int)sizeof(float), y);
}

__global__ void flip_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    float v;
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dread(&v, from, (W - 1 - x) * (int)sizeof(float), y);
    surf2Dwrite(v, to, x * (int)sizeof(float), y);
}

static float *results; // on the device, W x H x D

static void get(float *host, int n)
{
    CHECK(cudaMemcpy(host, results, n * sizeof *host, cudaMemcpyDeviceToHost));
}

static cudaTextureObject_t texture(const cudaResourceDesc &r, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                                   int normalised, cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaTextureDesc t;
    cudaTextureObject_t object;
    memset(&t, 0, sizeof t);
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
    t.filterMode = filter;
    t.readMode = read;
    t.normalizedCoords = normalised;
    CHECK(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

static void linear(void)
{
    float host[64], back[64], *device;
    for (int i = 0; i < 64; i++)
        host[i] = 3.0f * i;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = device;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 60 * sizeof(float);
    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeClamp, 0);
    fetch_linear<<<2, 32>>>(t, results, 64);
    get(back, 64);
    verdict(memcmp(host, back, 60 * sizeof(float)) == 0, "linear memory");
    verdict(back[60] == 0 && back[63] == 0, "0 behind its end");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(device));
}

static void line(void)
{
    float cells[4] = {10, 20, 40, 80}, back[8];
    const float at[8] = {0.5f, 1.5f, 1.0f, 2.0f, 3.5f, 3.75f, -1.0f, 9.0f};
    const float want[8] = {10, 20, 15, 30, 80, 80, 10, 80}; // linear between centres, clamped outside
    float *d_at;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 4));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, cells, sizeof cells, sizeof cells, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&d_at, sizeof at));
    CHECK(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t = texture(r, cudaFilterModeLinear, cudaAddressModeClamp, 0);
    read_1d<<<1, 8>>>(t, d_at, results, 8);
    get(back, 8);
    verdict(memcmp(want, back, sizeof want) == 0, "one dimension, linear filter, clamped");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_at));
}

static float cell(int x, int y)
{
    return 10.0f * y + x;
}

/* Of W x H cells, how many are not f(x, y)? */
template <class F> static int wrong(F f)
{
    float back[W * H];
    int bad = 0;
    get(back, W * H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            bad += back[y * W + x] != f(x, y);
    return bad;
}

static void plane(void)
{
    float host[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            host[y][x] = cell(x, y);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], H, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    dim3 block(W, H);

    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeBorder, 0);
    read_2d<<<1, block>>>(t, results, 2.5f, 0.5f, 1, 1);
    verdict(wrong([](int x, int y) { return x + 2 < W ? cell(x + 2, y) : 0.0f; }) == 0, "two dimensions, border");
    CHECK(cudaDestroyTextureObject(t));

    t = texture(r, cudaFilterModeLinear, cudaAddressModeClamp, 0);
    read_2d<<<1, block>>>(t, results, 1.0f, 0.5f, 1, 1); // half way to the next cell
    verdict(wrong([](int x, int y) { return x + 1 < W ? cell(x, y) + 0.5f : cell(x, y); }) == 0,
            "two dimensions, linear filter");
    CHECK(cudaDestroyTextureObject(t));

    t = texture(r, cudaFilterModePoint, cudaAddressModeWrap, 1);
    read_2d<<<1, block>>>(t, results, W + 3.5f, 0.5f - H, 1.0f / W, 1.0f / H);
    verdict(wrong([](int x, int y) { return cell((x + 3) % W, y); }) == 0, "normalised coordinates wrap");
    CHECK(cudaDestroyTextureObject(t));

    t = texture(r, cudaFilterModePoint, cudaAddressModeMirror, 1);
    read_2d<<<1, block>>>(t, results, W + 0.5f, 0.5f, 1.0f / W, 1.0f / H);
    verdict(wrong([](int x, int y) { return cell(W - 1 - x, y); }) == 0, "normalised coordinates mirror");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

static void pitched(void)
{
    float host[H][W], *device;
    size_t pitch;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            host[y][x] = cell(x, y);
    CHECK(cudaMallocPitch(&device, &pitch, sizeof host[0], H));
    CHECK(cudaMemcpy2D(device, pitch, host, sizeof host[0], sizeof host[0], H, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = device;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeClamp, 0);
    read_2d<<<1, dim3(W, H)>>>(t, results, 0.5f, 0.5f, 1, 1);
    verdict(wrong(cell) == 0, "rows with a pitch");
    cudaResourceDesc same;
    CHECK(cudaGetTextureObjectResourceDesc(&same, t));
    verdict(same.resType == cudaResourceTypePitch2D && same.res.pitch2D.devPtr == device,
            "an object knows its resource");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(device));
}

static void bytes(void)
{
    uchar4 host[H][W];
    float4 back[H][W], *device;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            host[y][x] = make_uchar4(x, y, 255, 51);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CHECK(cudaMalloc(&device, sizeof back));
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], H, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeClamp, 0, cudaReadModeNormalizedFloat);
    read_2d_bytes<<<1, dim3(W, H)>>>(t, device);
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            bad += !near(back[y][x].x, x / 255.0, 1e-6) || !near(back[y][x].y, y / 255.0, 1e-6) ||
                   back[y][x].z != 1.0f || !near(back[y][x].w, 0.2, 1e-6);
    verdict(bad == 0, "four bytes as numbers from 0 to 1");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(device));
}

static void volume(void)
{
    static float host[D][H][W], back[D * H * W];
    for (int i = 0; i < D * H * W; i++)
        host[0][0][i] = (float)i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaExtent extent = make_cudaExtent(W, H, D);
    CHECK(cudaMalloc3DArray(&array, &format, extent));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(host, W * sizeof(float), W, H);
    p.dstArray = array;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeClamp, 0);
    read_3d<<<D, dim3(W, H)>>>(t, results);
    get(back, D * H * W);
    verdict(memcmp(host, back, sizeof back) == 0, "three dimensions");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

static void surfaces(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t one, two;
    CHECK(cudaMallocArray(&one, &format, W, H, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&two, &format, W, H, cudaArraySurfaceLoadStore));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    cudaSurfaceObject_t s1, s2;
    r.res.array.array = one;
    CHECK(cudaCreateSurfaceObject(&s1, &r));
    r.res.array.array = two;
    CHECK(cudaCreateSurfaceObject(&s2, &r));
    write_surface<<<1, dim3(W, H)>>>(s1);
    flip_surface<<<1, dim3(W, H)>>>(s1, s2);
    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeClamp, 0);
    read_2d<<<1, dim3(W, H)>>>(t, results, 0.5f, 0.5f, 1, 1);
    verdict(wrong([](int x, int y) { return 100.0f * y + (W - 1 - x); }) == 0, "surfaces, read through a texture");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s1));
    CHECK(cudaDestroySurfaceObject(s2));
    CHECK(cudaFreeArray(one));
    CHECK(cudaFreeArray(two));
}

int main()
{
    CHECK(cudaMalloc(&results, W * H * D * sizeof *results));
    linear();
    line();
    plane();
    pitched();
    bytes();
    volume();
    surfaces();
    CHECK(cudaFree(results));
    return failures;
}
