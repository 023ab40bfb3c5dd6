/* groups.cu - cooperative groups, as programs write them (test_headers.c). */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
using namespace cooperative_groups;

#define KERNEL(name)                                                                                                   \
    static __device__ void name(unsigned *out, unsigned value, const unsigned *in);                                    \
    extern "C" __global__ void group_##name(unsigned *out, const unsigned *in)                                         \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        for (int k = 0; k < 16; k++)                                                                                   \
            out[16 * i + k] = 0;                                                                                       \
        name(out + 16 * i, in[i], in);                                                                                 \
    }                                                                                                                  \
    static __device__ void name(unsigned *out, unsigned value, const unsigned *in)

struct wide {
    double a;
    int b;
    short c;
};
__device__ unsigned digest(wide w)
{
    return (unsigned)(w.a * 3) + (unsigned)w.b * 7 + (unsigned)w.c;
}
__device__ wide widen(unsigned v)
{
    return wide{v * 0.25, (int)v, (short)v};
}

/* The thread's rank, what a template over any group knows. */
template <class Group> __device__ unsigned sum_of_ranks(Group g, int *scratch)
{
    unsigned lane = (unsigned)g.thread_rank(), sum = lane;
    for (unsigned i = (unsigned)g.size() / 2; i > 0; i /= 2) {
        scratch[lane] = (int)sum;
        g.sync();
        if (lane < i)
            sum += (unsigned)scratch[lane + i];
        g.sync();
    }
    return sum;
}

KERNEL(block)
{
    __shared__ int scratch[128];
    thread_block b = this_thread_block();
    out[0] = b.thread_rank();
    out[1] = b.size() + b.num_threads() * 1000;
    out[2] = b.group_index().x * 1000 + b.thread_index().x;
    out[3] = b.group_dim().x + b.dim_threads().y * 1000;
    out[4] = sum_of_ranks(b, scratch);
    scratch[b.thread_rank()] = (int)value;
    auto token = b.barrier_arrive();
    b.barrier_wait(static_cast<decltype(token) &&>(token));
    out[5] = (unsigned)scratch[b.size() - 1 - b.thread_rank()];
    thread_group any = b;
    out[6] = (unsigned)any.size() + (unsigned)any.thread_rank() * 1000;
    cg::sync(b);
    out[7] = sum_of_ranks(any, scratch);
    grid_group g = this_grid();
    out[8] = (unsigned)g.thread_rank();
    out[9] = (unsigned)g.size() + g.group_dim().x * 100000;
    out[10] = (unsigned)g.num_blocks() + (unsigned)g.block_rank() * 100 + g.block_index().x * 10000;
    out[11] = g.is_valid();
}

KERNEL(tile)
{
    auto block = this_thread_block();
    auto t32 = tiled_partition<32>(block);
    thread_block_tile<8> t8 = tiled_partition<8>(block);
    auto t4 = tiled_partition<4>(t32);
    out[0] = t32.thread_rank() | t8.thread_rank() << 8 | t4.thread_rank() << 16;
    out[1] = t32.meta_group_rank() | t32.meta_group_size() << 16;
    out[2] = t8.meta_group_rank() | t8.meta_group_size() << 16;
    out[3] = t4.meta_group_rank() | t4.meta_group_size() << 16;
    out[4] = t8.shfl(value, 3) ^ t8.shfl_xor(value, 5);
    out[5] = t8.shfl_down(value, 2) ^ t8.shfl_up(value, 1);
    out[6] = digest(t4.shfl(widen(value), 2));
    out[7] = (unsigned)t8.any(value % 13 == 0) | (unsigned)t8.all(value % 16 < 12) << 1 | t8.ballot(value & 1) << 8;
    out[8] = t8.match_any(value & 3) | t32.match_any(value & 3) << 8;
    int same = 0;
    out[9] = t4.match_all(value >> 2 & 7, same);
    out[9] |= (unsigned)same << 16;
    out[10] = (unsigned)t32.shfl((unsigned char)value, 7) + (unsigned)(int)t32.shfl(1.5 * value, 9);
    out[11] = (unsigned)(long long)t8.shfl((long long)value * 100000000, 1);
    __shared__ int scratch[128];
    out[12] = sum_of_ranks(t8, scratch + t8.meta_group_rank() * 8);
    thread_group any = t4;
    out[13] = (unsigned)any.size() | (unsigned)any.thread_rank() << 8;
    thread_group eight = tiled_partition(block, 8);
    out[14] = (unsigned)eight.size() | (unsigned)eight.thread_rank() << 8 |
              sum_of_ranks(eight, scratch + t8.meta_group_rank() * 8) << 16;
    out[15] = (unsigned)cg::group_size(t8) + (unsigned)cg::thread_rank(t8);
}

KERNEL(coalesced)
{
    if (value % 3 != 1) {
        coalesced_group g = coalesced_threads();
        out[0] = g.size() | g.thread_rank() << 8;
        out[1] = g.shfl(value, (int)(g.size() / 2));
        out[2] = g.shfl_down(value, 2) ^ g.shfl_up(value, 3);
        out[3] = (unsigned)g.any(value % 7 == 0) | (unsigned)g.all(value % 3 != 1) << 1;
        out[4] = g.ballot(value & 1);
        out[5] = g.match_any(value & 1);
        int same = 0;
        out[6] = g.match_all(value & 0, same);
        out[6] += (unsigned)same;
        out[7] = digest(g.shfl(widen(value), 1));
        coalesced_group four = tiled_partition(g, 4);
        out[8] = four.size() | four.thread_rank() << 8 | four.meta_group_rank() << 16 | four.meta_group_size() << 24;
        out[9] = four.shfl(value, 0);
        out[10] = g.meta_group_rank() | g.meta_group_size() << 8;
        thread_group any = g;
        any.sync();
        out[11] = (unsigned)any.size();
        thread_group two = tiled_partition(any, 2);
        out[12] = (unsigned)two.size() | (unsigned)two.thread_rank() << 8;
    }
}

KERNEL(partition)
{
    auto t = tiled_partition<16>(this_thread_block());
    auto by_label = labeled_partition(t, (int)(value % 5));
    out[0] = by_label.size() | by_label.thread_rank() << 8;
    out[1] = by_label.meta_group_rank() | by_label.meta_group_size() << 8;
    out[2] = by_label.shfl(value, 0);
    auto odd = binary_partition(t, value & 1);
    out[3] = odd.size() | odd.thread_rank() << 8 | odd.meta_group_rank() << 16 | odd.meta_group_size() << 24;
    auto all = binary_partition(t, true);
    out[4] = all.size() | all.thread_rank() << 8 | all.meta_group_rank() << 16 | all.meta_group_size() << 24;
    if (value & 2) {
        auto g = coalesced_threads();
        auto l = labeled_partition(g, value & 4);
        out[5] = l.size() | l.thread_rank() << 8 | l.meta_group_rank() << 16 | l.meta_group_size() << 24;
        out[6] = cg::reduce(l, value, cg::plus<unsigned>());
    }
}

KERNEL(reduce)
{
    auto block = this_thread_block();
    auto t32 = tiled_partition<32>(block);
    auto t8 = tiled_partition<8>(block);
    float f = __int_as_float((int)(0x3f800000u | (value & 0x7fffffu)));
    out[0] = (unsigned)cg::reduce(t32, (int)value, cg::plus<int>());
    out[1] = cg::reduce(t8, value, cg::less<unsigned>()) ^ cg::reduce(t8, value, cg::greater<unsigned>());
    out[2] = cg::reduce(t32, value, cg::bit_xor<unsigned>()) ^ cg::reduce(t8, value, cg::bit_and<unsigned>());
    out[3] = (unsigned)__float_as_int(cg::reduce(t32, f, cg::plus<float>()));
    out[4] = (unsigned)__float_as_int(cg::reduce(t8, f, cg::less<float>()));
    out[5] = (unsigned)(int)(1e3 * cg::reduce(t8, (double)f, cg::greater<double>()));
    out[6] = (unsigned)(cg::reduce(t32, (long long)value, cg::plus<long long>()) >> 5);
    out[7] = cg::reduce(t8, value, [](unsigned a, unsigned b) { return a > b ? a : b; });
    if (value % 3) {
        auto g = coalesced_threads();
        out[8] = cg::reduce(g, value, cg::plus<unsigned>());
        out[9] = (unsigned)(cg::reduce(g, (long long)value, cg::plus<long long>()) >> 3);
        out[10] = cg::reduce(g, value, [](unsigned a, unsigned b) { return a > b ? a : b; });
        out[11] = cg::inclusive_scan(g, value % 100);
        out[12] = cg::exclusive_scan(g, value % 100);
    }
}

KERNEL(scan)
{
    auto block = this_thread_block();
    auto t32 = tiled_partition<32>(block);
    auto t8 = tiled_partition<8>(block);
    float f = __int_as_float((int)(0x3f800000u | (value & 0x7fffffu)));
    out[0] = cg::inclusive_scan(t32, value);
    out[1] = cg::exclusive_scan(t32, value);
    out[2] = cg::inclusive_scan(t8, value, cg::greater<unsigned>());
    out[3] = (unsigned)__float_as_int(cg::inclusive_scan(t32, f));
    out[4] = (unsigned)__float_as_int(cg::exclusive_scan(t8, f));
    out[5] = (unsigned)cg::inclusive_scan(t8, (int)value, cg::bit_xor<int>());
    __shared__ unsigned once[4];
    if (block.thread_rank() < 4)
        once[block.thread_rank()] = 0;
    block.sync();
    cg::invoke_one(t32, [&] { atomicAdd(&once[t32.meta_group_rank()], 1u); });
    block.sync();
    out[6] = once[t32.meta_group_rank()];
    out[7] = (unsigned)cg::invoke_one_broadcast(t32, [&] { return atomicAdd(&once[t32.meta_group_rank()], 5u); });
}

KERNEL(copy)
{
    __shared__ __align__(16) unsigned a[128], b[130];
    auto block = this_thread_block();
    auto warp = tiled_partition<32>(block);
    const unsigned base = blockIdx.x * 128;
    cg::memcpy_async(block, a, in + base, sizeof(unsigned) * 128);
    cg::memcpy_async(block, b, in + base + 1, sizeof(unsigned) * 128);
    cg::wait_prior<1>(block);
    out[0] = a[127 - block.thread_rank()];
    cg::wait(block);
    out[1] = b[127 - block.thread_rank()];
    block.sync();
    cg::memcpy_async(warp, a + 32 * warp.meta_group_rank(), in + 7, 128);
    cg::wait(warp);
    out[2] = a[block.thread_rank() ^ 5];
    cg::memcpy_async(warp, (char *)(b + 32 * warp.meta_group_rank()), (const char *)in + 3, 100);
    cg::wait(warp);
    out[3] = ((unsigned char *)(b + 32 * warp.meta_group_rank()))[warp.thread_rank() * 3];
    (void)value;
}

extern "C" __global__ void group_grid(unsigned *out, const unsigned *in)
{
    grid_group grid = this_grid();
    const unsigned long long i = grid.thread_rank(), n = grid.size();
    unsigned *row = out + 16 * i;
    row[0] = in[i];
    grid.sync();
    row[1] = out[16 * (n - 1 - i)];
    grid.sync();
    row[0] = row[1] * 3;
    cg::sync(grid);
    row[2] = out[16 * ((i + 77) % n)];
    auto token = grid.barrier_arrive();
    row[3] = grid.is_valid();
    grid.barrier_wait(static_cast<decltype(token) &&>(token));
    row[4] = (unsigned)n;
}

KERNEL(wide)
{
    __shared__ block_tile_memory<512> memory;
    auto block = this_thread_block(memory);
    auto t = tiled_partition<128>(block);
    auto half = tiled_partition<64>(t);
    out[0] = t.thread_rank() | t.meta_group_rank() << 16 | t.meta_group_size() << 24;
    out[1] = half.thread_rank() | half.meta_group_rank() << 16 | half.meta_group_size() << 24;
    __shared__ unsigned data[512];
    data[block.thread_rank()] = value;
    t.sync();
    out[2] = data[block.thread_rank() ^ 127];
    half.sync();
    out[3] = t.shfl(value, 77) ^ half.shfl(value, 33);
    out[4] = (unsigned)t.any(value % 127 == 0) | (unsigned)half.all(value % 64 != 63) << 1;
    out[5] = cg::reduce(t, value, cg::plus<unsigned>());
    out[6] = cg::reduce(half, value, cg::greater<unsigned>());
    out[7] = cg::inclusive_scan(t, value);
    out[8] = cg::exclusive_scan(half, value);
}
