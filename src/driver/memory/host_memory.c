/* host_memory.c - how much memory the host has left.
 *
 * Device memory is the host's, page by page as it is touched. A GPU may have several times the memory of this machine,
 * and a program that fills "all that is free" would be killed instead of getting an error. So the device gets no more
 * memory than the host can back: half of what it has available when CUDA starts, since programs keep a copy of their
 * data on the host as a rule. LOCKSTEP_DEVICE_MEMORY overrides this.
 *
 * Available is what the kernel says (MemAvailable), and what each control group that the process is in has left:
 *
 *     version 2   /proc/self/cgroup has "0::/a/b": memory.max, memory.current in /sys/fs/cgroup/a/b, /a and above
 *     version 1   "4:memory:/a/b": memory.limit_in_bytes, memory.usage_in_bytes in /sys/fs/cgroup/memory/a/b and above
 *
 * Cached files that nobody uses count as a group's use, and are given up first: what memory.stat calls inactive_file is
 * left too. In a container a group's path may not be there; the mount's root is looked at in any case. */
#include "driver/memory/host_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/settings.h"

/* What follows `key` in a file of lines "key value"; 0: there is no such file or line, or no number. */
static u64 number_in(const char *path, const char *key)
{
    char line[512];
    u64 value = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%" SCNu64, &value) == 1)
            break;
    fclose(f);
    return value;
}

/* The names of a version's files. */
struct version {
    const char *mount, *limit, *use;
};

static u64 left_in(const char *folder, const struct version *v)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, v->limit);
    const u64 limit = number_in(path, ""); /* "max" is no number */
    if (!limit)
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, v->use);
    const u64 used = number_in(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const u64 idle = number_in(path, "inactive_file ");
    const u64 needed = used > idle ? used - idle : 0;
    return limit > needed ? limit - needed : 0;
}

/* The least that a group or one above it has left. */
static u64 left_in_group(const char *root, const char *group, const struct version *v)
{
    char folder[PATH_MAX];
    u64 least = UINT64_MAX;
    if (snprintf(folder, sizeof folder, "%s%s%s", root, v->mount, group) >= (int)sizeof folder)
        return least;
    const size_t mount = strlen(root) + strlen(v->mount);
    for (;;) {
        const u64 left = left_in(folder, v);
        least = left < least ? left : least;
        char *slash = strrchr(folder, '/');
        if (slash < folder + mount)
            return least;
        *slash = 0;
    }
}

static u64 left_in_groups(const char *root)
{
    static const struct version two = {"/sys/fs/cgroup", "memory.max", "memory.current"},
                                one = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"};
    char path[PATH_MAX], line[PATH_MAX];
    u64 least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        const char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;
        if (!group)
            continue;
        const bool is_two = strncmp(line, "0::", 3) == 0;
        const u64 left = is_two || strncmp(kind, ":memory:", 8) == 0
                             ? left_in_group(root, group + 1, is_two ? &two : &one)
                             : UINT64_MAX;
        least = left < least ? left : least;
    }
    if (f)
        fclose(f);
    return least;
}

u64 host_memory_available(const char *root)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const u64 kib = number_in(path, "MemAvailable:"), groups = left_in_groups(root);
    const u64 machine = kib ? kib << 10 : UINT64_MAX;
    return machine < groups ? machine : groups;
}

u64 device_memory(u64 setting, u64 gpu, u64 available)
{
    enum { PAGE = 2 << 20, LEAST = 64 << 20 };
    const u64 half = available / 2 / PAGE * PAGE, host = half < LEAST ? LEAST : half;
    if (setting == ROOM_GPU)
        return gpu;
    if (setting && setting != ROOM_HOST)
        return setting;
    return host < gpu ? host : gpu;
}
