/* event_ipc.c - events that several processes record and wait for: a page in a
 * file in memory that all of them map.
 *
 * Records are numbered in the order in which they are made, over all processes. Record n has slot n % SLOTS, where its
 * process says that it was begun, and then that it is reached; a slot is used again when the record before is reached.
 * A waiting thread sleeps on a counter in the page that every reached record increments (a futex). Records of a process
 * that has died count as reached. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "driver/memory/ipc.h"

enum { SLOTS = 128 };

struct slot {
    _Atomic u64 begun, reached; /* the highest record */
    _Atomic i32 pid;            /* whose `begun` is */
};

struct page {
    _Atomic u64 last;
    _Atomic u32 moved;
    struct slot slots[SLOTS];
};

struct ipc_event {
    atomic_uint refs;
    int fd;
    struct page *page;
};

struct event_handle {
    u32 magic;
    struct ipc_file file;
};
#define EVENT_MAGIC 0x4c53a111u

_Static_assert(sizeof(struct event_handle) <= sizeof(CUipcEventHandle), "it travels in the handle");

/* Takes fd, also on failure. */
static struct ipc_event *event_of(int fd)
{
    struct page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct ipc_event *e = page == MAP_FAILED ? NULL : ls_calloc(1, sizeof *e);
    if (!e) {
        if (page != MAP_FAILED)
            munmap(page, sizeof *page);
        close(fd);
        return NULL;
    }
    atomic_init(&e->refs, 1);
    e->fd = fd;
    e->page = page;
    return e;
}

struct ipc_event *ipc_event_new(void)
{
    const int fd = memfd_create("lockstep event", MFD_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (ftruncate(fd, sizeof(struct page)) != 0) {
        close(fd);
        return NULL;
    }
    return event_of(fd);
}

void ipc_event_ref(struct ipc_event *e) { atomic_fetch_add(&e->refs, 1); }

void ipc_event_unref(struct ipc_event *e)
{
    if (!e || atomic_fetch_sub(&e->refs, 1) != 1)
        return;
    munmap(e->page, sizeof *e->page);
    close(e->fd);
    ls_free(e);
}

static struct slot *slot_of(struct ipc_event *e, u64 n) { return &e->page->slots[n % SLOTS]; }

static void raise_to(_Atomic u64 *at, u64 n)
{
    for (u64 was = atomic_load(at); was < n && !atomic_compare_exchange_weak(at, &was, n);)
        ;
}

u64 ipc_event_begin(struct ipc_event *e)
{
    const u64 n = atomic_fetch_add(&e->page->last, 1) + 1;
    if (n > SLOTS)
        ipc_event_wait(e, n - SLOTS);
    atomic_store(&slot_of(e, n)->pid, getpid());
    atomic_store(&slot_of(e, n)->begun, n);
    return n;
}

void ipc_event_reach(struct ipc_event *e, u64 n)
{
    raise_to(&slot_of(e, n)->reached, n);
    atomic_fetch_add(&e->page->moved, 1);
    syscall(SYS_futex, &e->page->moved, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

u64 ipc_event_last(struct ipc_event *e) { return atomic_load(&e->page->last); }

bool ipc_event_done(struct ipc_event *e, u64 n) { return n == 0 || atomic_load(&slot_of(e, n)->reached) >= n; }

static bool left_behind(struct ipc_event *e, u64 n)
{
    struct slot *s = slot_of(e, n);
    return atomic_load(&s->begun) == n && kill(atomic_load(&s->pid), 0) != 0 && errno == ESRCH;
}

void ipc_event_wait(struct ipc_event *e, u64 n)
{
    const struct timespec patience = {0, 50000000};
    while (!atomic_load(&drv.exiting)) {
        const u32 moved = atomic_load(&e->page->moved);
        if (ipc_event_done(e, n))
            return;
        if (syscall(SYS_futex, &e->page->moved, FUTEX_WAIT, moved, &patience, NULL, 0) != 0 && errno == ETIMEDOUT &&
            left_behind(e, n))
            ipc_event_reach(e, n);
    }
}

/* ---- handles ---- */

bool ipc_event_export(struct ipc_event *e, CUipcEventHandle *out)
{
    struct event_handle h = {.magic = EVENT_MAGIC};
    if (!ipc_file_name(e->fd, &h.file))
        return false;
    memset(out, 0, sizeof *out);
    memcpy(out, &h, sizeof h);
    return true;
}

CUresult ipc_event_open(const CUipcEventHandle *handle, struct ipc_event **out)
{
    struct event_handle h;
    memcpy(&h, handle, sizeof h);
    if (h.magic == EVENT_MAGIC && h.file.pid == getpid()) /* as in CUDA: the event's maker cannot open its own handle */
        return CUDA_ERROR_INVALID_CONTEXT;
    const int fd = h.magic == EVENT_MAGIC ? ipc_file_open(&h.file, sizeof(struct page)) : -1;
    if (fd < 0)
        return CUDA_ERROR_MAP_FAILED;
    *out = event_of(fd);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
