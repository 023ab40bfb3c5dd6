/* mem_describe.c - an address in words: where it lies relative to the nearest allocation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/memory/mem_table.h"

static const char *kind_word(u8 kind)
{
    static const char *const words[] = {
        [MEM_DEVICE] = "device",
        [MEM_PINNED] = "pinned host",
        [MEM_MANAGED] = "managed",
        [MEM_REGISTERED] = "registered host",
        [MEM_GLOBAL] = "global variable",
        [MEM_CONST] = "constant variable",
        [MEM_HEAP] = "device heap",
        [MEM_INTERNAL] = "internal",
        [MEM_MAPPED] = "mapped",
        [MEM_MAPPED_READ] = "mapped, read only",
        [MEM_MAPPED_NONE] = "mapped, no access was set",
        [MEM_RESERVED] = "reserved addresses, nothing is mapped there",
    };
    return kind < LS_ARRAY_LEN(words) ? words[kind] : "unknown";
}

static const char *plural(u64 n) { return n == 1 ? "byte" : "bytes"; }

/* "the 64-byte allocation #3 (device) at 0x...", "the freed ...", "the 16-byte constant variable 'coef' at 0x..." */
static void describe_block(const struct mem_block *b, char *buf, size_t n)
{
    const char *freed = b->live ? "" : "freed ";
    if (b->name)
        snprintf(buf, n, "the %s%" PRIu64 "-byte %s '%s' at 0x%" PRIx64, freed, b->size, kind_word(b->kind), b->name,
                 b->base);
    else
        snprintf(buf, n, "the %s%" PRIu64 "-byte allocation #%" PRIu64 " (%s) at 0x%" PRIx64, freed, b->size, b->serial,
                 kind_word(b->kind), b->base);
}

/* Of memory of another device: "... of device 1", and whether this one has no access to it. */
static void describe_owner(struct mem *m, const struct mem_block *b, char *buf, size_t n)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (m->table->devices == 1 || m->device == MEM_DEVICES || m->device == b->device)
        return;
    const bool closed = b->live && !mem_range(m, b->base, &lo, &hi, &kind);
    const size_t used = strlen(buf);
    snprintf(buf + used, n - used, " of device %u%s", b->device,
             closed ? ", to which this device has no access (cudaDeviceEnablePeerAccess, cuMemSetAccess)" : "");
}

/* The null page and what a small index from a null pointer reaches. */
#define NULL_BYTES 4096
/* Farther away than this, the nearest allocation has nothing to do with the address. */
#define FAR_BYTES (1ull << 32)

void mem_describe(struct mem *m, u64 address, u64 size, char *buf, size_t n)
{
    struct mem_block b;
    char what[384];
    if (!n)
        return;
    const u64 shared = mem_shared_window(m), local = mem_local_window(m);
    if (address < NULL_BYTES) {
        snprintf(buf, n, "a null pointer%s", address ? " with an offset" : "");
        return;
    }
    const bool is_shared = address - shared < MEM_SHARED_WINDOW_BYTES;
    if (is_shared || address - local < MEM_WINDOW_BYTES) {
        snprintf(buf, n, "offset %" PRIu64 " of the generic window of %s memory",
                 address - (is_shared ? shared : local), is_shared ? "shared" : "local");
        return;
    }
    if (!mem_nearest(m, address, &b)) {
        snprintf(buf, n, "no memory was ever allocated");
        return;
    }
    describe_block(&b, what, sizeof what);
    describe_owner(m, &b, what, sizeof what);
    const u64 end = b.base + b.size;
    if (address + FAR_BYTES < b.base || address > end + FAR_BYTES)
        snprintf(buf, n, "no device memory is near it: a host pointer, or not a pointer");
    else if (address < b.base)
        snprintf(buf, n, "%" PRIu64 " %s before %s", b.base - address, plural(b.base - address), what);
    else if (address >= end)
        snprintf(buf, n, "%" PRIu64 " %s after %s", address - end, plural(address - end), what);
    else if (size > end - address)
        snprintf(buf, n, "the last %" PRIu64 " %s %s after %s", size - (end - address), plural(size - (end - address)),
                 size - (end - address) == 1 ? "lies" : "lie", what);
    else
        snprintf(buf, n, "%" PRIu64 " %s into %s", address - b.base, plural(address - b.base), what);
}
