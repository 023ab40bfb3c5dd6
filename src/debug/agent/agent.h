/* agent.h - the debugged process's side of a debugger (docs/debug.md, "The agent"): it runs launches behind gates
 * (exec/gate/gate.h), stops them where it was asked to, answers for their state, and goes back in them.
 *
 * Another process, the debugger, asks over a socket; it may come, ask anything, and go at any time. The agent is the
 * process's. It knows the engine and not the driver: src/attach tells it what the driver does. */
#ifndef LS_DEBUG_AGENT_H
#define LS_DEBUG_AGENT_H

#include "check/core/finding.h"
#include "exec/exec.h"

/* The tools of `lockstep check`, as the agent uses them: findings go to agent_found. */
struct agent_checks {
    const char *(*start)(unsigned tools); /* where CUDA starts; NULL, or what is wrong */
    /* One grid's: its hooks, or NULL (it is not checked); end follows exec_run. */
    const struct exec_hooks *(*begin)(const struct exec_launch *l);
    void (*end)(enum ls_status s, const struct exec_fault *fault);
};

struct agent_config {
    const struct agent_checks *checks; /* NULL: there are none */
    const char *where;                 /* wire.h */
    struct mem *mem;                   /* of all devices */
    u64 memory_most;                   /* launches with more live memory cannot be gone back in */
    const volatile bool *cancel;       /* the process ends */
    u64 (*new_id)(void);               /* of a grid that a kernel launched */
    const struct gpu *gpu;
    unsigned devices;
};

/* Connects, and waits until the debugger lets the program go. NULL, or what is wrong: then there is no agent. */
const char *agent_start(const struct agent_config *c);

/* Runs a launch with all that its kernels launch. */
enum ls_status agent_launch(const struct exec_launch *l, struct exec_fault *fault);

/* From any thread; in a launch from its own. */
void agent_found(const struct finding *f);
u64 agent_clock(void); /* the tick of the launch under way: check_options.clock */

/* A call of the API begins in this thread, and returns. */
void agent_call_begin(const char *name);
void agent_call_end(void);

void agent_module_made(const struct exec_module *m);
void agent_module_gone(const struct exec_module *m);
void agent_end(void); /* the process ends */
void agent_forked(void);

#endif
