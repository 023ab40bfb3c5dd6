/* layered - arrays of many layers, the six faces of a cube, layered surfaces, levels of detail, and the four texels
 * around a point. */
#include <cuda_runtime.h>

#include "program.h"

enum { W = 8, LAYERS = 5 };

__global__ void read_layers(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    out[(layer * W + y) * W + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, layer);
}

__global__ void read_lines(cudaTextureObject_t t, float *out)
{
    out[blockIdx.x * W + threadIdx.x] = tex1DLayered<float>(t, threadIdx.x + 0.5f, blockIdx.x);
}

/* The face that the longest axis points to: +x, -x, +y, -y, +z, -z. */
__global__ void read_faces(cudaTextureObject_t t, const float4 *at, float *out)
{
    float4 d = at[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(t, d.x, d.y, d.z);
}

__global__ void write_layers(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    surf2DLayeredwrite(1000.0f * layer + 10 * y + x, s, x * (int)sizeof(float), y, layer);
}

__global__ void read_levels(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, (float)threadIdx.x);
}

__global__ void gather_four(cudaTextureObject_t t, float4 *out)
{
    *out = tex2Dgather<float4>(t, 1.0f, 1.0f, 0);
}

static cudaArray_t make_array(cudaExtent extent, unsigned int flags, void *host)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    if (!host)
        return array;
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    size_t height = extent.height ? extent.height : 1;
    p.srcPtr = make_cudaPitchedPtr(host, extent.width * sizeof(float), extent.width, height);
    p.dstArray = array;
    p.extent = make_cudaExtent(extent.width, height, extent.depth);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return array;
}

static cudaTextureObject_t texture(cudaArray_t array)
{
    cudaResourceDesc r;
    cudaTextureDesc d;
    cudaTextureObject_t t;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static float host[6 * W * W], back[6 * W * W], *results;

static void get(int n)
{
    CHECK(cudaMemcpy(back, results, n * sizeof *back, cudaMemcpyDeviceToHost));
}

static void layers(void)
{
    cudaArray_t array = make_array(make_cudaExtent(W, W, LAYERS), cudaArrayLayered, host);
    cudaTextureObject_t t = texture(array);
    read_layers<<<LAYERS, dim3(W, W)>>>(t, results);
    get(LAYERS * W * W);
    verdict(memcmp(host, back, LAYERS * W * W * sizeof *back) == 0, "layers of two dimensions");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));

    array = make_array(make_cudaExtent(W, 0, LAYERS), cudaArrayLayered, host);
    t = texture(array);
    read_lines<<<LAYERS, W>>>(t, results);
    get(LAYERS * W);
    verdict(memcmp(host, back, LAYERS * W * sizeof *back) == 0, "layers of one dimension");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

static void cube(void)
{
    float faces[6 * W * W];
    for (int i = 0; i < 6 * W * W; i++)
        faces[i] = (float)(i / (W * W));
    const float4 at[6] = {{1, 0.2f, 0.1f, 0},  {-1, 0.2f, 0.1f, 0}, {0.2f, 2, 0.1f, 0},
                          {0.2f, -2, 0.1f, 0}, {0.2f, 0.1f, 3, 0},  {0.2f, 0.1f, -3, 0}};
    float4 *d_at;
    CHECK(cudaMalloc(&d_at, sizeof at));
    CHECK(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    cudaArray_t array = make_array(make_cudaExtent(W, W, 6), cudaArrayCubemap, faces);
    cudaTextureObject_t t = texture(array);
    read_faces<<<1, 6>>>(t, d_at, results);
    get(6);
    int bad = 0;
    for (int i = 0; i < 6; i++)
        bad += back[i] != i;
    verdict(bad == 0, "the six faces of a cube");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(d_at));
}

static void surface_layers(void)
{
    cudaArray_t array = make_array(make_cudaExtent(W, W, LAYERS), cudaArrayLayered | cudaArraySurfaceLoadStore, NULL);
    cudaResourceDesc r;
    cudaSurfaceObject_t s;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    write_layers<<<LAYERS, dim3(W, W)>>>(s);
    cudaTextureObject_t t = texture(array);
    read_layers<<<LAYERS, dim3(W, W)>>>(t, results);
    get(LAYERS * W * W);
    int bad = 0;
    for (int i = 0; i < LAYERS * W * W; i++)
        bad += back[i] != 1000.0f * (i / (W * W)) + 10 * (i / W % W) + i % W;
    verdict(bad == 0, "a surface of many layers");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
}

/* Level l is W >> l texels wide, all of them 10 l + 1. */
static void levels(void)
{
    enum { LEVELS = 4 };
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t pyramid;
    cudaResourceDesc r;
    cudaTextureDesc d;
    cudaTextureObject_t t;
    int bad = 0;
    CHECK(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(W, W, 0), LEVELS));
    for (int l = 0; l < LEVELS; l++) {
        float texels[W * W];
        size_t row = (W >> l) * sizeof(float);
        cudaArray_t level;
        for (int i = 0; i < W * W; i++)
            texels[i] = 10.0f * l + 1;
        CHECK(cudaGetMipmappedArrayLevel(&level, pyramid, l));
        CHECK(cudaMemcpy2DToArray(level, 0, 0, texels, row, row, W >> l, cudaMemcpyHostToDevice));
    }
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = pyramid;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = LEVELS - 1;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    read_levels<<<1, LEVELS>>>(t, results);
    get(LEVELS);
    for (int l = 0; l < LEVELS; l++)
        bad += back[l] != 10.0f * l + 1;
    verdict(bad == 0, "levels of detail");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeMipmappedArray(pyramid));
}

static void gather(void)
{
    const float want[4] = {W, W + 1, 1, 0}; // counter-clockwise from the lower left
    float texels[W * W];
    size_t row = W * sizeof(float);
    for (int i = 0; i < W * W; i++)
        texels[i] = (float)i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, W, W, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, row, row, W, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture(array);
    gather_four<<<1, 1>>>(t, (float4 *)results);
    get(4);
    verdict(memcmp(want, back, sizeof want) == 0, "the four texels around a point");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

int main()
{
    for (int i = 0; i < 6 * W * W; i++)
        host[i] = random_unit();
    CHECK(cudaMalloc(&results, sizeof host));
    layers();
    cube();
    surface_layers();
    levels();
    gather();
    CHECK(cudaFree(results));
    return failures;
}
