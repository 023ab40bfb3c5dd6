/* lattice.cu - physics on grids: fields of electromagnetism, Fourier transforms, smoothed particles, charges that particles leave on
 * a grid, quarks that hop between the sites of a lattice.
 */
#include "corpus.h"

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = random_float() - 0.5f;
    return a;
}

/* ---- two-dimensional finite differences in time: the magnetic field from the electric one, in place ---- */

/* A thread a cell, blocks of 32 x 8: three streams in, one out, bound by DRAM. */
__global__ void fdtd2d_magnetic(float *hz, const float *ex, const float *ey, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        const int i = y * nx + x;
        hz[i] = hz[i] - 0.7f * (ex[i + nx] - ex[i] + ey[y * (nx + 1) + x + 1] - ey[y * (nx + 1) + x]);
    }
}

static void run_fdtd2d_magnetic(int size)
{
    const int n = size == 0 ? 300 : size == 1 ? 1500 : 4000;
    const size_t cells = (size_t)n * n, edges = (size_t)n * (n + 1);
    float *hz = random_floats(cells), *ex = random_floats(edges), *ey = random_floats(edges);
    float *d_hz = to_device(hz, cells), *d_ex = to_device(ex, edges), *d_ey = to_device(ey, edges);
    LAUNCH(fdtd2d_magnetic<<<dim3(blocks_for(n, 32), blocks_for(n, 8)), dim3(32, 8)>>>(d_hz, d_ex, d_ey, n, n));
    float *out = to_host(d_hz, cells);
    for (int check = 0; check < 50000; check++) {
        const size_t x = random_below(n), y = random_below(n), i = y * n + x, j = y * (n + 1) + x;
        const double want = hz[i] - corpus_launches * 0.7 * ((double)ex[i + n] - ex[i] + ey[j + 1] - ey[j]);
        EXPECT(fabs(out[i] - want) < 1e-5, "cell %zu %zu: %g, not %g", x, y, out[i], want);
    }
    free(hz), free(ex), free(ey), free(out);
}

/* ---- Fourier transforms ---- */

static const double tau = 6.283185307179586;

enum { POINTS = 1024 };

/* A block of 512 a transform of 1024 points, radix 2 in shared memory, places by reversed bits, factors from a table in global
 * memory: ten barriers, bank conflicts, bound by shared memory. */
__global__ void fft_shared(const float2 *in, float2 *out, const float2 *factors)
{
    __shared__ float2 s[POINTS];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * POINTS;
    for (int i = t; i < POINTS; i += blockDim.x)
        s[__brev(i) >> 22] = in[base + i];
    for (int half = 1; half < POINTS; half *= 2) {
        __syncthreads();
        const int k = t % half, first = t / half * 2 * half + k;
        const float2 w = factors[k * (POINTS / 2 / half)], a = s[first], b = s[first + half];
        const float2 p = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        s[first] = make_float2(a.x + p.x, a.y + p.y);
        s[first + half] = make_float2(a.x - p.x, a.y - p.y);
    }
    __syncthreads();
    for (int i = t; i < POINTS; i += blockDim.x)
        out[base + i] = s[i];
}

static void run_fft_shared(int size)
{
    const int transforms = size == 0 ? 50 : size == 1 ? 2000 : 10000;
    const size_t n = (size_t)transforms * POINTS;
    float2 *in = (float2 *)random_floats(2 * n), *factors = host_array<float2>(POINTS / 2);
    for (int k = 0; k < POINTS / 2; k++)
        factors[k] = make_float2((float)cos(tau * k / POINTS), (float)-sin(tau * k / POINTS));
    float2 *d_in = to_device(in, n), *d_out = device_zeros<float2>(n), *d_factors = to_device(factors, POINTS / 2);
    LAUNCH(fft_shared<<<transforms, POINTS / 2>>>(d_in, d_out, d_factors));
    float2 *out = to_host(d_out, n);
    for (int check = 0; check < 300; check++) {
        const size_t base = (size_t)random_below(transforms) * POINTS, f = random_below(POINTS);
        double re = 0, im = 0;
        for (size_t i = 0; i < POINTS; i++) {
            const double c = cos(tau * (double)(f * i % POINTS) / POINTS),
                         s = -sin(tau * (double)(f * i % POINTS) / POINTS);
            re += in[base + i].x * c - in[base + i].y * s;
            im += in[base + i].x * s + in[base + i].y * c;
        }
        EXPECT(fabs(out[base + f].x - re) < 1e-3 && fabs(out[base + f].y - im) < 1e-3, "frequency %zu: %g %g", f, re,
               im);
    }
    free(in), free(out), free(factors);
}

/* A pass of Stockham's transform, radix 4, a butterfly a thread, factors computed: writes with gaps, bound by DRAM. */
__global__ void stockham_pass(const float2 *in, float2 *out, int n, int p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, quarter = n / 4, k = i & (p - 1), to = ((i - k) << 2) + k;
    float2 v[4];
    for (int r = 0; r < 4; r++) {
        const float2 x = in[i + r * quarter];
        float s, c;
        sincospif(-(float)(r * k) / (float)(2 * p), &s, &c);
        v[r] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    out[to] = make_float2(a.x + c.x, a.y + c.y);
    out[to + p] = make_float2(b.x + d.x, b.y + d.y);
    out[to + 2 * p] = make_float2(a.x - c.x, a.y - c.y);
    out[to + 3 * p] = make_float2(b.x - d.x, b.y - d.y);
}

static void run_stockham_pass(int size)
{
    const int n = size == 0 ? 1 << 16 : size == 1 ? 1 << 21 : 1 << 24, p = 4;
    float2 *in = (float2 *)random_floats(2 * (size_t)n), *d_in = to_device(in, n), *d_out = device_zeros<float2>(n);
    LAUNCH(stockham_pass<<<n / 4 / 256, 256>>>(d_in, d_out, n, p));
    float2 *out = to_host(d_out, n);
    for (int check = 0; check < 50000; check++) {
        const int i = (int)random_below(n / 4), k = i % p, q = (int)random_below(4);
        double re = 0, im = 0;
        for (int r = 0; r < 4; r++) {
            const float2 x = in[i + r * (n / 4)];
            const double angle = -tau * r * (k + q * p) / (4 * p), c = cos(angle), s = sin(angle);
            re += x.x * c - x.y * s;
            im += x.x * s + x.y * c;
        }
        const float2 got = out[(i - k) * 4 + k + q * p];
        EXPECT(fabs(got.x - re) < 1e-5 && fabs(got.y - im) < 1e-5, "butterfly %d, %d: %g %g, not %g %g", i, q, got.x,
               got.y, re, im);
    }
    free(in), free(out);
}

/* ---- smoothed particles: the density at each, from those of 27 cells around; particles are sorted by cells of size 1 ---- */

static __host__ __device__ inline float kernel_of(float4 a, float4 b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, square = x * x + y * y + z * z;
    return square < 1 ? b.w * (1 - square) * (1 - square) * (1 - square) : 0;
}

static __host__ __device__ inline int cell_of(int x, int y, int z, int side) { return (z * side + y) * side + x; }

static __host__ __device__ float density_at(float4 mine, const float4 *particles, const int *begins, int side)
{
    const int cx = (int)mine.x, cy = (int)mine.y, cz = (int)mine.z;
    float sum = 0;
    for (int z = cz - 1; z <= cz + 1; z++)
        for (int y = cy - 1; y <= cy + 1; y++)
            for (int x = cx - 1; x <= cx + 1; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side)
                    continue;
                const int cell = cell_of(x, y, z, side);
                for (int j = begins[cell]; j < begins[cell + 1]; j++)
                    sum += kernel_of(mine, particles[j]);
            }
    return sum;
}

/* A thread a particle; neighbours in a warp look at nearly the same cells: L1, lanes that part at ends of cells. */
__global__ void sph_density(const float4 *particles, const int *begins, float *density, int n, int side)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        density[i] = density_at(particles[i], particles, begins, side);
}

static void run_sph_density(int size)
{
    const int side = size == 0 ? 8 : size == 1 ? 20 : 32, cells = side * side * side, n = 6 * cells;
    float4 *unsorted = host_array<float4>(n), *particles = host_array<float4>(n);
    int *begins = host_array<int>(cells + 1), *next = host_array<int>(cells);
    for (int i = 0; i < n; i++) {
        unsorted[i] =
            make_float4(side * random_float(), side * random_float(), side * random_float(), 0.5f + random_float());
        begins[cell_of((int)unsorted[i].x, (int)unsorted[i].y, (int)unsorted[i].z, side) + 1]++;
    }
    for (int c = 0; c < cells; c++)
        begins[c + 1] += begins[c], next[c] = begins[c];
    for (int i = 0; i < n; i++)
        particles[next[cell_of((int)unsorted[i].x, (int)unsorted[i].y, (int)unsorted[i].z, side)]++] = unsorted[i];
    float4 *d_particles = to_device(particles, n);
    int *d_begins = to_device(begins, cells + 1);
    float *d_density = device_zeros<float>(n);
    LAUNCH(sph_density<<<blocks_for(n, 128), 128>>>(d_particles, d_begins, d_density, n, side));
    float *density = to_host(d_density, n);
    for (int i = 0; i < n; i += 1 + n / 3000) {
        const float want = density_at(particles[i], particles, begins, side);
        EXPECT(close_to(density[i], want, 1e-4), "particle %d: %g, not %g", i, density[i], want);
    }
    free(unsorted), free(particles), free(begins), free(next), free(density);
}

/* ---- charges of particles to the four corners of their cell ---- */

/* A thread a particle, in no order, four atomic additions of floats: bound by atomics in L2. */
__global__ void charge_deposit(const float2 *places, const float *charges, int n, float *grid, int side)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float2 p = places[i];
    const float q = charges[i];
    const int x = (int)p.x, y = (int)p.y;
    const float fx = p.x - x, fy = p.y - y;
    atomicAdd(&grid[y * side + x], q * (1 - fx) * (1 - fy));
    atomicAdd(&grid[y * side + x + 1], q * fx * (1 - fy));
    atomicAdd(&grid[(y + 1) * side + x], q * (1 - fx) * fy);
    atomicAdd(&grid[(y + 1) * side + x + 1], q * fx * fy);
}

static void run_charge_deposit(int size)
{
    const int side = size == 0 ? 64 : size == 1 ? 512 : 2048, n = size == 0 ? 15000 : size == 1 ? 600000 : 3000000;
    float2 *places = host_array<float2>(n);
    float *charges = host_array<float>(n), *want = host_array<float>((size_t)side * side);
    for (int i = 0; i < n; i++) { /* sixteenths of a cell and small whole charges: sums are exact */
        const unsigned x = random_below(16 * (side - 1)), y = random_below(16 * (side - 1));
        places[i] = make_float2(x / 16.0f, y / 16.0f);
        charges[i] = 1 + (float)random_below(3);
        float *corner = &want[(size_t)(y / 16) * side + x / 16];
        const float fx = x % 16 / 16.0f, fy = y % 16 / 16.0f;
        corner[0] += charges[i] * (1 - fx) * (1 - fy), corner[1] += charges[i] * fx * (1 - fy);
        corner[side] += charges[i] * (1 - fx) * fy, corner[side + 1] += charges[i] * fx * fy;
    }
    float2 *d_places = to_device(places, n);
    float *d_charges = to_device(charges, n), *d_grid = device_zeros<float>((size_t)side * side);
    LAUNCH(charge_deposit<<<blocks_for(n, 256), 256>>>(d_places, d_charges, n, d_grid, side));
    float *grid = to_host(d_grid, (size_t)side * side);
    for (int k = 0; k < side * side; k++)
        EXPECT(grid[k] == corpus_launches * want[k], "corner %d: %g, not %g", k, grid[k], want[k]);
    free(places), free(charges), free(want), free(grid);
}

/* ---- lattice gauge theory: a vector of three colours hops to its site from eight neighbours through 3x3 matrices ---- */

struct colours {
    float2 c[3];
};

/* sum += sign * u * v, or u's conjugate transpose; element e of all sites together, `volume` apart. */
template <bool dagger>
static __host__ __device__ inline void multiply_add(struct colours &sum, const float2 *u, const float2 *v, int volume,
                                                    float sign)
{
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) {
            float2 m = u[(size_t)(dagger ? k * 3 + r : r * 3 + k) * volume];
            const float2 x = v[(size_t)k * volume];
            if (dagger)
                m.y = -m.y;
            sum.c[r].x += sign * (m.x * x.x - m.y * x.y);
            sum.c[r].y += sign * (m.x * x.y + m.y * x.x);
        }
}

static __host__ __device__ struct colours hopped(const float2 *links, const float2 *v, int site, int side)
{
    const int volume = side * side * side * side;
    struct colours sum = {};
    for (int d = 0, step = 1; d < 4; d++, step *= side) {
        const int at = site / step % side;
        const int next = site + (at == side - 1 ? 1 - side : 1) * step, last = site + (at ? -1 : side - 1) * step;
        const float2 *u = links + (size_t)d * 9 * volume;
        multiply_add<false>(sum, u + site, v + next, volume, 1);
        multiply_add<true>(sum, u + last, v + last, volume, -1);
    }
    return sum;
}

/* A thread a site: 72 matrix elements of 8 bytes each, 24 of vectors, few operations for each: bound by DRAM. */
__global__ void quark_hop(const float2 *links, const float2 *v, float2 *out, int side)
{
    const int site = blockIdx.x * blockDim.x + threadIdx.x, volume = side * side * side * side;
    if (site >= volume)
        return;
    const struct colours sum = hopped(links, v, site, side);
    for (int r = 0; r < 3; r++)
        out[(size_t)r * volume + site] = sum.c[r];
}

static void run_quark_hop(int size)
{
    const int side = size == 0 ? 8 : size == 1 ? 16 : 28, volume = side * side * side * side;
    float2 *links = (float2 *)random_floats(72 * (size_t)volume), *v = (float2 *)random_floats(6 * (size_t)volume);
    float2 *d_links = to_device(links, 36 * (size_t)volume), *d_v = to_device(v, 3 * (size_t)volume);
    float2 *d_out = device_zeros<float2>(3 * (size_t)volume);
    LAUNCH(quark_hop<<<blocks_for(volume, 128), 128>>>(d_links, d_v, d_out, side));
    float2 *out = to_host(d_out, 3 * (size_t)volume);
    for (int check = 0; check < 5000; check++) {
        const int site = (int)random_below(volume);
        const struct colours want = hopped(links, v, site, side);
        for (int r = 0; r < 3; r++) {
            const float2 got = out[(size_t)r * volume + site];
            EXPECT(fabs(got.x - want.c[r].x) < 1e-4 && fabs(got.y - want.c[r].y) < 1e-4, "site %d, colour %d", site, r);
        }
    }
    free(links), free(v), free(out);
}

CORPUS({"fdtd2d_magnetic", NULL, run_fdtd2d_magnetic}, {"fft_shared", NULL, run_fft_shared},
       {"stockham_pass", NULL, run_stockham_pass}, {"sph_density", NULL, run_sph_density},
       {"charge_deposit", NULL, run_charge_deposit}, {"quark_hop", NULL, run_quark_hop})
