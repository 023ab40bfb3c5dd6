/* cache.c - see cache.h. An entry is a file, named by its key: a header, then the bytes. It is written under another name
 * and renamed, so a reader sees all of it or nothing; what a crash or a full disk leaves is told by the header.
 *
 * Code from a file is executed, so the folder and the file must be the user's own and nobody else's to write. */
#include "exec/tier/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/alloc.h"

#define MAGIC 0x31726569746b6c00u /* "\0lktier1": the number is the header's version */
#define SUFFIX ".code"
enum { NAME_LENGTH = 32 + sizeof SUFFIX, STALE_SECONDS = 3600 };

struct header {
    u64 magic;
    struct tier_key key;
    u64 length, hash; /* of the bytes behind */
};

void tier_key_add(struct tier_key *k, const void *bytes, size_t n)
{
    const XXH128_hash_t piece = XXH3_128bits(bytes, n);
    const u64 all[] = {k->words[0], k->words[1], piece.low64, piece.high64, n};
    const XXH128_hash_t h = XXH3_128bits(all, sizeof all);
    k->words[0] = h.low64;
    k->words[1] = h.high64;
}

static void file_name(const struct tier_key *k, char name[NAME_LENGTH])
{
    snprintf(name, NAME_LENGTH, "%016llx%016llx" SUFFIX, (unsigned long long)k->words[0],
             (unsigned long long)k->words[1]);
}

/* ---- folders ---- */

static bool ours(const struct stat *s) { return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH)); }

static int open_folder(const struct tier_cache *c)
{
    struct stat s;
    const int fd = *c->folder && c->limit ? open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0 && (fstat(fd, &s) || !ours(&s))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The folder and the one that it is in; what is above exists or there is no cache. */
static int make_folder(const struct tier_cache *c)
{
    char above[sizeof c->folder];
    int fd = open_folder(c);
    if (fd >= 0 || !*c->folder || !c->limit)
        return fd;
    snprintf(above, sizeof above, "%s", c->folder);
    char *const slash = strrchr(above, '/');
    if (slash && slash > above) {
        *slash = 0;
        mkdir(above, 0700);
    }
    mkdir(c->folder, 0700);
    fd = open_folder(c);
    return fd;
}

/* ---- get ---- */

static bool read_all(int fd, void *to, size_t n)
{
    while (n) {
        const ssize_t got = read(fd, to, n);
        if (got <= 0)
            return false;
        to = (char *)to + got;
        n -= (size_t)got;
    }
    return true;
}

/* The bytes, NULL if the entry is damaged or another's. *none: it cannot even be read, so it is left alone. */
static u8 *read_entry(int fd, const struct tier_cache *c, const struct tier_key *k, size_t *n, bool *none)
{
    struct stat s;
    struct header h;
    *none = fstat(fd, &s) || !S_ISREG(s.st_mode) || !ours(&s);
    if (*none || (u64)s.st_size < sizeof h || (u64)s.st_size > c->limit || !read_all(fd, &h, sizeof h))
        return NULL;
    if (h.magic != MAGIC || memcmp(&h.key, k, sizeof *k) != 0 || h.length != (u64)s.st_size - sizeof h)
        return NULL;
    u8 *bytes = ls_realloc(NULL, h.length + 1); /* + 1: NULL is no memory, also for an entry of 0 bytes */
    *none = !bytes;
    if (bytes && (!read_all(fd, bytes, h.length) || XXH3_64bits(bytes, h.length) != h.hash)) {
        ls_free(bytes);
        bytes = NULL;
    }
    *n = h.length;
    return bytes;
}

bool tier_cache_get(const struct tier_cache *c, const struct tier_key *k, u8 **bytes, size_t *n)
{
    char name[NAME_LENGTH];
    bool none = true;
    *bytes = NULL;
    *n = 0;
    const int folder = open_folder(c);
    if (folder < 0)
        return false;
    file_name(k, name);
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        *bytes = read_entry(fd, c, k, n, &none);
        if (*bytes)
            futimens(fd, NULL); /* used now */
        else if (!none)
            unlinkat(folder, name, 0);
        close(fd);
    }
    close(folder);
    return *bytes != NULL;
}

/* ---- put ---- */

static bool write_all(int fd, const void *from, size_t n)
{
    while (n) {
        const ssize_t put = write(fd, from, n);
        if (put <= 0)
            return false;
        from = (const char *)from + put;
        n -= (size_t)put;
    }
    return true;
}

struct entry {
    char name[NAME_LENGTH];
    struct timespec used;
    u64 size;
};

static int by_age(const void *a, const void *b)
{
    const struct timespec *const x = &((const struct entry *)a)->used, *const y = &((const struct entry *)b)->used;
    return x->tv_sec != y->tv_sec     ? (x->tv_sec < y->tv_sec ? -1 : 1)
           : x->tv_nsec != y->tv_nsec ? (x->tv_nsec < y->tv_nsec ? -1 : 1)
                                      : 0;
}

/* Entries of the folder; *total: their sizes. What writers that died have left is removed. */
static struct entry *list(int folder, DIR *dir, size_t *n, u64 *total)
{
    struct entry *all = NULL;
    size_t room = 0;
    const time_t now = time(NULL);
    *n = *total = 0;
    for (struct dirent *d; (d = readdir(dir));) {
        struct stat s;
        if (strlen(d->d_name) >= NAME_LENGTH || !strstr(d->d_name, SUFFIX) ||
            fstatat(folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW))
            continue;
        if (*d->d_name == '.') {
            if (now - s.st_mtime > STALE_SECONDS)
                unlinkat(folder, d->d_name, 0);
            continue;
        }
        if (*n == room) {
            room = room ? 2 * room : 64;
            struct entry *const more = ls_realloc(all, room * sizeof *all);
            if (!more)
                break;
            all = more;
        }
        memcpy(all[*n].name, d->d_name, strlen(d->d_name) + 1); /* it fits: see above */
        all[*n].used = s.st_mtim;
        all[(*n)++].size = (u64)s.st_size;
        *total += (u64)s.st_size;
    }
    return all;
}

/* Down to three quarters, so that not every put has to remove something. */
static void trim(int folder, u64 limit)
{
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = again >= 0 ? fdopendir(again) : NULL;
    size_t n;
    u64 total;
    if (!dir) {
        if (again >= 0)
            close(again);
        return;
    }
    struct entry *const all = list(folder, dir, &n, &total);
    if (all && total > limit) {
        qsort(all, n, sizeof *all, by_age);
        for (size_t i = 0; i < n && total > limit / 4 * 3; i++)
            if (unlinkat(folder, all[i].name, 0) == 0)
                total -= all[i].size;
    }
    ls_free(all);
    closedir(dir);
}

void tier_cache_put(const struct tier_cache *c, const struct tier_key *k, const u8 *bytes, size_t n)
{
    static u32 count;
    const struct header h = {MAGIC, *k, n, XXH3_64bits(bytes, n)};
    char name[NAME_LENGTH], other[NAME_LENGTH];
    const int folder = sizeof h + n <= c->limit / 4 * 3 ? make_folder(c) : -1;
    if (folder < 0)
        return;
    file_name(k, name);
    snprintf(other, sizeof other, ".%x-%x" SUFFIX, (unsigned)getpid(), __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
    const int fd = openat(folder, other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        const bool whole = write_all(fd, &h, sizeof h) && write_all(fd, bytes, n);
        if (close(fd) || !whole || renameat(folder, other, folder, name))
            unlinkat(folder, other, 0);
        trim(folder, c->limit);
    }
    close(folder);
}
