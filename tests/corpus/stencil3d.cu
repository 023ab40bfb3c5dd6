/* stencil3d.cu - stencils on volumes: heat, 27 points, a star of radius 4, changing coefficients, lattice Boltzmann, Yee's grid. */
#include "corpus.h"

struct volume {
    int x, y, z;
};

static size_t cells(struct volume v) { return (size_t)v.x * v.y * v.z; }

static float *random_field(size_t n)
{
    float *field = host_array<float>(n);
    for (size_t k = 0; k < n; k++)
        field[k] = random_float();
    return field;
}

__host__ __device__ static inline size_t place(struct volume v, int x, int y, int z)
{
    return ((size_t)z * v.y + y) * v.x + x;
}

/* The kernel is run over blocks of `block` threads that each take (1, 1, deep) cells, and a sample of cells is compared. */
typedef void stencil_kernel(struct volume, const float *, float *);
typedef double stencil_cell(struct volume, const float *, int, int, int);

static void run_stencil(struct volume v, stencil_kernel *kernel, dim3 block, int deep, int margin, stencil_cell *cell)
{
    const size_t n = cells(v);
    float *in = random_field(n), *device_in = to_device(in, n), *device_out = device_zeros<float>(n);
    const dim3 grid(blocks_for(v.x, block.x), blocks_for(v.y, block.y), blocks_for(v.z, block.z * deep));
    LAUNCH(kernel<<<grid, block>>>(v, device_in, device_out));
    float *out = to_host(device_out, n);
    for (int check = 0; check < 20000; check++) {
        const int x = margin + random_below(v.x - 2 * margin), y = margin + random_below(v.y - 2 * margin);
        const int z = margin + random_below(v.z - 2 * margin);
        const double want = cell(v, in, x, y, z);
        EXPECT(fabs(out[place(v, x, y, z)] - want) < 1e-4, "cell %d %d %d: %g, not %g", x, y, z, out[place(v, x, y, z)], want);
    }
    free(in), free(out);
}

static const struct volume volumes[] = {{128, 64, 32}, {256, 256, 64}, {512, 256, 128}};

/* ---- heat: 7 points ---- */

static double heat_cell(struct volume v, const float *in, int x, int y, int z)
{
    const float *c = in + place(v, x, y, z);
    const ptrdiff_t row = v.x, plane = (ptrdiff_t)v.x * v.y;
    return 0.4 * c[0] + 0.1 * ((double)c[-1] + c[1] + c[-row] + c[row] + c[-plane] + c[plane]);
}

/* A cell a thread: seven reads, most from L1 and L2; bound by DRAM and L1. */
__global__ void heat7_cell(struct volume v, const float *__restrict__ in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= v.x - 1 || y >= v.y - 1 || z >= v.z - 1) return;
    const float *c = in + place(v, x, y, z);
    const int row = v.x, plane = v.x * v.y;
    out[c - in] = 0.4f * c[0] + 0.1f * (c[-1] + c[1] + c[-row] + c[row] + c[-plane] + c[plane]);
}

enum { DEEP = 16 };

/* A column of 16 cells a thread: what lies above and below stays in registers; few warps, chains of reads. */
__global__ void heat7_march(struct volume v, const float *__restrict__ in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = max(1, (int)blockIdx.z * DEEP), last = min(v.z - 1, (int)(blockIdx.z + 1) * DEEP);
    if (x < 1 || y < 1 || x >= v.x - 1 || y >= v.y - 1) return;
    const int row = v.x, plane = v.x * v.y;
    const float *c = in + place(v, x, y, first);
    float below = c[-plane], middle = c[0];
    for (int z = first; z < last; z++, c += plane) {
        const float above = c[plane];
        out[c - in] = 0.4f * middle + 0.1f * (c[-1] + c[1] + c[-row] + c[row] + below + above);
        below = middle, middle = above;
    }
}

/* The same with the plane in shared memory: two barriers a plane. */
__global__ void heat7_march_shared(struct volume v, const float *__restrict__ in, float *out)
{
    __shared__ float tile[10][34];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    const int first = max(1, (int)blockIdx.z * DEEP), last = min(v.z - 1, (int)(blockIdx.z + 1) * DEEP);
    const int row = v.x, plane = v.x * v.y;
    const bool inside = x >= 1 && y >= 1 && x < v.x - 1 && y < v.y - 1;
    const float *c = in + place(v, x, y, first);
    float below = c[-plane], middle = c[0];
    for (int z = first; z < last; z++, c += plane) {
        __syncthreads();
        tile[ty + 1][tx + 1] = middle;
        if (inside && tx == 0) tile[ty + 1][0] = c[-1];
        if (inside && tx == 31) tile[ty + 1][33] = c[1];
        if (inside && ty == 0) tile[0][tx + 1] = c[-row];
        if (inside && ty == 7) tile[9][tx + 1] = c[row];
        const float above = c[plane];
        __syncthreads();
        if (inside)
            out[c - in] = 0.4f * middle + 0.1f * (tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] +
                                                  tile[ty + 2][tx + 1] + below + above);
        below = middle, middle = above;
    }
}

/* ---- 27 points ---- */

static double box_cell(struct volume v, const float *in, int x, int y, int z)
{
    double sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                sum += in[place(v, x + dx, y + dy, z + dz)] / (1.0 + dx * dx + dy * dy + dz * dz);
    return sum / 16;
}

/* 27 reads a thread: bound by L1. */
__global__ void box27_cell(struct volume v, const float *__restrict__ in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= v.x - 1 || y >= v.y - 1 || z >= v.z - 1) return;
    float sum = 0;
#pragma unroll
    for (int dz = -1; dz <= 1; dz++)
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++)
                sum += in[place(v, x + dx, y + dy, z + dz)] * (1.0f / (1 + dx * dx + dy * dy + dz * dz));
    out[place(v, x, y, z)] = sum / 16;
}

/* A block of 32 x 8 x 4 cells with its margin in shared memory: bound by shared memory. */
__global__ void box27_shared(struct volume v, const float *__restrict__ in, float *out)
{
    __shared__ float tile[6][10][34];
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1, z0 = blockIdx.z * 4 - 1;
    const int thread = (threadIdx.z * 8 + threadIdx.y) * 32 + threadIdx.x;
    for (int k = thread; k < 6 * 10 * 34; k += 1024) {
        const int x = x0 + k % 34, y = y0 + k / 34 % 10, z = z0 + k / 340;
        const bool there = x >= 0 && y >= 0 && z >= 0 && x < v.x && y < v.y && z < v.z;
        tile[k / 340][k / 34 % 10][k % 34] = there ? in[place(v, x, y, z)] : 0;
    }
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, z = z0 + 1 + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= v.x - 1 || y >= v.y - 1 || z >= v.z - 1) return;
    float sum = 0;
#pragma unroll
    for (int dz = 0; dz < 3; dz++)
#pragma unroll
        for (int dy = 0; dy < 3; dy++)
#pragma unroll
            for (int dx = 0; dx < 3; dx++)
                sum += tile[threadIdx.z + dz][threadIdx.y + dy][threadIdx.x + dx] *
                       (1.0f / (1 + (dx - 1) * (dx - 1) + (dy - 1) * (dy - 1) + (dz - 1) * (dz - 1)));
    out[place(v, x, y, z)] = sum / 16;
}

/* ---- a star of radius 4, as in seismic imaging: 25 points ---- */

static double star_cell(struct volume v, const float *in, int x, int y, int z)
{
    double sum = in[place(v, x, y, z)];
    for (int r = 1; r <= 4; r++)
        sum += ((double)in[place(v, x - r, y, z)] + in[place(v, x + r, y, z)] + in[place(v, x, y - r, z)] +
                in[place(v, x, y + r, z)] + in[place(v, x, y, z - r)] + in[place(v, x, y, z + r)]) /
               (8.0 * r);
    return sum;
}

__global__ void star25_cell(struct volume v, const float *__restrict__ in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 4 || y < 4 || z < 4 || x >= v.x - 4 || y >= v.y - 4 || z >= v.z - 4) return;
    const float *c = in + place(v, x, y, z);
    const int row = v.x, plane = v.x * v.y;
    float sum = c[0];
#pragma unroll
    for (int r = 1; r <= 4; r++)
        sum += (c[-r] + c[r] + c[-r * row] + c[r * row] + c[-r * plane] + c[r * plane]) * (1 / (8.0f * r));
    out[c - in] = sum;
}

/* A column of 16 cells a thread with the nine cells above and below in registers. */
__global__ void star25_march(struct volume v, const float *__restrict__ in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = max(4, (int)blockIdx.z * DEEP), last = min(v.z - 4, (int)(blockIdx.z + 1) * DEEP);
    if (x < 4 || y < 4 || x >= v.x - 4 || y >= v.y - 4 || first >= last) return;
    const int row = v.x, plane = v.x * v.y;
    const float *c = in + place(v, x, y, first);
    float column[9];
#pragma unroll
    for (int k = 0; k < 8; k++)
        column[k + 1] = c[(k - 4) * plane];
    for (int z = first; z < last; z++, c += plane) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            column[k] = column[k + 1];
        column[8] = c[4 * plane];
        float sum = column[4];
#pragma unroll
        for (int r = 1; r <= 4; r++)
            sum += (c[-r] + c[r] + c[-r * row] + c[r * row] + column[4 - r] + column[4 + r]) * (1 / (8.0f * r));
        out[c - in] = sum;
    }
}

/* ---- a coefficient of its own for each neighbour: eight streams, bound by DRAM ---- */

__global__ void jacobi_coefficients(struct volume v, const float *__restrict__ k, const float *__restrict__ in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= v.x - 1 || y >= v.y - 1 || z >= v.z - 1) return;
    const size_t i = place(v, x, y, z), n = (size_t)v.x * v.y * v.z;
    const int row = v.x, plane = v.x * v.y;
    out[i] = k[i] * in[i] + k[n + i] * in[i - 1] + k[2 * n + i] * in[i + 1] + k[3 * n + i] * in[i - row] +
             k[4 * n + i] * in[i + row] + k[5 * n + i] * in[i - plane] + k[6 * n + i] * in[i + plane];
}

static void run_jacobi(int size)
{
    const struct volume v = size == 2 ? volume{256, 256, 160} : size == 1 ? volume{256, 128, 64} : volumes[0];
    const size_t n = cells(v);
    float *in = random_field(n), *k = random_field(7 * n), *device_in = to_device(in, n), *device_k = to_device(k, 7 * n);
    float *device_out = device_zeros<float>(n);
    const dim3 block(64, 4, 1), grid(blocks_for(v.x, 64), blocks_for(v.y, 4), v.z);
    LAUNCH(jacobi_coefficients<<<grid, block>>>(v, device_k, device_in, device_out));
    float *out = to_host(device_out, n);
    const size_t row = v.x, plane = row * v.y;
    for (int check = 0; check < 20000; check++) {
        const size_t i = place(v, 1 + random_below(v.x - 2), 1 + random_below(v.y - 2), 1 + random_below(v.z - 2));
        const float around[] = {in[i], in[i - 1], in[i + 1], in[i - row], in[i + row], in[i - plane], in[i + plane]};
        double want = 0;
        for (int d = 0; d < 7; d++)
            want += (double)k[d * n + i] * around[d];
        EXPECT(close_to(out[i], want, 1e-5), "cell %zu: %g, not %g", i, out[i], want);
    }
    free(in), free(k), free(out);
}

/* ---- lattice Boltzmann, 19 directions: 19 streams in, 19 out, many registers; bound by DRAM ---- */

__host__ __device__ static inline void lattice_direction(int d, int c[3])
{
    const int table[19][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0}, {0, 1, 0},  {0, -1, 0}, {0, 0, 1},  {0, 0, -1},
                              {1, 1, 0},  {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
                              {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
    for (int k = 0; k < 3; k++)
        c[k] = table[d][k];
}

/* Takes from the neighbours (the volume is a ring in all directions), relaxes towards the equilibrium, stores. */
__host__ __device__ static inline void lattice_cell(struct volume v, const float *in, float *out, int x, int y, int z,
                                                    bool whole)
{
    const size_t n = (size_t)v.x * v.y * v.z, here = place(v, x, y, z);
    float f[19], density = 0, flow[3] = {};
#pragma unroll
    for (int d = 0; d < 19; d++) {
        int c[3];
        lattice_direction(d, c);
        const int fx = (x - c[0] + v.x) % v.x, fy = (y - c[1] + v.y) % v.y, fz = (z - c[2] + v.z) % v.z;
        f[d] = in[d * n + place(v, fx, fy, fz)];
        density += f[d];
        flow[0] += f[d] * c[0], flow[1] += f[d] * c[1], flow[2] += f[d] * c[2];
    }
    const float over = 1 / density;
    flow[0] *= over, flow[1] *= over, flow[2] *= over;
    const float square = 1.5f * (flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2]);
#pragma unroll
    for (int d = 0; d < 19; d++) {
        int c[3];
        lattice_direction(d, c);
        const float weight = d == 0 ? 1 / 3.0f : d < 7 ? 1 / 18.0f : 1 / 36.0f;
        const float along = 3 * (flow[0] * c[0] + flow[1] * c[1] + flow[2] * c[2]);
        const float rest = weight * density * (1 + along + 0.5f * along * along - square);
        out[whole ? d * n + here : d] = f[d] + 0.6f * (rest - f[d]);
    }
}

__global__ void lattice_boltzmann(struct volume v, const float *in, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x < v.x) lattice_cell(v, in, out, x, y, z, true);
}

static void run_lattice(int size)
{
    const struct volume v = size == 2 ? volume{256, 128, 128} : size == 1 ? volume{128, 128, 32} : volume{128, 16, 8};
    const size_t n = cells(v);
    float *in = random_field(19 * n);
    for (size_t k = 0; k < 19 * n; k++)
        in[k] = 0.05f + 0.01f * in[k];
    float *device_in = to_device(in, 19 * n), *device_out = device_zeros<float>(19 * n);
    LAUNCH(lattice_boltzmann<<<dim3(blocks_for(v.x, 128), v.y, v.z), 128>>>(v, device_in, device_out));
    float *out = to_host(device_out, 19 * n);
    for (int check = 0; check < 5000; check++) {
        const int x = random_below(v.x), y = random_below(v.y), z = random_below(v.z);
        float want[19];
        lattice_cell(v, in, want, x, y, z, false);
        for (int d = 0; d < 19; d++)
            EXPECT(close_to(out[d * n + place(v, x, y, z)], want[d], 1e-4), "direction %d of %d %d %d", d, x, y, z);
    }
    free(in), free(out);
}

/* ---- Yee's grid: a step of the magnetic field from the electric one; six streams in, three out ---- */

__global__ void yee_magnetic(struct volume v, const float *__restrict__ e, const float *__restrict__ h, float *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= v.x - 1 || y >= v.y - 1 || z >= v.z - 1) return;
    const size_t n = (size_t)v.x * v.y * v.z, i = place(v, x, y, z), row = v.x, plane = row * v.y;
    const float *ex = e, *ey = e + n, *ez = e + 2 * n;
    out[i] = h[i] + 0.5f * (ey[i + plane] - ey[i] - ez[i + row] + ez[i]);
    out[n + i] = h[n + i] + 0.5f * (ez[i + 1] - ez[i] - ex[i + plane] + ex[i]);
    out[2 * n + i] = h[2 * n + i] + 0.5f * (ex[i + row] - ex[i] - ey[i + 1] + ey[i]);
}

static void run_yee(int size)
{
    const struct volume v = size == 2 ? volume{256, 256, 128} : size == 1 ? volume{256, 128, 64} : volumes[0];
    const size_t n = cells(v), row = v.x, plane = row * v.y;
    float *e = random_field(3 * n), *h = random_field(3 * n), *device_e = to_device(e, 3 * n);
    float *device_h = to_device(h, 3 * n), *device_out = device_zeros<float>(3 * n);
    LAUNCH(yee_magnetic<<<dim3(blocks_for(v.x, 16), blocks_for(v.y, 16), v.z), dim3(16, 16)>>>(v, device_e, device_h,
                                                                                                device_out));
    float *out = to_host(device_out, 3 * n);
    for (int check = 0; check < 20000; check++) {
        const size_t i = place(v, random_below(v.x - 1), random_below(v.y - 1), random_below(v.z - 1));
        const double want = h[n + i] + 0.5 * ((double)e[2 * n + i + 1] - e[2 * n + i] - e[i + plane] + e[i]);
        EXPECT(fabs(out[n + i] - want) < 1e-5, "cell %zu: %g, not %g", i, out[n + i], want);
    }
    free(e), free(h), free(out);
}

CORPUS({"heat7_cell", "heat7", [](int size) { run_stencil(volumes[size], heat7_cell, dim3(32, 4, 2), 1, 1, heat_cell); }},
       {"heat7_march", "heat7", [](int size) { run_stencil(volumes[size], heat7_march, dim3(32, 8), DEEP, 1, heat_cell); }},
       {"heat7_march_shared", "heat7",
        [](int size) { run_stencil(volumes[size], heat7_march_shared, dim3(32, 8), DEEP, 1, heat_cell); }},
       {"box27_cell", "box27", [](int size) { run_stencil(volumes[size], box27_cell, dim3(32, 8, 4), 1, 1, box_cell); }},
       {"box27_shared", "box27", [](int size) { run_stencil(volumes[size], box27_shared, dim3(32, 8, 4), 1, 1, box_cell); }},
       {"star25_cell", "star25", [](int size) { run_stencil(volumes[size], star25_cell, dim3(64, 2, 2), 1, 4, star_cell); }},
       {"star25_march", "star25", [](int size) { run_stencil(volumes[size], star25_march, dim3(32, 4), DEEP, 4, star_cell); }},
       {"jacobi_coefficients", NULL, run_jacobi}, {"lattice_boltzmann", NULL, run_lattice}, {"yee_magnetic", NULL, run_yee})
