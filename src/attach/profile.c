/* profile.c - launches under the meter: with LOCKSTEP_SESSION=<folder>, each selected launch runs with hooks and a
 * record of it is appended to <folder>/<pid>.rec. What is not selected runs fast. LOCKSTEP_KERNEL, ..._BASE, ..._ID and
 * LOCKSTEP_LAUNCH_SKIP, _COUNT, _SKIP_BEFORE_MATCH select (meter/session/select.h). cuProfilerStop and cuProfilerStart switch
 * it off and on; LOCKSTEP_PROFILE_FROM_START=0 begins switched off.
 *
 * LOCKSTEP_CLOCK=base models time at the GPU's base clock, boost (the default) at its boost clock.
 *
 * LOCKSTEP_MODEL_LAUNCHES=sampled: of launches that are alike some are modelled (sampling.h).
 *
 * LOCKSTEP_BANKS=5x4 pictures a shared memory of that many banks, of that many bytes each.
 *
 * LOCKSTEP_KILL=1 ends the process when LOCKSTEP_LAUNCH_COUNT launches have run, and leaves a file `ended` in the
 * folder: a process that begins behind that ends at once.
 *
 * LOCKSTEP_PROGRESS=<file>, or - for stdout: ncu's lines about what is being profiled go there. Then the folder also
 * has a file `connected` (a line a process: pid and program) and a file `launches`, whose size numbers the launches of
 * all processes: appending a byte to it is atomic. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/profile_tree.h"
#include "attach/sampling.h"
#include "base/alloc.h"
#include "base/vec.h"
#include "meter/meter.h"
#include "meter/report/heap.h"
#include "meter/session/select.h"
#include "meter/session/session.h"
#include "model/device_heap.h"

static struct {
    const char *folder;   /* NULL: no profiling */
    const char *progress; /* NULL: say nothing */
    struct select select;
    bool kill;         /* end the process when so many have run as were wanted (LOCKSTEP_KILL) */
    atomic_ullong run; /* launches that ran under the meter */
    atomic_bool complained, mute;
} profile;

static atomic_bool unmodelled; /* lockstep_driver_model(0) was the last */

void lockstep_driver_model(int on) { atomic_store(&unmodelled, !on); }

static bool checks; /* launches are selected for the checks */

static void start_selection(void)
{
    const struct settings *said = &drv.settings;
    const struct select_options o = {
        .kernel = said->kernel,
        .base = said->given[SETTING_KERNEL_BASE],
        .kernel_id = said->kernel_id,
        .skip = said->launch_skip,
        .count = said->launch_count,
        .skip_any = said->launch_skip_before_match,
    };
    char why[256];
    if (!select_init(&profile.select, &o, why))
        drv_log("LOCKSTEP_KERNEL and its kin: %s: every kernel is profiled", why);
}

/* ---- progress ---- */

static void append(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        atomic_store(&profile.mute, true); /* nobody reads it */
    close(fd);
}

static void say(const char *text)
{
    if (atomic_load(&profile.mute))
        return;
    if (strcmp(profile.progress, "-") != 0)
        append(profile.progress, text);
    else if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        atomic_store(&profile.mute, true);
}

static void say_connected(void)
{
    char path[PATH_MAX], line[PATH_MAX + 80], file[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    snprintf(line, sizeof line, "==PROF== Connected to process %ld (%s)\n", (long)getpid(), path);
    say(line);
    snprintf(line, sizeof line, "%ld %s\n", (long)getpid(), path);
    if (snprintf(file, sizeof file, "%s/connected", profile.folder) < (int)sizeof file)
        append(file, line);
}

/* The number of this launch among those of all processes. */
static u64 next_in_sequence(void)
{
    char file[PATH_MAX];
    if (snprintf(file, sizeof file, "%s/launches", profile.folder) >= (int)sizeof file)
        return 0;
    const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const bool written = fd >= 0 && write(fd, ".", 1) == 1;
    const off_t end = written ? lseek(fd, 0, SEEK_CUR) : 0; /* behind this process's own byte */
    if (fd >= 0)
        close(fd);
    return end > 0 ? (u64)end - 1 : 0;
}

/* ncu cuts long names. */
static void say_profiled(const char *kernel, u64 sequence)
{
    enum { SHOWN = 32 };
    char name[4096], line[160];
    kernel_name(kernel, KERNEL_FUNCTION, name, sizeof name);
    const bool cut = strlen(name) > SHOWN;
    snprintf(line, sizeof line, "==PROF== Profiling \"%.*s%s\" - %llu: 0%%....50%%....100%% - 1 pass\n",
             cut ? SHOWN - 3 : SHOWN, name, cut ? "..." : "", (unsigned long long)sequence);
    say(line);
}

/* ---- ending the process early ---- */

static bool ended_file(char path[PATH_MAX]) { return snprintf(path, PATH_MAX, "%s/ended", profile.folder) < PATH_MAX; }

/* The launch has run. What the program has not yet written of its own output is lost, as under ncu. */
static void count_run(void)
{
    char path[PATH_MAX];
    const u64 n = atomic_fetch_add(&profile.run, 1) + 1;
    if (!profile.kill || n < profile.select.options.count)
        return;
    if (profile.progress)
        say("==PROF== Trying to shutdown target application\n");
    if (ended_file(path))
        append(path, ".");
    _exit(0);
}

static void end_if_others_did(void)
{
    char path[PATH_MAX];
    if (profile.kill && ended_file(path) && access(path, F_OK) == 0)
        _exit(0);
}

/* ---- selecting ---- */

/* The session's folder then takes findings, which are written differently. */
static void leave_to_check(void)
{
    if (drv.settings.progress || drv.settings.caches || drv.settings.pictures)
        drv_log("LOCKSTEP_CHECK is set: launches are checked and not profiled");
    start_selection();
}

void profile_start(bool checking)
{
    checks = checking;
    if (checking) {
        leave_to_check();
        return;
    }
    profile.folder = drv.settings.session;
    if (!profile.folder)
        return;
    start_selection();
    if (!drv.settings.profile_from_start)
        atomic_store(&drv.profiler_off, true);
    profile.progress = drv.settings.progress;
    profile.kill = drv.settings.kill && drv.settings.launch_count;
    end_if_others_did();
    if (profile.progress)
        say_connected();
}

bool profile_wants(const char *kernel, struct launch_place place)
{
    return (checks || (profile.folder && place.profiled)) &&
           select_take(&profile.select, kernel, place.context, place.stream);
}

bool profile_on(void) { return profile.folder != NULL; }

/* ---- running ---- */

static void complain(const char *what, enum ls_status s)
{
    if (!atomic_exchange(&profile.complained, true))
        drv_log("%s: %s", what, ls_status_text(s));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void record(struct meter_report *r, const struct exec_launch *l, struct launch_place place)
{
    u32 children, refused;
    exec_children_count(l->children, &children, &refused);
    meter_report_has_children(r, children);
    r->context = place.context;
    r->stream = place.stream;
    r->ordinal = place.device;
    if (profile.progress) {
        r->sequence = next_in_sequence();
        say_profiled(r->kernel, r->sequence);
    }
    const enum ls_status s = session_append(profile.folder, drv.settings.gpu, r);
    if (s != LS_OK)
        complain("LOCKSTEP_SESSION: a launch was not recorded", s);
}

/* The program that says what becomes of the PTX; NULL: none does. */
static const char *ptxas_of(const char *said)
{
    if (!said)
        return "ptxas";
    return *said && strcmp(said, "0") != 0 ? said : NULL;
}

static void add_allocation(void *ctx, const struct mem_block *b)
{
    struct meter_options *o = ctx;
    if (b->kind != MEM_HEAP)
        return;
    o->heap_n++;
    o->heap_slots[device_heap_size(b->size)] += device_heap_slots(b->size);
}

/* The host's memory that kernels see: page-locked or registered. */
struct host_memory {
    struct arena mem;
    VEC(struct address_range) ranges;
};

static void add_host(void *ctx, const struct mem_block *b)
{
    struct host_memory *h = ctx;
    if (b->kind != MEM_PINNED && b->kind != MEM_REGISTERED)
        return;
    if (vec_room(&h->mem, &h->ranges))
        h->ranges.at[h->ranges.len++] = (struct address_range){b->base, b->size};
}

struct kept_kernel {
    struct function_kept kept;
    struct meter_kernel *kernel;
};

static void free_kept(struct function_kept *k)
{
    struct kept_kernel *kept = (struct kept_kernel *)k;
    meter_kernel_free(kept->kernel);
    ls_free(kept);
}

/* Of several threads that come at once the first one's is kept. NULL: no memory. */
static struct meter_kernel *kernel_of(CUfunction f)
{
    struct function_kept *there = atomic_load(&f->kept);
    struct kept_kernel *mine = there ? NULL : ls_calloc(1, sizeof *mine);
    if (mine) {
        *mine = (struct kept_kernel){{free_kept}, meter_kernel_make()};
        if (atomic_compare_exchange_strong(&f->kept, &there, &mine->kept))
            there = &mine->kept;
        else
            free_kept(&mine->kept);
    }
    return there ? ((struct kept_kernel *)there)->kernel : NULL;
}

static struct meter_options options_of(const struct driver_launch *x, const struct exec_launch *l, CUfunction f)
{
    struct meter_options options = METER_OPTIONS_DEFAULT;
    options.carveout_kib = carveout_kib(l->depth ? f->carveout : x->carveout);
    options.banks = drv.settings.banks.banks;
    options.bank_bytes = drv.settings.banks.bytes;
    options.pictures = drv.settings.pictures;
    options.machine = drv.settings.machine_code;
    options.caches = drv.settings.caches && !atomic_load(&unmodelled);
    options.base_clock = drv.settings.clock == CLOCK_BASE;
    options.memory_base = mem_count_base(l->device->mem);
    options.ptx_text = f->mod->ptx;
    options.ptx_len = f->mod->ptx_len;
    options.kernel = kernel_of(f);
    options.ptxas = ptxas_of(drv.settings.ptxas);
    options.tmp = settings_tmp();
    options.heap_bytes = l->device->heap_bytes;
    if (options.caches && heap_is_called(l->kernel))
        mem_each(l->device->mem, add_allocation, &options);
    return options;
}

static enum ls_status profile_run(const struct driver_launch *x, struct exec_launch *l, CUfunction f,
                                  struct exec_fault *fault)
{
    struct meter *m;
    struct meter_options options = options_of(x, l, f);
    struct host_memory host = {.mem = ARENA("host memory")};
    struct sampled_row *row = NULL;
    if (options.caches && drv.settings.model_launches == MODEL_LAUNCHES_SAMPLED) {
        row = sampling_row(l, options.carveout_kib, x->place);
        options.caches = sampling_models(row);
    }
    if (options.caches)
        mem_each(l->device->mem, add_host, &host);
    options.host = host.ranges.at;
    options.nhost = host.ranges.len;
    options.tree = profile_tree_kept();
    enum ls_status s = meter_begin(l, &drv.gpu, &options, &m);
    arena_free(&host.mem);
    if (s != LS_OK) {
        complain("launches run without being profiled", s);
        return exec_run(l, fault, NULL);
    }
    l->hooks = meter_hooks(m);
    double start = now();
    enum ls_status run = exec_run(l, fault, NULL);
    double seconds = now() - start;
    struct meter_report *r = meter_end(m);
    if (!r) {
        complain("a launch was not recorded", LS_ERR_NOMEM);
        count_run();
        return run;
    }
    r->seconds = seconds;
    if (run != LS_OK)
        r->status = run == LS_ERR_FAULT ? exec_fault_cuda_name(fault->kind) : ls_status_text(run);
    else
        sampling_take(row, r, options.caches);
    profile_tree_add(l, r, &drv.gpu);
    record(r, l, x->place);
    meter_report_free(r);
    count_run();
    return run;
}

enum ls_status profile_grid(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                            struct exec_fault *fault)
{
    if (wanted)
        return profile_run(x, l, f, fault);
    profile_tree_add(l, NULL, &drv.gpu);
    return exec_run(l, fault, NULL);
}

enum ls_status profile_launch(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                              struct exec_fault *fault)
{
    (void)x;
    profile_tree_begin();
    const enum ls_status run = exec_run_tree(l, one, ctx, fault);
    struct session_tree tree = {.root = l->id};
    tree.ns = run == LS_OK ? profile_tree_ns(&drv.gpu, &tree.traffic) : 0;
    profile_tree_end();
    const enum ls_status s = tree.ns > 0 ? session_append_tree(profile.folder, &tree) : LS_OK;
    if (s != LS_OK)
        complain("LOCKSTEP_SESSION: the time of a launch with its children was not recorded", s);
    return run;
}
