/* fatbin.c - see fatbin.h. Input is not trusted: every offset is checked against what is left, sizes that a header
 * claims are bounded before anything is allocated, and a decoder never writes beyond the claimed size. */
#include "driver/module/fatbin.h"

#include <elf.h>
#include <lz4.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"

enum {
    KIND_PTX = 1,
    KIND_CODE = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    MAX_TEXT = 1 << 30, /* bytes of one decompressed PTX */
    MAX_RATIO = 4096,   /* a claim beyond this many times the compressed size is no PTX (LZ4's limit is 255) */
};

static const char rebuild[] = "rebuild with -gencode arch=compute_90,code=compute_90";

static u16 get16(const u8 *p) { return (u16)(p[0] | p[1] << 8); }
static u32 get32(const u8 *p) { return get16(p) | (u32)get16(p + 2) << 16; }
static u64 get64(const u8 *p) { return get32(p) | (u64)get32(p + 4) << 32; }

void image_free(struct image *img)
{
    for (unsigned i = 0; i < img->n; i++)
        ls_free(img->texts[i].text);
    ls_free(img->texts);
    *img = (struct image){0};
}

/* Of a long path the end says more. */
static void set_name(struct image_text *t, const char *name)
{
    const size_t n = strlen(name), room = sizeof t->name - 1;
    if (n <= room)
        snprintf(t->name, sizeof t->name, "%s", name);
    else
        snprintf(t->name, sizeof t->name, "...%s", name + n - (room - 3));
}

void image_rename(struct image *img, unsigned first, const char *name)
{
    for (unsigned i = first; i < img->n; i++)
        set_name(&img->texts[i], name);
}

/* Takes text, which has len + 1 bytes; frees it on failure. */
static enum ls_status add_owned(struct image *img, char *text, size_t len, const char *name)
{
    struct image_text *more = ls_realloc(img->texts, (img->n + 1) * sizeof *more);
    if (!more) {
        ls_free(text);
        return LS_ERR_NOMEM;
    }
    while (len > 0 && text[len - 1] == 0)
        len--;
    text[len] = 0;
    img->texts = more;
    more[img->n] = (struct image_text){.text = text, .len = len};
    set_name(&more[img->n], name);
    img->n++;
    return LS_OK;
}

enum ls_status image_add(struct image *img, const char *text, size_t len, const char *name)
{
    char *copy = ls_realloc(NULL, len + 1);
    if (!copy)
        return LS_ERR_NOMEM;
    memcpy(copy, text, len);
    return add_owned(img, copy, len, name);
}

static enum ls_status refuse(struct image *img, enum ls_status s, const char *what)
{
    snprintf(img->why, sizeof img->why, "%s", what);
    return s;
}

/* ---- entries ---- */

struct entry {
    u16 kind;
    u32 sm;
    u64 flags;
    const u8 *payload;
    u64 size;       /* of the payload as stored, padded */
    u64 compressed; /* 0: stored */
    u64 full;       /* decompressed */
};

/* The entry at data[at]; false: not well formed. *at moves to the next one. */
static bool next_entry(const u8 *data, u64 size, u64 *at, struct entry *e)
{
    u64 left = size - *at;
    if (left < 0x20)
        return false;
    const u8 *p = data + *at;
    u64 header = get32(p + 4), payload = get64(p + 8);
    if (header < 0x20 || header > left || payload > left - header)
        return false;
    *e = (struct entry){.kind = get16(p), .sm = get32(p + 0x1c), .payload = p + header, .size = payload};
    e->compressed = get32(p + 0x10);
    if (header >= 0x30)
        e->flags = get64(p + 0x28);
    if (header >= 0x40)
        e->full = get64(p + 0x38);
    *at += header + payload;
    return e->compressed <= payload;
}

static bool decompress(const struct entry *e, char *to)
{
    if (e->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(to, e->full, e->payload, e->compressed);
        return !ZSTD_isError(n) && n == e->full;
    }
    int n = LZ4_decompress_safe((const char *)e->payload, to, (int)e->compressed, (int)e->full);
    return n >= 0 && (u64)n == e->full;
}

static enum ls_status extract(struct image *img, const struct entry *e)
{
    char name[64];
    snprintf(name, sizeof name, "<PTX of a fat binary, sm_%u>", e->sm);
    if (!(e->flags & (FLAG_ZSTD | FLAG_LZ4)) || !e->compressed)
        return e->compressed ? refuse(img, LS_ERR_UNSUPPORTED, "the fat binary is compressed in an unknown way")
                             : image_add(img, (const char *)e->payload, e->size, name);
    if (e->full == 0 || e->full > MAX_TEXT || e->full / MAX_RATIO > e->compressed)
        return refuse(img, LS_ERR_SYNTAX, "the fat binary is corrupt: it claims an impossible size");
    char *text = ls_realloc(NULL, e->full + 1);
    if (!text)
        return LS_ERR_NOMEM;
    if (!decompress(e, text)) {
        ls_free(text);
        return refuse(img, LS_ERR_SYNTAX, "the fat binary is corrupt: its PTX cannot be decompressed");
    }
    return add_owned(img, text, e->full, name);
}

/* What a container holds: to choose from, and to say why nothing fits. */
struct survey {
    struct entry best;
    bool found;
    u32 code, too_new; /* sm of some machine code, of PTX above the device; 0 = none */
};

static void consider(struct survey *s, const struct entry *e, u32 sm)
{
    if (e->kind == KIND_CODE)
        s->code = e->sm;
    if (e->kind != KIND_PTX)
        return;
    if (e->sm > sm) {
        s->too_new = e->sm;
    } else if (!s->found || e->sm > s->best.sm) {
        s->best = *e;
        s->found = true;
    }
}

static enum ls_status no_ptx(struct image *img, const struct survey *s, u32 sm)
{
    if (s->too_new)
        snprintf(img->why, sizeof img->why, "the fat binary holds PTX for sm_%u only, above this GPU's sm_%u",
                 s->too_new, sm);
    else if (s->code)
        snprintf(img->why, sizeof img->why, "the fat binary holds no PTX, only machine code for sm_%u; %s", s->code,
                 rebuild);
    else
        snprintf(img->why, sizeof img->why, "the fat binary holds no PTX; %s", rebuild);
    return LS_ERR_NOT_FOUND;
}

enum ls_status fatbin_container(struct image *img, const u8 *data, size_t size, u32 sm)
{
    static const char corrupt[] = "the fat binary is truncated or corrupt";
    if (size < 16 || get32(data) != (u32)FATBIN_MAGIC)
        return refuse(img, LS_ERR_SYNTAX, corrupt);
    u64 header = get16(data + 6), body = get64(data + 8);
    if (header < 16 || header > size || body > size - header)
        return refuse(img, LS_ERR_SYNTAX, corrupt);
    struct survey s = {0};
    struct entry e;
    for (u64 at = header, end = header + body; at < end;) {
        if (!next_entry(data, end, &at, &e))
            return refuse(img, LS_ERR_SYNTAX, corrupt);
        consider(&s, &e, sm);
    }
    return s.found ? extract(img, &s.best) : no_ptx(img, &s, sm);
}

/* ---- our own linked image: u32 magic, u32 count, u64 total, u64 sizes[count], texts ---- */

void *image_pack(const struct image *img, size_t *size)
{
    u64 total = 16 + 8 * (u64)img->n;
    for (unsigned i = 0; i < img->n; i++)
        total += img->texts[i].len;
    u8 *block = ls_calloc(1, total);
    if (!block)
        return NULL;
    u32 head[2] = {IMAGE_MAGIC, img->n};
    memcpy(block, head, 8);
    memcpy(block + 8, &total, 8);
    u8 *at = block + 16 + 8 * (u64)img->n;
    for (unsigned i = 0; i < img->n; i++) {
        u64 len = img->texts[i].len;
        memcpy(block + 16 + 8 * (u64)i, &len, 8);
        memcpy(at, img->texts[i].text, len);
        at += len;
    }
    *size = total;
    return block;
}

static enum ls_status unpack(struct image *img, const u8 *data, size_t size)
{
    static const char corrupt[] = "the linked image is truncated or corrupt";
    if (size < 16 || get64(data + 8) > size)
        return refuse(img, LS_ERR_SYNTAX, corrupt);
    u64 n = get32(data + 4), total = get64(data + 8);
    if (total < 16 || n == 0 || n > (total - 16) / 8)
        return refuse(img, LS_ERR_SYNTAX, corrupt);
    u64 at = 16 + 8 * n;
    for (u64 i = 0; i < n; i++) {
        u64 len = get64(data + 16 + 8 * i);
        if (len > total - at)
            return refuse(img, LS_ERR_SYNTAX, corrupt);
        char name[64];
        snprintf(name, sizeof name, "<linked PTX %u>", (unsigned)i);
        enum ls_status s = image_add(img, (const char *)data + at, len, name);
        if (s != LS_OK)
            return s;
        at += len;
    }
    return LS_OK;
}

/* ---- any format ---- */

static enum ls_status refuse_code(struct image *img)
{
    snprintf(img->why, sizeof img->why, "the image is machine code (an ELF file) and holds no PTX; %s", rebuild);
    return LS_ERR_NOT_FOUND;
}

/* PTX is text: with a control character near its start it is something else. */
static bool is_text(const u8 *p, size_t size)
{
    while (size > 0 && p[size - 1] == 0)
        size--;
    for (size_t i = 0; i < size && i < 1024; i++)
        if ((p[i] < ' ' && !(p[i] >= '\t' && p[i] <= '\r')) || p[i] == 0x7f)
            return false;
    return true;
}

static bool is_elf(const u8 *p)
{
    return memcmp(p,
                  "\x7f"
                  "ELF",
                  4) == 0;
}

enum ls_status image_read(struct image *img, const void *data, size_t size, u32 sm, const char *name)
{
    const u8 *p = data;
    if (size >= 4) {
        if (get32(p) == (u32)FATBIN_MAGIC)
            return fatbin_container(img, p, size, sm);
        if (get32(p) == IMAGE_MAGIC)
            return unpack(img, p, size);
        if (is_elf(p))
            return size >= sizeof(Elf64_Ehdr) && image_elf_size(p) ? image_elf(img, p, size, sm, false)
                                                                   : refuse_code(img);
    }
    if (size == 0)
        return refuse(img, LS_ERR_SYNTAX, "the image is empty");
    if (!is_text(p, size))
        return refuse(img, LS_ERR_SYNTAX, "the image is neither PTX text nor a fat binary");
    return image_add(img, data, size, name);
}

/* A container in memory says itself how long it is. */
static enum ls_status open_container(struct image *img, const u8 *p, u32 sm)
{
    u64 header = get16(p + 6), body = get64(p + 8);
    if (body > SIZE_MAX - header)
        return refuse(img, LS_ERR_SYNTAX, "the fat binary is truncated or corrupt");
    return fatbin_container(img, p, header + body, sm);
}

/* Of a text it may be the end too: nothing is read behind a NUL. */
static u32 magic_of(const u8 *p)
{
    u32 magic = 0;
    for (unsigned i = 0; i < 4 && (i == 0 || p[i - 1]); i++)
        magic |= (u32)p[i] << 8 * i;
    return magic;
}

/* clang puts whatever file it is given behind a wrapper, text too. */
static enum ls_status open_content(struct image *img, const void *content, u32 sm)
{
    if (!content)
        return refuse(img, LS_ERR_SYNTAX, "the fat binary's wrapper points nowhere");
    if (magic_of(content) == FATBIN_WRAPPER_MAGIC)
        return refuse(img, LS_ERR_SYNTAX, "the fat binary's wrapper holds another wrapper");
    return image_open(img, content, sm, "<PTX of a fat binary>");
}

static enum ls_status open_wrapper(struct image *img, const u8 *p, u32 sm)
{
    u32 version = get32(p + 4);
    const void *container, *const *list;
    memcpy(&container, p + 8, sizeof container);
    memcpy(&list, p + 16, sizeof list);
    if (version == 1)
        return open_content(img, container, sm);
    if (version != 2)
        return refuse(img, LS_ERR_UNSUPPORTED, "the fat binary's wrapper has an unknown version");
    enum ls_status s = LS_OK, last = LS_OK;
    for (; list && *list && s != LS_ERR_NOMEM && s != LS_ERR_SYNTAX; list++)
        if ((s = open_container(img, *list, sm)) != LS_OK)
            last = s;
    if (s == LS_ERR_NOMEM || s == LS_ERR_SYNTAX)
        return s;
    return img->n ? LS_OK : last ? last : refuse(img, LS_ERR_NOT_FOUND, "the fat binary's wrapper lists nothing");
}

enum ls_status image_open(struct image *img, const void *data, u32 sm, const char *name)
{
    const u8 *p = data;
    const u32 magic = magic_of(p);
    if (magic == FATBIN_WRAPPER_MAGIC)
        return open_wrapper(img, p, sm);
    if (magic == (u32)FATBIN_MAGIC)
        return open_container(img, p, sm);
    if (magic == IMAGE_MAGIC)
        return unpack(img, p, get64(p + 8));
    if (magic == 0x464c457f)
        return image_elf_size(p) ? image_elf(img, p, image_elf_size(p), sm, false) : refuse_code(img);
    return image_read(img, p, strlen((const char *)p), sm, name);
}
