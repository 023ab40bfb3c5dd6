/* marching.cu - stencils whose blocks march through a volume plane by plane or through an image row by row, with what comes
 * next in registers or in planes of shared memory; and those that take several steps of time on a tile.
 */
#include "corpus.h"

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = random_float() - 0.5f;
    return a;
}

/* A volume: x is the fastest. Borders are not computed: they stay 0 in the result. */
struct volume {
    int nx, ny, nz;
};

static struct volume volume_of(int size)
{
    return size == 0   ? (struct volume){128, 64, 32}
           : size == 1 ? (struct volume){384, 256, 128}
                       : (struct volume){512, 512, 320};
}

static size_t cells_of(struct volume v) { return (size_t)v.nx * v.ny * v.nz; }

/* A place at least `border` from every face. */
struct place {
    int x, y, z;
};

static struct place random_place(struct volume v, int border)
{
    return (struct place){border + (int)random_below(v.nx - 2 * border), border + (int)random_below(v.ny - 2 * border),
                          border + (int)random_below(v.nz - 2 * border)};
}

/* ---- seven points ---- */

static double seven_at(const float *u, size_t i, size_t nx, size_t plane)
{
    return -6.0 * u[i] + u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - plane] + u[i + plane];
}

/* A thread a column: the planes below, at and above it in registers, neighbours in the plane from L1. */
__global__ void seven_registers(const float *u, float *out, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = nx * ny;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x;
    float below = u[i], here = u[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        const float above = u[i + plane];
        out[i] = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + below + above - 6 * here;
        below = here;
        here = above;
    }
}

enum { TILE_X = 32, TILE_Y = 8 };

/* The same with the plane in shared memory, two barriers a plane; threads at a tile's edge bring its border. */
__global__ void seven_plane(const float *u, float *out, int nx, int ny, int nz)
{
    __shared__ float s[TILE_Y + 2][TILE_X + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, plane = nx * ny;
    const bool inside = x >= 1 && y >= 1 && x < nx - 1 && y < ny - 1;
    int i = y * nx + x;
    float below = u[i], here = u[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        const float above = u[i + plane];
        __syncthreads();
        s[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0)
            s[ty][0] = u[i - 1];
        if (threadIdx.x == TILE_X - 1 && x < nx - 1)
            s[ty][TILE_X + 1] = u[i + 1];
        if (threadIdx.y == 0 && y > 0)
            s[0][tx] = u[i - nx];
        if (threadIdx.y == TILE_Y - 1 && y < ny - 1)
            s[TILE_Y + 1][tx] = u[i + nx];
        __syncthreads();
        if (inside)
            out[i] = s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + below + above - 6 * here;
        below = here;
        here = above;
    }
}

/* A thread a column of 16 planes: more blocks, planes between pieces read twice. */
__global__ void seven_pieces(const float *u, float *out, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = nx * ny;
    const int first = max(1, (int)blockIdx.z * 16), end = min(nz - 1, (int)blockIdx.z * 16 + 16);
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    float below = u[(first - 1) * plane + y * nx + x], here = u[first * plane + y * nx + x];
    for (int z = first; z < end; z++) {
        const int i = (z * ny + y) * nx + x;
        const float above = u[i + plane];
        out[i] = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + below + above - 6 * here;
        below = here;
        here = above;
    }
}

static void check_seven(const float *u, const float *d_out, struct volume v)
{
    float *out = to_host(d_out, cells_of(v));
    for (int check = 0; check < 50000; check++) {
        const struct place p = random_place(v, 1);
        const size_t i = ((size_t)p.z * v.ny + p.y) * v.nx + p.x;
        const double want = seven_at(u, i, v.nx, (size_t)v.nx * v.ny);
        EXPECT(fabs(out[i] - want) < 1e-5, "cell %zu: %g, not %g", i, out[i], want);
    }
    free(out);
}

template <class F> static void run_seven(int size, F launch)
{
    const struct volume v = volume_of(size);
    float *u = random_floats(cells_of(v)), *d_u = to_device(u, cells_of(v)), *d_out = device_zeros<float>(cells_of(v));
    launch(dim3(v.nx / TILE_X, v.ny / TILE_Y), dim3(TILE_X, TILE_Y), d_u, d_out, v);
    check_seven(u, d_out, v);
    free(u);
}

static void run_seven_registers(int size)
{
    run_seven(size, [](dim3 grid, dim3 block, const float *u, float *out, struct volume v) {
        LAUNCH(seven_registers<<<grid, block>>>(u, out, v.nx, v.ny, v.nz));
    });
}

static void run_seven_plane(int size)
{
    run_seven(size, [](dim3 grid, dim3 block, const float *u, float *out, struct volume v) {
        LAUNCH(seven_plane<<<grid, block>>>(u, out, v.nx, v.ny, v.nz));
    });
}

static void run_seven_pieces(int size)
{
    run_seven(size, [](dim3 grid, dim3 block, const float *u, float *out, struct volume v) {
        grid.z = v.nz / 16;
        LAUNCH(seven_pieces<<<grid, block>>>(u, out, v.nx, v.ny, v.nz));
    });
}

/* ---- a wide cross: four neighbours on each side, weights in constant memory ---- */

enum { REACH = 4 };

__constant__ float wide_weights[REACH + 1];

/* A queue of nine planes in registers, the plane in shared memory with its border of four. */
__global__ void wide_queue(const float *u, float *out, int nx, int ny, int nz)
{
    __shared__ float s[TILE_Y * 2 + 2 * REACH][TILE_X + 2 * REACH];
    const int tx = threadIdx.x + REACH, ty = threadIdx.y + REACH, plane = nx * ny;
    const int x = blockIdx.x * TILE_X + tx, y = blockIdx.y * TILE_Y * 2 + ty;
    int i = y * nx + x;
    float below[REACH], above[REACH], here = u[i + REACH * plane];
    for (int k = 0; k < REACH; k++) {
        below[k] = u[i + (REACH - 1 - k) * plane];
        above[k] = u[i + (REACH + 1 + k) * plane];
    }
    i += REACH * plane;
    for (int z = REACH; z < nz - REACH; z++, i += plane) {
        __syncthreads();
        if (threadIdx.y < REACH) {
            s[threadIdx.y][tx] = u[i - REACH * nx];
            s[threadIdx.y + TILE_Y * 2 + REACH][tx] = u[i + TILE_Y * 2 * nx];
        }
        if (threadIdx.x < REACH) {
            s[ty][threadIdx.x] = u[i - REACH];
            s[ty][threadIdx.x + TILE_X + REACH] = u[i + TILE_X];
        }
        s[ty][tx] = here;
        __syncthreads();
        float sum = wide_weights[0] * here;
#pragma unroll
        for (int k = 1; k <= REACH; k++)
            sum += wide_weights[k] * (below[k - 1] + above[k - 1] + s[ty - k][tx] + s[ty + k][tx] + s[ty][tx - k] +
                                      s[ty][tx + k]);
        out[i] = sum;
#pragma unroll
        for (int k = REACH - 1; k > 0; k--)
            below[k] = below[k - 1];
        below[0] = here;
        here = above[0];
#pragma unroll
        for (int k = 0; k < REACH - 1; k++)
            above[k] = above[k + 1];
        if (z + REACH + 1 < nz)
            above[REACH - 1] = u[i + (REACH + 1) * plane];
    }
}

static void run_wide_queue(int size)
{
    struct volume v = volume_of(size);
    v.nx += 2 * REACH, v.ny += 2 * REACH;
    const float weights[REACH + 1] = {-2.8f, 1.6f, -0.2f, 0.025f, -0.0017f};
    float *u = random_floats(cells_of(v)), *d_u = to_device(u, cells_of(v)), *d_out = device_zeros<float>(cells_of(v));
    CHECK(cudaMemcpyToSymbol(wide_weights, weights, sizeof weights));
    LAUNCH(wide_queue<<<dim3(v.nx / TILE_X, v.ny / (2 * TILE_Y)), dim3(TILE_X, 2 * TILE_Y)>>>(d_u, d_out, v.nx, v.ny,
                                                                                             v.nz));
    float *out = to_host(d_out, cells_of(v));
    for (int check = 0; check < 50000; check++) {
        const struct place p = random_place(v, REACH);
        const size_t nx = v.nx, plane = nx * v.ny, i = p.z * plane + p.y * nx + p.x;
        double want = (double)weights[0] * u[i];
        for (int k = 1; k <= REACH; k++)
            want += (double)weights[k] *
                    ((double)u[i - k] + u[i + k] + u[i - k * nx] + u[i + k * nx] + u[i - k * plane] + u[i + k * plane]);
        EXPECT(fabs(out[i] - want) < 1e-4, "cell %zu: %g, not %g", i, out[i], want);
    }
    free(u), free(out);
}

/* ---- a box of 27 points ---- */

/* Four planes in shared memory take turns: three are read while the next is loaded, so that one barrier a plane is enough. The
 * tile with its border is loaded by a loop. */
__global__ void box_planes(const float *u, float *out, int nx, int ny, int nz)
{
    __shared__ float s[4][TILE_Y + 2][TILE_X + 2];
    const int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y, t = threadIdx.y * TILE_X + threadIdx.x;
    const int x = x0 + threadIdx.x + 1, y = y0 + threadIdx.y + 1;
    for (int z = 0; z < nz; z++) {
        for (int k = t; k < (TILE_Y + 2) * (TILE_X + 2); k += TILE_X * TILE_Y) {
            const int sx = k % (TILE_X + 2), sy = k / (TILE_X + 2);
            if (x0 + sx < nx && y0 + sy < ny)
                s[z % 4][sy][sx] = u[((size_t)z * ny + y0 + sy) * nx + x0 + sx];
        }
        __syncthreads();
        if (z < 2 || x >= nx - 1 || y >= ny - 1)
            continue;
        float sum = 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int c = 0; c < 3; c++)
                    sum += s[(z - a) % 4][threadIdx.y + b][threadIdx.x + c];
        out[((size_t)(z - 1) * ny + y) * nx + x] = sum * (1.0f / 27);
    }
}

static void run_box_planes(int size)
{
    struct volume v = volume_of(size);
    v.nx += 2, v.ny += 2;
    float *u = random_floats(cells_of(v)), *d_u = to_device(u, cells_of(v)), *d_out = device_zeros<float>(cells_of(v));
    LAUNCH(box_planes<<<dim3(v.nx / TILE_X, v.ny / TILE_Y), dim3(TILE_X, TILE_Y)>>>(d_u, d_out, v.nx, v.ny, v.nz));
    float *out = to_host(d_out, cells_of(v));
    for (int check = 0; check < 50000; check++) {
        const struct place p = random_place(v, 1);
        const size_t i = ((size_t)p.z * v.ny + p.y) * v.nx + p.x;
        double want = 0;
        for (int a = -1; a <= 1; a++)
            for (int b = -1; b <= 1; b++)
                for (int c = -1; c <= 1; c++)
                    want += u[((size_t)(p.z + a) * v.ny + p.y + b) * v.nx + p.x + c] / 27.0;
        EXPECT(fabs(out[i] - want) < 1e-5, "cell %zu: %g, not %g", i, out[i], want);
    }
    free(u), free(out);
}

/* ---- several fields ---- */

/* A step of the wave equation: the last two states and the speed at each cell in, one out; a thread a column, order four. */
__global__ void wave_step(const float *now, const float *last, const float *speed, float *next, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    const int plane = nx * ny;
    if (x >= nx - 2 || y >= ny - 2)
        return;
    int i = y * nx + x;
    float a = now[i], b = now[i + plane], c = now[i + 2 * plane], d = now[i + 3 * plane];
    i += 2 * plane;
    for (int z = 2; z < nz - 2; z++, i += plane) {
        const float e = now[i + 2 * plane];
        const float near = b + d + now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx];
        const float far = a + e + now[i - 2] + now[i + 2] + now[i - 2 * nx] + now[i + 2 * nx];
        const float laplace = -7.5f * c + 1.3333333f * near - 0.083333336f * far;
        next[i] = 2 * c - last[i] + speed[i] * laplace;
        a = b, b = c, c = d, d = e;
    }
}

static void run_wave_step(int size)
{
    struct volume v = volume_of(size);
    v.nx += 4, v.ny += 4;
    const size_t n = cells_of(v);
    float *now = random_floats(n), *last = random_floats(n), *speed = random_floats(n), *d_now = to_device(now, n);
    float *d_last = to_device(last, n), *d_speed = to_device(speed, n), *d_next = device_zeros<float>(n);
    LAUNCH(wave_step<<<dim3(v.nx / 32, v.ny / 8), dim3(32, 8)>>>(d_now, d_last, d_speed, d_next, v.nx, v.ny, v.nz));
    float *next = to_host(d_next, n);
    for (int check = 0; check < 50000; check++) {
        const struct place p = random_place(v, 2);
        const size_t nx = v.nx, plane = nx * v.ny, i = p.z * plane + p.y * nx + p.x;
        double laplace = -7.5 * now[i];
        const size_t steps[3] = {1, nx, plane};
        for (size_t step : steps)
            laplace += 1.3333333 * ((double)now[i - step] + now[i + step]) -
                       0.083333336 * ((double)now[i - 2 * step] + now[i + 2 * step]);
        const double want = 2.0 * now[i] - last[i] + speed[i] * laplace;
        EXPECT(fabs(next[i] - want) < 1e-4, "cell %zu: %g, not %g", i, next[i], want);
    }
    free(now), free(last), free(speed), free(next);
}

/* Diffusion with a factor for each of six faces: seven fields and one more in, double precision, a thread a column. */
static __host__ __device__ inline double faces_at(const double *u, const double *k, size_t n, size_t i, size_t nx,
                                                  size_t plane)
{
    return k[i] * u[i - 1] + k[n + i] * u[i + 1] + k[2 * n + i] * u[i - nx] + k[3 * n + i] * u[i + nx] +
           k[4 * n + i] * u[i - plane] + k[5 * n + i] * u[i + plane] + k[6 * n + i] * u[i];
}

__global__ void faces_column(const double *u, const double *k, double *out, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    const size_t plane = (size_t)nx * ny, n = plane * nz;
    for (int z = 1; z < nz - 1; z++) {
        const size_t i = z * plane + (size_t)y * nx + x;
        out[i] = faces_at(u, k, n, i, nx, plane);
    }
}

static void run_faces_column(int size)
{
    const struct volume v = size == 0   ? (struct volume){64, 64, 16}
                            : size == 1 ? (struct volume){192, 128, 96}
                                        : (struct volume){256, 256, 200};
    const size_t n = cells_of(v);
    double *u = host_array<double>(n), *k = host_array<double>(7 * n);
    for (size_t i = 0; i < n; i++)
        u[i] = random_float();
    for (size_t i = 0; i < 7 * n; i++)
        k[i] = random_float();
    double *d_u = to_device(u, n), *d_k = to_device(k, 7 * n), *d_out = device_zeros<double>(n);
    LAUNCH(faces_column<<<dim3(v.nx / 32, v.ny / 4), dim3(32, 4)>>>(d_u, d_k, d_out, v.nx, v.ny, v.nz));
    double *out = to_host(d_out, n);
    for (int check = 0; check < 50000; check++) {
        const struct place p = random_place(v, 1);
        const size_t i = ((size_t)p.z * v.ny + p.y) * v.nx + p.x;
        const double want = faces_at(u, k, n, i, v.nx, (size_t)v.nx * v.ny);
        EXPECT(fabs(out[i] - want) < 1e-12, "cell %zu: %g, not %g", i, out[i], want);
    }
    free(u), free(k), free(out);
}

/* ---- time on a tile ---- */

enum { STEPS = 4, SIDE = 32, KEPT = SIDE - 2 * STEPS };

/* Four steps of heat on a tile of 32 x 32 in shared memory, of which 24 x 24 come out right: a thread a cell. Cells beyond the
 * plate are as warm as the nearest on it. */
__global__ void heat_tile(const float *in, const float *power, float *out, int n)
{
    __shared__ float s[2][SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (int)blockIdx.x * KEPT + tx - STEPS, y = (int)blockIdx.y * KEPT + ty - STEPS;
    const bool on = x >= 0 && y >= 0 && x < n && y < n;
    const int i = min(max(y, 0), n - 1) * n + min(max(x, 0), n - 1);
    const float source = power[i];
    const int west = x <= 0 ? tx : tx - 1, east = x >= n - 1 ? tx : tx + 1;
    const int north = y <= 0 ? ty : ty - 1, south = y >= n - 1 ? ty : ty + 1;
    s[0][ty][tx] = in[i];
    __syncthreads();
    for (int k = 0; k < STEPS; k++) {
        const float(*a)[SIDE] = s[k % 2];
        if (on && tx > k && ty > k && tx < SIDE - 1 - k && ty < SIDE - 1 - k)
            s[1 - k % 2][ty][tx] =
                a[ty][tx] +
                0.2f * (a[ty][west] + a[ty][east] + a[north][tx] + a[south][tx] - 4 * a[ty][tx] + source);
        __syncthreads();
    }
    if (on && tx >= STEPS && ty >= STEPS && tx < SIDE - STEPS && ty < SIDE - STEPS)
        out[i] = s[STEPS % 2][ty][tx];
}

/* The heat at a place after `steps`, from those around it. */
static double heat_at(const float *in, const float *power, int n, int x, int y, int steps)
{
    if (!steps)
        return in[y * n + x];
    const int west = x ? x - 1 : 0, east = x < n - 1 ? x + 1 : x, north = y ? y - 1 : 0, south = y < n - 1 ? y + 1 : y;
    const double here = heat_at(in, power, n, x, y, steps - 1);
    return here + 0.2 * (heat_at(in, power, n, west, y, steps - 1) + heat_at(in, power, n, east, y, steps - 1) +
                         heat_at(in, power, n, x, north, steps - 1) + heat_at(in, power, n, x, south, steps - 1) -
                         4 * here + power[y * n + x]);
}

static void run_heat_tile(int size)
{
    const int n = size == 0 ? 300 : size == 1 ? 1500 : 6000;
    const size_t cells = (size_t)n * n;
    float *in = random_floats(cells), *power = random_floats(cells), *d_in = to_device(in, cells);
    float *d_power = to_device(power, cells), *d_out = device_zeros<float>(cells);
    LAUNCH(heat_tile<<<dim3(blocks_for(n, KEPT), blocks_for(n, KEPT)), dim3(SIDE, SIDE)>>>(d_in, d_power, d_out, n));
    float *out = to_host(d_out, cells);
    for (int check = 0; check < 3000; check++) {
        const int x = check % 8 ? (int)random_below(n) : 0, y = (int)random_below(n);
        const double want = heat_at(in, power, n, x, y, STEPS);
        EXPECT(fabs(out[y * n + x] - want) < 1e-5, "place %d %d: %g, not %g", x, y, out[y * n + x], want);
    }
    free(in), free(power), free(out);
}

/* ---- down an image ---- */

enum { ROWS_EACH = 64 };

/* A warp 30 columns, marching down 64 rows: three rows in registers, neighbours by shuffles, no shared memory. */
__global__ void sharpen_rows(const float *in, float *out, int width, int height)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int x = min(warp * 30 + lane, width - 1), first = blockIdx.y * ROWS_EACH;
    float a = in[(size_t)first * width + x], b = in[(size_t)(first + 1) * width + x];
    for (int y = first + 1; y <= first + ROWS_EACH && y < height - 1; y++) {
        const float c = in[(size_t)(y + 1) * width + x], sum = a + b + c;
        const float around = sum + __shfl_up_sync(~0u, sum, 1) + __shfl_down_sync(~0u, sum, 1);
        if (lane > 0 && lane < 31 && warp * 30 + lane < width - 1)
            out[(size_t)y * width + x] = 2 * b - around * (1.0f / 9);
        a = b;
        b = c;
    }
}

static void run_sharpen_rows(int size)
{
    const int width = size == 0 ? 640 : size == 1 ? 4000 : 12000, height = size == 0 ? 480 : size == 1 ? 3000 : 9000;
    const size_t n = (size_t)width * height;
    float *in = random_floats(n), *d_in = to_device(in, n), *d_out = device_zeros<float>(n);
    const dim3 grid(blocks_for(width - 2, 30 * 4), blocks_for(height - 2, ROWS_EACH));
    LAUNCH(sharpen_rows<<<grid, 128>>>(d_in, d_out, width, height));
    float *out = to_host(d_out, n);
    for (int check = 0; check < 50000; check++) {
        const int x = 1 + (int)random_below(width - 2), y = 1 + (int)random_below(height - 2);
        double around = 0;
        for (int k = 0; k < 9; k++)
            around += in[(size_t)(y + k / 3 - 1) * width + x + k % 3 - 1];
        const double want = 2.0 * in[(size_t)y * width + x] - around / 9;
        EXPECT(fabs(out[(size_t)y * width + x] - want) < 1e-5, "pixel %d %d", x, y);
    }
    free(in), free(out);
}

CORPUS({"seven_registers", "seven", run_seven_registers}, {"seven_plane", "seven", run_seven_plane},
       {"seven_pieces", "seven", run_seven_pieces}, {"wide_queue", NULL, run_wide_queue},
       {"box_planes", NULL, run_box_planes}, {"wave_step", NULL, run_wave_step},
       {"faces_column", NULL, run_faces_column}, {"heat_tile", NULL, run_heat_tile},
       {"sharpen_rows", NULL, run_sharpen_rows})
