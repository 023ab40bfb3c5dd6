/* profile.c - launches under the meter: with LOCKSTEP_SESSION=<folder>, each selected launch runs with hooks and a
 * record of it is appended to <folder>/<pid>.rec. LOCKSTEP_KERNEL selects kernels: a name, or "regex:" and an extended
 * regular expression; what is not selected runs fast. cuProfilerStop and cuProfilerStart switch it off and on.
 * LOCKSTEP_BANKS=5x4 pictures a shared memory of that many banks, of that many bytes each. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/driver.h"
#include "meter/meter.h"
#include "meter/session.h"

static struct {
    const char *folder; /* NULL: no profiling */
    const char *name;   /* NULL: every kernel, or by pattern */
    bool by_pattern;
    regex_t pattern;
    u32 banks, bank_bytes; /* 0: the GPU's */
    bool pictures;         /* keep the addresses of the first block (LOCKSTEP_PICTURES) */
    atomic_bool off, complained;
} profile;

static void read_banks(const char *text)
{
    u32 banks, bytes;
    char rest;
    if (!text || !*text)
        return;
    if (sscanf(text, "%2ux%2u%c", &banks, &bytes, &rest) != 2 || banks < 1 || banks > 64 || bytes < 1 || bytes > 16 ||
        (bytes & (bytes - 1))) {
        drv_log("LOCKSTEP_BANKS=%s is not <1 to 64 banks>x<1, 2, 4, 8 or 16 bytes>: the GPU's banks are counted", text);
        return;
    }
    profile.banks = banks;
    profile.bank_bytes = bytes;
}

void profile_init(void)
{
    static const char prefix[] = "regex:";
    const char *folder = getenv("LOCKSTEP_SESSION"), *kernel = getenv("LOCKSTEP_KERNEL");
    profile.folder = folder && *folder ? folder : NULL;
    const char *pictures = getenv("LOCKSTEP_PICTURES");
    profile.pictures = pictures && strcmp(pictures, "1") == 0;
    read_banks(getenv("LOCKSTEP_BANKS"));
    if (!profile.folder || !kernel || !*kernel)
        return;
    if (strncmp(kernel, prefix, sizeof prefix - 1) != 0) {
        profile.name = kernel;
        return;
    }
    profile.by_pattern = regcomp(&profile.pattern, kernel + sizeof prefix - 1, REG_EXTENDED | REG_NOSUB) == 0;
    if (!profile.by_pattern)
        drv_log("LOCKSTEP_KERNEL=%s is no regular expression: every kernel is profiled", kernel);
}

bool profile_wanted(const char *kernel)
{
    if (!profile.folder || atomic_load(&profile.off))
        return false;
    if (profile.by_pattern)
        return regexec(&profile.pattern, kernel, 0, NULL, 0) == 0;
    return !profile.name || strcmp(profile.name, kernel) == 0;
}

void profile_switch(bool on)
{
    atomic_store(&profile.off, !on);
}

static void complain(const char *what, enum ls_status s)
{
    if (!atomic_exchange(&profile.complained, true))
        drv_log("%s: %s", what, ls_status_text(s));
}

/* The carve-out that the function asks for, in KiB; -1: none. */
static i32 carveout_kib(CUfunction f)
{
    return f->carveout < 0 ? -1 : (i32)((u64)drv.gpu.shared_per_sm / 1024 * (u32)f->carveout / 100);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum ls_status profile_run(struct exec_launch *l, CUfunction f, struct exec_fault *fault)
{
    struct meter *m;
    struct meter_options options = METER_OPTIONS_DEFAULT;
    options.carveout_kib = carveout_kib(f);
    options.banks = profile.banks;
    options.bank_bytes = profile.bank_bytes;
    options.pictures = profile.pictures;
    options.ptx_text = f->mod->ptx;
    options.ptx_len = f->mod->ptx_len;
    enum ls_status s = meter_begin(l, &drv.gpu, &options, &m);
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
        return run;
    }
    u32 refused;
    exec_children_count(l->children, &r->children, &refused);
    r->seconds = seconds;
    if (run != LS_OK)
        r->status = run == LS_ERR_FAULT ? exec_fault_cuda_name(fault->kind) : ls_status_text(run);
    s = session_append(profile.folder, r);
    if (s != LS_OK)
        complain("LOCKSTEP_SESSION: a launch was not recorded", s);
    meter_report_free(r);
    return run;
}
