/* status.h - the line on the terminal that shows a long kernel at work. */
#ifndef LS_ATTACH_STATUS_H
#define LS_ATTACH_STATUS_H

/* Shows kernels that run for that many seconds or more, if stderr is a terminal. Once, before the first launch. */
void status_start(double after);
/* In a child of fork, where the thread that draws is not. */
void status_forked(void);
/* Before the library is unloaded. */
void status_end(void);

#endif
