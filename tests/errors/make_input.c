/* make_input.c - writes the files that the tests of errors hand to `lockstep`:
 *
 *     make_input stored PTX OUT       a fat binary that holds the PTX file as it is
 *     make_input lz4 PTX OUT          the same, compressed
 *     make_input elf PTX OUT          an object file whose section .nv_fatbin holds the first
 *     make_input bytes SEED N OUT     N random bytes
 *     make_input text SEED N OUT      N random printable characters, with newlines between
 *     make_input words SEED N OUT     N random words of PTX, after a good head
 *
 * The layout of a fat binary is the one that src/driver/module/fatbin.h describes. */
#include <elf.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct bytes {
    u8 *at;
    size_t n;
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "make_input: %s\n", what);
    exit(1);
}

static u8 *room(size_t n)
{
    u8 *p = calloc(n ? n : 1, 1);
    if (!p)
        die("out of memory");
    return p;
}

static struct bytes read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        die("cannot read the PTX");
    struct bytes b = {.n = (size_t)ftell(f)};
    b.at = room(b.n + 1);
    rewind(f);
    if (fread(b.at, 1, b.n, f) != b.n)
        die("cannot read the PTX");
    fclose(f);
    return b;
}

static void put(u8 *to, u64 v, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (u8)(v >> 8 * i);
}

static struct bytes container(struct bytes ptx, bool lz4)
{
    enum { HEAD = 16, ENTRY = 0x40, FLAG_LZ4 = 0x2000 };
    int bound = LZ4_compressBound((int)ptx.n + 1), packed = 0;
    struct bytes payload = {room((size_t)bound + 8), ptx.n + 1};
    if (lz4) {
        packed = LZ4_compress_default((const char *)ptx.at, (char *)payload.at, (int)ptx.n + 1, bound);
        payload.n = (size_t)packed;
    } else {
        memcpy(payload.at, ptx.at, ptx.n);
    }
    size_t padded = (payload.n + 7) & ~(size_t)7;
    struct bytes out = {room(HEAD + ENTRY + padded), HEAD + ENTRY + padded};
    u8 *e = out.at + HEAD;
    put(out.at, 0xba55ed50, 4);
    put(out.at + 4, 1, 2);
    put(out.at + 6, HEAD, 2);
    put(out.at + 8, ENTRY + padded, 8);
    put(e, 1, 2);
    put(e + 2, 0x101, 2);
    put(e + 4, ENTRY, 4);
    put(e + 8, padded, 8);
    put(e + 0x10, (u64)packed, 4);
    put(e + 0x1c, 90, 4);
    put(e + 0x28, lz4 ? FLAG_LZ4 : 0, 8);
    put(e + 0x38, lz4 ? ptx.n + 1 : 0, 8);
    memcpy(e + ENTRY, payload.at, payload.n);
    free(payload.at);
    return out;
}

/* Header, the section's bytes, names, section headers. */
static struct bytes object(struct bytes fatbin)
{
    static const char names[] = "\0.nv_fatbin\0.shstrtab";
    size_t at_names = sizeof(Elf64_Ehdr) + fatbin.n, table = (at_names + sizeof names + 7) & ~(size_t)7;
    struct bytes out = {room(table + 3 * sizeof(Elf64_Shdr)), table + 3 * sizeof(Elf64_Shdr)};
    Elf64_Ehdr e = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                    .e_type = ET_REL,
                    .e_machine = EM_X86_64,
                    .e_version = EV_CURRENT,
                    .e_shoff = table,
                    .e_ehsize = sizeof e,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 2};
    Elf64_Shdr s[3] = {{0},
                       {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof e, .sh_size = fatbin.n},
                       {.sh_name = 12, .sh_type = SHT_STRTAB, .sh_offset = at_names, .sh_size = sizeof names}};
    memcpy(out.at, &e, sizeof e);
    memcpy(out.at + sizeof e, fatbin.at, fatbin.n);
    memcpy(out.at + at_names, names, sizeof names);
    memcpy(out.at + table, s, sizeof s);
    free(fatbin.at);
    return out;
}

/* xorshift64 (Marsaglia 2003) */
static u64 next(u64 *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static struct bytes noise(u64 seed, size_t n, bool text)
{
    struct bytes out = {room(n), n};
    for (size_t i = 0; i < n; i++) {
        u64 r = next(&seed) >> 20;
        out.at[i] = !text ? (u8)r : r % 40 == 0 ? '\n' : (u8)(' ' + r / 64 % 95);
    }
    return out;
}

static struct bytes words(u64 seed, size_t n)
{
    static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n";
    static const char *const all[] = {"add.u32",     "ld.global.f32",
                                      ".reg",        ".b32",
                                      "%r<4>",       ";",
                                      ",",           "%r1",
                                      "[",           "]",
                                      "{",           "}",
                                      "bra",         "@%p1",
                                      "x:",          "call",
                                      "(",           ")",
                                      ".shared",     "0x7fffffffffffffffff",
                                      "setp.eq.and", "1e999",
                                      "+",           "-",
                                      "\"",          "\n",
                                      ".loc 1 2 3",  ".func",
                                      "ret;"};
    struct bytes out = {room(sizeof head + n * 24), sizeof head - 1};
    memcpy(out.at, head, out.n);
    for (size_t i = 0; i < n; i++)
        out.n += (size_t)sprintf((char *)out.at + out.n, "%s ", all[(next(&seed) >> 20) % LS_ARRAY_LEN(all)]);
    return out;
}

static struct bytes random_input(const char *kind, u64 seed, size_t n)
{
    seed = seed * 0x9e3779b97f4a7c15u + 1;
    return strcmp(kind, "words") == 0 ? words(seed, n) : noise(seed, n, strcmp(kind, "text") == 0);
}

static struct bytes packed_input(const char *kind, const char *path)
{
    struct bytes ptx = read_file(path), out = container(ptx, strcmp(kind, "lz4") == 0);
    free(ptx.at);
    return strcmp(kind, "elf") == 0 ? object(out) : out;
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        die("stored|lz4|elf PTX OUT, or bytes|text|words SEED N OUT");
    struct bytes out = argc == 5 ? random_input(argv[1], strtoull(argv[2], NULL, 10), strtoul(argv[3], NULL, 10))
                                 : packed_input(argv[1], argv[2]);
    FILE *f = fopen(argv[argc - 1], "wb");
    if (!f || fwrite(out.at, 1, out.n, f) != out.n || fclose(f) != 0)
        die("cannot write the file");
    free(out.at);
    return 0;
}
