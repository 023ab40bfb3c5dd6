/* science.cu - steps of simulations and of learning from data as suites for heterogeneous machines have them: heat on a chip, speckle
 * in an image, clusters, paths, a layer of a network, flow on a mesh without structure.
 */
#include "corpus.h"

static float *random_floats(size_t n, float from, float width)
{
    float *a = host_array<float>(n);
    for (size_t i = 0; i < n; i++)
        a[i] = from + width * random_float();
    return a;
}

static __host__ __device__ inline int clamped(int x, int n) { return x < 0 ? 0 : x < n ? x : n - 1; }

/* ---- heat on a chip: two steps a launch, blocks of 16 x 16 that overlap by two cells on each side ---- */

enum { CHIP = 16, HEIGHT = 2, INNER = CHIP - 2 * HEIGHT };

static __host__ __device__ inline float heated(float here, float north, float south, float east, float west,
                                               float power)
{
    return here +
           0.1f * (power + (south + north - 2 * here) * 0.3f + (east + west - 2 * here) * 0.4f + (80 - here) * 0.01f);
}

/* A thread a cell, temperatures in shared memory, fewer of them right after each step: bound by barriers and L1. */
__global__ void hotspot(const float *temperature, const float *power, float *out, int n)
{
    __shared__ float tile[CHIP][CHIP];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * INNER + tx - HEIGHT, y = blockIdx.y * INNER + ty - HEIGHT;
    const bool inside = x >= 0 && x < n && y >= 0 && y < n;
    const float watts = inside ? power[y * n + x] : 0.0f;
    tile[ty][tx] = inside ? temperature[y * n + x] : 0.0f;
    __syncthreads();
    const int north = y > 0 ? ty - 1 : ty, south = y < n - 1 ? ty + 1 : ty;
    const int west = x > 0 ? tx - 1 : tx, east = x < n - 1 ? tx + 1 : tx;
    bool right = inside;
    float now = 0;
    for (int step = 0; step < HEIGHT; step++) {
        right = inside && tx > step && tx < CHIP - 1 - step && ty > step && ty < CHIP - 1 - step;
        if (right)
            now = heated(tile[ty][tx], tile[north][tx], tile[south][tx], tile[ty][east], tile[ty][west], watts);
        __syncthreads();
        if (right)
            tile[ty][tx] = now;
        __syncthreads();
    }
    if (right)
        out[y * n + x] = now;
}

static float chip_step(const float *t, const float *power, int n, int x, int y, int steps)
{
    if (steps == 0)
        return t[y * n + x];
    const int north = clamped(y - 1, n), south = clamped(y + 1, n), west = clamped(x - 1, n), east = clamped(x + 1, n);
    return heated(chip_step(t, power, n, x, y, steps - 1), chip_step(t, power, n, x, north, steps - 1),
                  chip_step(t, power, n, x, south, steps - 1), chip_step(t, power, n, east, y, steps - 1),
                  chip_step(t, power, n, west, y, steps - 1), power[y * n + x]);
}

static void run_hotspot(int size)
{
    const int n = size == 0 ? 200 : size == 1 ? 1200 : 3000;
    const size_t cells = (size_t)n * n;
    float *t = random_floats(cells, 60, 40), *power = random_floats(cells, 0, 1);
    float *d_t = to_device(t, cells), *d_power = to_device(power, cells), *d_out = device_zeros<float>(cells);
    const int blocks = blocks_for(n, INNER);
    LAUNCH(hotspot<<<dim3(blocks, blocks), dim3(CHIP, CHIP)>>>(d_t, d_power, d_out, n));
    float *out = to_host(d_out, cells);
    for (int check = 0; check < 20000; check++) {
        const int x = (int)random_below(n), y = (int)random_below(n);
        const float want = chip_step(t, power, n, x, y, HEIGHT);
        EXPECT(close_to(out[(size_t)y * n + x], want, 1e-5), "cell %d %d: %g, not %g", x, y, out[(size_t)y * n + x],
               want);
    }
    free(t), free(power), free(out);
}

/* ---- speckle: derivatives to four sides and the coefficient of diffusion, five streams out ---- */

__global__ void srad_coefficient(const float *image, float *north, float *south, float *west, float *east, float *c,
                                 int n, float q0)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    const int i = y * n + x;
    const float here = image[i];
    const float dn = image[clamped(y - 1, n) * n + x] - here, ds = image[clamped(y + 1, n) * n + x] - here;
    const float dw = image[y * n + clamped(x - 1, n)] - here, de = image[y * n + clamped(x + 1, n)] - here;
    const float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), l = (dn + ds + dw + de) / here;
    const float num = 0.5f * g2 - 1.0f / 16.0f * (l * l), den = 1 + 0.25f * l, q = num / (den * den);
    const float d = (q - q0) / (q0 * (1 + q0)), value = 1.0f / (1.0f + d);
    north[i] = dn, south[i] = ds, west[i] = dw, east[i] = de;
    c[i] = value < 0 ? 0 : value > 1 ? 1 : value;
}

static void run_srad_coefficient(int size)
{
    const int n = size == 0 ? 200 : size == 1 ? 1200 : 3000;
    const size_t cells = (size_t)n * n;
    float *image = random_floats(cells, 1, 1), *d_image = to_device(image, cells), *d[5];
    for (int k = 0; k < 5; k++)
        d[k] = device_zeros<float>(cells);
    const float q0 = 0.05f;
    LAUNCH(srad_coefficient<<<dim3(blocks_for(n, 16), blocks_for(n, 16)), dim3(16, 16)>>>(d_image, d[0], d[1], d[2],
                                                                                          d[3], d[4], n, q0));
    float *south = to_host(d[1], cells), *c = to_host(d[4], cells);
    for (int check = 0; check < 20000; check++) {
        const int x = (int)random_below(n), y = (int)random_below(n), i = y * n + x;
        const double here = image[i], dn = image[clamped(y - 1, n) * n + x] - here,
                     ds = image[clamped(y + 1, n) * n + x] - here;
        const double dw = image[y * n + clamped(x - 1, n)] - here, de = image[y * n + clamped(x + 1, n)] - here;
        const double g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), l = (dn + ds + dw + de) / here;
        const double q = (0.5 * g2 - l * l / 16) / ((1 + 0.25 * l) * (1 + 0.25 * l));
        const double value = 1 / (1 + (q - q0) / (q0 * (1 + q0))), want = fmin(fmax(value, 0.0), 1.0);
        EXPECT(fabs(c[i] - want) < 1e-4 && fabs(south[i] - ds) < 1e-6, "point %d %d: %g, not %g", x, y, c[i], want);
    }
    free(image), free(south), free(c);
}

/* ---- clusters: the nearest of eight centres of 24 features, a point a thread ---- */

enum { FEATURES = 24, CENTRES = 8 };

/* Feature f of all points together, the same centres for all lanes: each centre's loop reads the point again, from L1 or L2. */
__global__ void kmeans_assign(const float *points, const float *centres, int *nearest, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < CENTRES; c++) {
        float sum = 0;
        for (int f = 0; f < FEATURES; f++) {
            const float d = points[(size_t)f * n + i] - centres[c * FEATURES + f];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    nearest[i] = best;
}

static void run_kmeans_assign(int size)
{
    const int n = size == 0 ? 10000 : size == 1 ? 300000 : 2000000;
    float *points = random_floats((size_t)n * FEATURES, 0, 1), *centres = random_floats(CENTRES * FEATURES, 0, 1);
    float *d_points = to_device(points, (size_t)n * FEATURES), *d_centres = to_device(centres, CENTRES * FEATURES);
    int *d_nearest = device_zeros<int>(n);
    LAUNCH(kmeans_assign<<<blocks_for(n, 256), 256>>>(d_points, d_centres, d_nearest, n));
    int *nearest = to_host(d_nearest, n);
    for (int i = 0; i < n; i += 1 + n / 20000) {
        double distance[CENTRES], least = 1e30;
        for (int c = 0; c < CENTRES; c++) {
            distance[c] = 0;
            for (int f = 0; f < FEATURES; f++) {
                const double d = (double)points[(size_t)f * n + i] - centres[c * FEATURES + f];
                distance[c] += d * d;
            }
            least = fmin(least, distance[c]);
        }
        EXPECT(nearest[i] >= 0 && nearest[i] < CENTRES && distance[nearest[i]] < least + 1e-5, "point %d: %d", i,
               nearest[i]);
    }
    free(points), free(centres), free(nearest);
}

/* ---- the cheapest path down a grid: twelve rows a launch, blocks of 256 columns that overlap by twelve on each side ---- */

enum { PATH = 256, DEPTH = 12 };

static __host__ __device__ inline int least_of(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* A thread a column, the last row in shared memory, two barriers a row: bound by latency of the cost that is read each row. */
__global__ void pathfinder(const int *costs, const int *before, int *after, int columns)
{
    __shared__ int row[PATH];
    const int t = threadIdx.x, x = (int)(blockIdx.x * (PATH - 2 * DEPTH)) + t - DEPTH;
    const bool inside = x >= 0 && x < columns;
    row[t] = inside ? before[x] : 1 << 30;
    __syncthreads();
    const int left = x > 0 ? t - 1 : t, right = x < columns - 1 ? t + 1 : t;
    bool valid = false;
    int now = 0;
    for (int k = 0; k < DEPTH; k++) {
        valid = inside && t > k && t < PATH - 1 - k;
        if (valid)
            now = least_of(row[left], row[t], row[right]) + costs[(size_t)k * columns + x];
        __syncthreads();
        if (valid)
            row[t] = now;
        __syncthreads();
    }
    if (valid)
        after[x] = now;
}

static void run_pathfinder(int size)
{
    const int columns = size == 0 ? 10000 : size == 1 ? 400000 : 3000000;
    const size_t n = (size_t)columns * DEPTH;
    int *costs = host_array<int>(n), *before = host_array<int>(columns), *want = host_array<int>(columns);
    for (size_t i = 0; i < n; i++)
        costs[i] = (int)random_below(10);
    for (int x = 0; x < columns; x++)
        want[x] = before[x] = (int)random_below(100);
    int *d_costs = to_device(costs, n), *d_before = to_device(before, columns), *d_after = device_zeros<int>(columns);
    LAUNCH(pathfinder<<<blocks_for(columns, PATH - 2 * DEPTH), PATH>>>(d_costs, d_before, d_after, columns));
    int *after = to_host(d_after, columns);
    for (int k = 0; k < DEPTH; k++) {
        int last = want[0];
        for (int x = 0; x < columns; x++) {
            const int least = least_of(x ? last : want[x], want[x], want[x < columns - 1 ? x + 1 : x]);
            last = want[x];
            want[x] = least + costs[(size_t)k * columns + x];
        }
    }
    for (int x = 0; x < columns; x++)
        EXPECT(after[x] == want[x], "column %d: %d, not %d", x, after[x], want[x]);
    free(costs), free(before), free(want), free(after);
}

/* ---- a layer of a network forward: n inputs, 16 outputs, partial sums of 16 inputs ---- */

/* A block of 16 x 16 weights, a tree over the inputs in shared memory: small blocks, most threads idle at last. */
__global__ void backprop_layer(const float *inputs, const float *weights, float *products, float *sums)
{
    __shared__ float input[16], product[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, first = blockIdx.x * 16;
    if (tx == 0)
        input[ty] = inputs[first + ty];
    __syncthreads();
    product[ty][tx] = weights[(size_t)(first + ty) * 16 + tx] * input[ty];
    __syncthreads();
    for (int step = 2; step <= 16; step *= 2) {
        if (ty % step == 0)
            product[ty][tx] += product[ty + step / 2][tx];
        __syncthreads();
    }
    products[(size_t)(first + ty) * 16 + tx] = product[ty][tx];
    if (ty == 0)
        sums[(size_t)blockIdx.x * 16 + tx] = product[0][tx];
}

static void run_backprop_layer(int size)
{
    const int n = size == 0 ? 4096 : size == 1 ? 131072 : 1 << 20;
    float *inputs = random_floats(n, 0, 1), *weights = random_floats(16 * (size_t)n, -0.5f, 1);
    float *d_inputs = to_device(inputs, n), *d_weights = to_device(weights, 16 * (size_t)n);
    float *d_products = device_zeros<float>(16 * (size_t)n), *d_sums = device_zeros<float>(n);
    LAUNCH(backprop_layer<<<n / 16, dim3(16, 16)>>>(d_inputs, d_weights, d_products, d_sums));
    float *sums = to_host(d_sums, n);
    for (int i = 0; i < n; i += 1 + n / 50000) {
        double want = 0;
        for (int k = 0; k < 16; k++)
            want += (double)inputs[i / 16 * 16 + k] * weights[(size_t)(i / 16 * 16 + k) * 16 + i % 16];
        EXPECT(fabs(sums[i] - want) < 1e-5, "sum %d: %g, not %g", i, sums[i], want);
    }
    free(inputs), free(weights), free(sums);
}

/* ---- flow: fluxes of five quantities through the four faces of a cell of a mesh without structure ---- */

struct state {
    float density, energy, momentum[3];
};

static __host__ __device__ inline struct state state_of(const float *v, int n, int i)
{
    return {v[i], v[4 * (size_t)n + i], {v[(size_t)n + i], v[2 * (size_t)n + i], v[3 * (size_t)n + i]}};
}

struct motion {
    float velocity[3], pressure, speed, sound;
};

static __host__ __device__ inline struct motion motion_of(struct state s)
{
    struct motion m;
    float square = 0;
    for (int k = 0; k < 3; k++) {
        m.velocity[k] = s.momentum[k] / s.density;
        square += m.velocity[k] * m.velocity[k];
    }
    m.speed = sqrtf(square);
    m.pressure = 0.4f * (s.energy - 0.5f * s.density * square);
    m.sound = sqrtf(1.4f * m.pressure / s.density);
    return m;
}

static __host__ __device__ struct state flux_of(const float *v, const int *neighbours, const float *normals, int n,
                                                int i)
{
    const struct state here = state_of(v, n, i);
    const struct motion mine = motion_of(here);
    struct state sum = {};
    for (int face = 0; face < 4; face++) {
        const int other = neighbours[(size_t)face * n + i];
        float normal[3], area = 0;
        for (int k = 0; k < 3; k++) {
            normal[k] = normals[(size_t)(face * 3 + k) * n + i];
            area += normal[k] * normal[k];
        }
        area = sqrtf(area);
        if (other < 0) { /* a wall */
            for (int k = 0; k < 3; k++)
                sum.momentum[k] += normal[k] * mine.pressure;
            continue;
        }
        const struct state there = state_of(v, n, other);
        const struct motion its = motion_of(there);
        const float loss = -0.5f * area * 0.2f * (mine.speed + its.speed + mine.sound + its.sound);
        sum.density += loss * (here.density - there.density);
        sum.energy += loss * (here.energy - there.energy);
        for (int k = 0; k < 3; k++) {
            const float half = 0.5f * normal[k];
            sum.momentum[k] += loss * (here.momentum[k] - there.momentum[k]) + half * (mine.pressure + its.pressure);
            sum.density += half * (here.momentum[k] + there.momentum[k]);
            sum.energy += half * (mine.velocity[k] * (here.energy + mine.pressure) +
                                  its.velocity[k] * (there.energy + its.pressure));
            for (int j = 0; j < 3; j++)
                sum.momentum[j] += half * (here.momentum[j] * mine.velocity[k] + there.momentum[j] * its.velocity[k]);
        }
    }
    return sum;
}

/* A thread a cell, five quantities of each neighbour gathered, some near and some far: L1, L2, divisions and roots. */
__global__ void euler_flux(const float *v, const int *neighbours, const float *normals, float *flux, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const struct state sum = flux_of(v, neighbours, normals, n, i);
    flux[i] = sum.density;
    for (int k = 0; k < 3; k++)
        flux[(size_t)(k + 1) * n + i] = sum.momentum[k];
    flux[4 * (size_t)n + i] = sum.energy;
}

static void run_euler_flux(int size)
{
    const int n = size == 0 ? 8000 : size == 1 ? 200000 : 1200000;
    float *v = random_floats(5 * (size_t)n, 0.5f, 1), *normals = random_floats(12 * (size_t)n, -0.5f, 1);
    int *neighbours = host_array<int>(4 * (size_t)n);
    for (int i = 0; i < n; i++)
        v[4 * (size_t)n + i] += 10; /* the pressure is above 0 */
    for (int face = 0; face < 4; face++)
        for (int i = 0; i < n; i++) {
            const int far = (int)random_below(200), near = i + (face < 2 ? 1 - 2 * face : face == 2 ? far : -far);
            neighbours[(size_t)face * n + i] = random_below(50) == 0 || near < 0 || near >= n ? -1 : near;
        }
    float *d_v = to_device(v, 5 * (size_t)n), *d_normals = to_device(normals, 12 * (size_t)n);
    int *d_neighbours = to_device(neighbours, 4 * (size_t)n);
    float *d_flux = device_zeros<float>(5 * (size_t)n);
    LAUNCH(euler_flux<<<blocks_for(n, 192), 192>>>(d_v, d_neighbours, d_normals, d_flux, n));
    float *flux = to_host(d_flux, 5 * (size_t)n);
    for (int i = 0; i < n; i += 1 + n / 20000) {
        const struct state want = flux_of(v, neighbours, normals, n, i);
        EXPECT(fabs(flux[i] - want.density) < 1e-3 && fabs(flux[4 * (size_t)n + i] - want.energy) < 1e-2,
               "cell %d: %g %g", i, want.density, want.energy);
        for (int k = 0; k < 3; k++)
            EXPECT(fabs(flux[(size_t)(k + 1) * n + i] - want.momentum[k]) < 1e-3, "cell %d: %g", i, want.momentum[k]);
    }
    free(v), free(normals), free(neighbours), free(flux);
}

CORPUS({"hotspot", NULL, run_hotspot}, {"srad_coefficient", NULL, run_srad_coefficient},
       {"kmeans_assign", NULL, run_kmeans_assign}, {"pathfinder", NULL, run_pathfinder},
       {"backprop_layer", NULL, run_backprop_layer}, {"euler_flux", NULL, run_euler_flux})
