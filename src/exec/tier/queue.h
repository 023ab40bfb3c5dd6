/* queue.h - compile jobs, run one after the other by a thread that starts with the first, of low priority from
 * the first on that nobody waits for. */
#ifndef LS_EXEC_TIER_QUEUE_H
#define LS_EXEC_TIER_QUEUE_H

#include "base/base.h"

/* Queues run(arg). Exactly one of run(arg) and drop(arg) is called, by that thread or by tier_queue_cancel; neither when the
 * process ends or forks first: what a job uses must last as long as the process does, or be cancelled before. Returns a
 * ticket, or 0: no thread can be had, or the process ends, and neither will be called. */
u64 tier_queue_add(void (*run)(void *), void (*drop)(void *), void *arg);
/* Waits until the job of this ticket, and all before it, have run or were dropped. Not from a job. */
void tier_queue_wait(u64 ticket);
/* Both; the thread's priority stays as it is for such a job. False: neither run nor drop will be called. */
bool tier_queue_run(void (*run)(void *), void (*drop)(void *), void *arg);
/* Drops the jobs that have this arg; waits until the one that runs has ended, if it has it. Not from a job. False: the process
 * ends, so that one may run on, and what it uses must stay. */
bool tier_queue_cancel(const void *arg);

#endif
