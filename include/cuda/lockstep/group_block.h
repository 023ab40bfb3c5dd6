/* group_block.h - cooperative groups of whole blocks and grids, and thread_group, which any group within a block and
 * the grid convert to (CUDA C++ Programming Guide, "Cooperative Groups").
 *
 * A grid's barrier is a word of the workspace that a cooperative launch has, whose address is in two environment
 * registers and null in any other launch. Its low bits count blocks that have come; the block 0 0 0 adds what makes the
 * count carry into the top bit when all have, so that a barrier leaves the word as it found it but for that bit, for
 * which all wait. nvcc's programs use the same word in the same way.
 *
 * A cluster is a single block here, as in a launch without a cluster's shape. Groups of several devices, which CUDA has
 * withdrawn, are not provided. */
#ifndef LOCKSTEP_GROUP_BLOCK_H
#define LOCKSTEP_GROUP_BLOCK_H

#include "group_lanes.h"

#define LS_D __device__ __forceinline__

namespace ls_group {

/* The grid's barrier, or null. */
static LS_D unsigned *grid_word()
{
    unsigned high, low;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    const unsigned long long workspace = (unsigned long long)high << 32 | low;
    return workspace ? (unsigned *)workspace + 1 : (unsigned *)0;
}

static constexpr unsigned grid_top = 0x80000000u;

/* What the word was before this block came; of the first warp alone it counts. */
static LS_D unsigned grid_arrive()
{
    unsigned *word = grid_word();
    if (!word)
        asm volatile("trap;");
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    const unsigned rank = block_rank(), threads = block_size();
    unsigned before = 0;
    sync_block();
    if (rank < 32) {
        if (rank == 0)
            asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(word), "r"(first ? grid_top - (blocks - 1) : 1u)
                         : "memory");
        before = shuffle_word<from_lane>(threads < 32 ? (1u << threads) - 1 : ~0u, before, 0, 31);
    }
    return before;
}

/* All lanes of the first warp wait together, so that they leave together: a lane that waits alone may be left behind.
 */
static LS_D void grid_wait(unsigned before)
{
    if (block_rank() < 32) {
        unsigned *word = grid_word(), now;
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
        while (((now ^ before) & grid_top) == 0);
    }
    sync_block();
}

static LS_D unsigned long long grid_block_rank()
{
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

} // namespace ls_group

namespace cooperative_groups {

/* Any group, its kind known at run time only: a set of lanes of a warp, a block or the grid. */
class thread_group {
  protected:
    enum kind : unsigned { lanes_of_warp, whole_block, whole_grid };
    kind kind_;
    unsigned mask_; /* the lanes, of lanes_of_warp */
    unsigned meta_rank_, meta_size_;

    LS_D thread_group(kind k, unsigned mask, unsigned rank = 0, unsigned size = 1)
        : kind_(k), mask_(mask), meta_rank_(rank), meta_size_(size)
    {
    }
    friend LS_D thread_group tiled_partition(const thread_group &parent, unsigned size);

  public:
    LS_D unsigned long long num_threads() const;
    LS_D unsigned long long size() const { return num_threads(); }
    LS_D unsigned long long thread_rank() const;
    LS_D void sync() const;
};

/* Memory of multi-warp tiles: they have their own here, so that what is given is not used. */
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
    char unused[1];
};

class thread_block : public thread_group {
    LS_D thread_block() : thread_group(whole_block, 0) {}
    friend LS_D thread_block this_thread_block();

  public:
    struct arrival_token {};
    static LS_D void sync() { ls_group::sync_block(); }
    /* Those who have arrived may go on until they wait; the barrier itself is where they wait. */
    LS_D arrival_token barrier_arrive() const { return arrival_token(); }
    LS_D void barrier_wait(arrival_token &&) const { ls_group::sync_block(); }
    static LS_D unsigned thread_rank() { return ls_group::block_rank(); }
    static LS_D unsigned num_threads() { return ls_group::block_size(); }
    static LS_D unsigned size() { return num_threads(); }
    static LS_D dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LS_D dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static LS_D dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static LS_D dim3 dim_threads() { return group_dim(); }
};

LS_D thread_block this_thread_block() { return thread_block(); }
template <unsigned MaxBlockSize> LS_D thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return this_thread_block();
}

class grid_group : public thread_group {
    LS_D grid_group() : thread_group(whole_grid, 0) {}
    friend LS_D grid_group this_grid();

  public:
    struct arrival_token {
        unsigned before;
    };
    LS_D bool is_valid() const { return ls_group::grid_word() != 0; }
    LS_D void sync() const { ls_group::grid_wait(ls_group::grid_arrive()); }
    LS_D arrival_token barrier_arrive() const { return arrival_token{ls_group::grid_arrive()}; }
    LS_D void barrier_wait(arrival_token &&token) const { ls_group::grid_wait(token.before); }
    static LS_D unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static LS_D unsigned long long block_rank() { return ls_group::grid_block_rank(); }
    static LS_D unsigned long long num_threads() { return num_blocks() * ls_group::block_size(); }
    static LS_D unsigned long long size() { return num_threads(); }
    static LS_D unsigned long long thread_rank()
    {
        return block_rank() * ls_group::block_size() + ls_group::block_rank();
    }
    static LS_D dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static LS_D dim3 dim_blocks() { return group_dim(); }
    static LS_D dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LS_D unsigned long long num_clusters() { return num_blocks(); }
    static LS_D unsigned long long cluster_rank() { return block_rank(); }
    static LS_D dim3 dim_clusters() { return group_dim(); }
    static LS_D dim3 cluster_index() { return block_index(); }
};

LS_D grid_group this_grid() { return grid_group(); }

/* ---- thread_group ---- */

LS_D unsigned long long thread_group::num_threads() const
{
    return kind_ == lanes_of_warp ? ls_group::count(mask_)
           : kind_ == whole_block ? thread_block::num_threads()
                                  : grid_group::num_threads();
}
LS_D unsigned long long thread_group::thread_rank() const
{
    return kind_ == lanes_of_warp ? ls_group::count(mask_ & ls_group::lanes_below())
           : kind_ == whole_block ? thread_block::thread_rank()
                                  : grid_group::thread_rank();
}
LS_D void thread_group::sync() const
{
    if (kind_ == lanes_of_warp)
        ls_group::sync_lanes(mask_);
    else if (kind_ == whole_block)
        ls_group::sync_block();
    else
        this_grid().sync();
}

} // namespace cooperative_groups

#undef LS_D
#endif
