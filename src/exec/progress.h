/* progress.h - how far the grids that run now have come. Any thread may ask; a grid's own threads pay nothing for it. */
#ifndef LS_EXEC_PROGRESS_H
#define LS_EXEC_PROGRESS_H

#include "base/base.h"

struct exec_progress {
    char kernel[1024]; /* its name as in PTX, cut to fit */
    double seconds;    /* since it began */
    u64 done, blocks;  /* blocks that have ended, and of how many */
    unsigned others;   /* grids that run besides */
};

/* From now on grids are listed when they begin. `ended` is called when one ends that exec_progress_longest has told of,
 * on the thread that launched it, before the text of its printf is given out. Once, before the first launch. */
void exec_progress_on(void (*ended)(void));

/* The grid that has run for longest; false: none runs. */
bool exec_progress_longest(struct exec_progress *out);

/* ---- the engine's side ---- */

struct grid;

struct progress_entry {
    struct progress_entry *next;
    const struct grid *grid;
    double began;
    bool told; /* somebody asked while it was the first */
};

/* Around the time in which the grid's workers are there. */
void progress_begin(struct progress_entry *e, const struct grid *g);
void progress_end(struct progress_entry *e);

#endif
