/* ipc.h - what two processes share: files in memory that are named by the
 * process that has them (ipc.c), and events that both see (event_ipc.c). */
#ifndef LS_DRIVER_IPC_H
#define LS_DRIVER_IPC_H

#include "driver/driver.h"

struct ipc_file {
    i32 pid, fd;
    u64 device, inode; /* numbers are used again: it must be this file */
};

bool ipc_file_name(int fd, struct ipc_file *out);
/* A descriptor for it, if it has at least `bytes`; -1: there is none, or it may not be opened. */
int ipc_file_open(const struct ipc_file *f, u64 bytes);

/* ---- events; all calls are safe from any thread ---- */

struct ipc_event;

struct ipc_event *ipc_event_new(void); /* NULL: no memory */
void ipc_event_ref(struct ipc_event *e);
void ipc_event_unref(struct ipc_event *e); /* or NULL */

/* A record: its number, and then that it is reached (once is enough, more do no
 * harm). */
u64 ipc_event_begin(struct ipc_event *e);
void ipc_event_reach(struct ipc_event *e, u64 n);

u64 ipc_event_last(struct ipc_event *e); /* 0: there is none yet */
bool ipc_event_done(struct ipc_event *e, u64 n);
void ipc_event_wait(struct ipc_event *e, u64 n);

bool ipc_event_export(struct ipc_event *e, CUipcEventHandle *out);
/* CUDA_ERROR_MAP_FAILED: there is no such event (any more). */
CUresult ipc_event_open(const CUipcEventHandle *handle, struct ipc_event **out);

#endif
