// texture_objects.cu - texture and surface objects as CUDA C++ has them. texture_objects.ptx is nvcc's:
//     nvcc -ptx -arch=sm_90 texture_objects.cu
extern "C" __global__ void blur(cudaTextureObject_t image, float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
    out[y * width + x] = sum;
}

extern "C" __global__ void mixed(cudaTextureObject_t line, cudaTextureObject_t bytes, cudaTextureObject_t layers,
                                 float *out)
{
    const uchar4 c = tex2D<uchar4>(bytes, 1.5f, 0.5f);
    out[0] = tex1Dfetch<float>(line, 3);
    out[1] = c.x + 2 * c.y + 4 * c.z + 8 * c.w;
    out[2] = tex1DLayered<float>(layers, 0.5f, 2);
}

extern "C" __global__ void invert(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width)
{
    const int x = threadIdx.x, y = blockIdx.x;
    uchar4 c;
    if (x >= width)
        return;
    surf2Dread(&c, from, x * 4, y);
    surf2Dwrite(make_uchar4(255 - c.x, 255 - c.y, 255 - c.z, c.w), to, x * 4, y, cudaBoundaryModeZero);
}
