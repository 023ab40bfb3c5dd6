/* scoped_pipeline.h - cuda::pipeline: stages of copies, filled by producers and used by consumers: what <cuda/pipeline>
 * is made of.
 *
 * A thread's own pipeline is its batches of cp.async. A block's has, for each stage, a barrier that the producers reach
 * when the stage is full and one that the consumers reach when it is free again; a producer's copies are complete when
 * it commits them. */
#ifndef LOCKSTEP_SCOPED_PIPELINE_H
#define LOCKSTEP_SCOPED_PIPELINE_H

#include "../cuda_pipeline_primitives.h"
#include "scoped_barrier.h"

#define LS_D __device__ __forceinline__

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned Stages> struct pipeline_shared_state {
    barrier<Scope> full[Stages], empty[Stages];
    unsigned producers, consumers;
    pipeline_shared_state() = default;
    pipeline_shared_state(const pipeline_shared_state &) = delete;
};

template <thread_scope Scope> class pipeline {
    barrier<Scope> *full_ = 0, *empty_ = 0; /* of a block's pipeline */
    unsigned stages_ = 1;
    bool producer_ = true, consumer_ = true;
    unsigned committed_ = 0, waited_ = 0, released_ = 0;

    LS_D unsigned stage(unsigned count) const { return count % stages_; }
    LS_D bool round(unsigned count) const { return count / stages_ & 1; }

  public:
    pipeline() = default;
    LS_D pipeline(barrier<Scope> *full, barrier<Scope> *empty, unsigned stages, bool producer, bool consumer)
        : full_(full), empty_(empty), stages_(stages), producer_(producer), consumer_(consumer)
    {
    }
    pipeline(pipeline &&) = default;
    pipeline &operator=(pipeline &&) = default;

    /* Until the next stage is free: the first round of stages is. */
    LS_D void producer_acquire()
    {
        if (empty_ && producer_)
            empty_[stage(committed_)].wait_parity(!round(committed_));
    }
    LS_D void producer_commit()
    {
        ls_copy::commit();
        if (full_ && producer_) {
            ls_copy::wait<0>();
            (void)full_[stage(committed_)].arrive();
        }
        committed_++;
    }
    /* Until the oldest stage that has not been waited for is full. */
    LS_D void consumer_wait()
    {
        if (full_ && consumer_)
            full_[stage(waited_)].wait_parity(round(waited_));
        else if (!full_)
            __pipeline_wait_prior(committed_ - waited_ - 1);
        waited_++;
    }
    LS_D void consumer_release()
    {
        if (empty_ && consumer_)
            (void)empty_[stage(released_)].arrive();
        released_++;
    }
    /* All stages but the last `prior` are full. */
    LS_D void wait_prior(unsigned prior)
    {
        if (!full_)
            __pipeline_wait_prior(prior);
        while (waited_ + prior < committed_) {
            if (full_)
                consumer_wait();
            else
                waited_++;
        }
    }
    LS_D bool quit()
    {
        if (empty_ && consumer_)
            empty_[0].arrive_and_drop();
        return true;
    }
};

/* ---- making one ---- */

LS_D pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

} // namespace cuda

namespace ls_pipeline {
using namespace cuda;

template <class Group, thread_scope Scope, unsigned Stages>
LS_D pipeline<Scope> make(const Group &group, pipeline_shared_state<Scope, Stages> *state, unsigned producers,
                          unsigned consumers, bool producer, bool consumer)
{
    group.sync();
    if (group.thread_rank() == 0)
        for (unsigned i = 0; i < Stages; i++) {
            init(&state->full[i], (ptrdiff_t)producers);
            init(&state->empty[i], (ptrdiff_t)consumers);
        }
    group.sync();
    return pipeline<Scope>(state->full, state->empty, Stages, producer, consumer);
}
} // namespace ls_pipeline

namespace cuda {

/* Every thread of the group is both. */
template <class Group, thread_scope Scope, unsigned Stages>
LS_D pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state)
{
    const unsigned n = (unsigned)group.size();
    return ls_pipeline::make(group, state, n, n, true, true);
}
/* The first so many threads produce, the others consume. */
template <class Group, thread_scope Scope, unsigned Stages>
LS_D pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, size_t producers)
{
    const unsigned n = (unsigned)group.size();
    const bool producer = (size_t)group.thread_rank() < producers;
    return ls_pipeline::make(group, state, (unsigned)producers, n - (unsigned)producers, producer, !producer);
}
/* Each thread says which it is. */
template <class Group, thread_scope Scope, unsigned Stages>
LS_D pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, pipeline_role role)
{
    const bool producer = role == pipeline_role::producer;
    if (group.thread_rank() == 0)
        state->producers = 0;
    group.sync();
    if (producer)
        ls_atomic::place<unsigned, Scope>::template change<ls_atomic::add>(&state->producers, 1u, memory_order_relaxed);
    group.sync();
    const unsigned producers = state->producers, n = (unsigned)group.size();
    return ls_pipeline::make(group, state, producers, n - producers, producer, !producer);
}

template <unsigned Prior, thread_scope Scope> LS_D void pipeline_consumer_wait_prior(pipeline<Scope> &pipe)
{
    pipe.wait_prior(Prior);
}

/* ---- copies: of a group, of one thread ---- */

template <class Group, class Shape, thread_scope Scope>
LS_D void memcpy_async(const Group &group, void *dst, const void *src, const Shape &shape, pipeline<Scope> &)
{
    ls_copy::by_threads((unsigned)group.thread_rank(), (unsigned)group.size(), dst, src, static_cast<size_t>(shape));
}
template <class Shape, thread_scope Scope>
LS_D void memcpy_async(void *dst, const void *src, const Shape &shape, pipeline<Scope> &)
{
    ls_copy::by_threads(0, 1, dst, src, static_cast<size_t>(shape));
}

} // namespace cuda

#undef LS_D
#endif
