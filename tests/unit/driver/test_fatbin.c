/* test_fatbin.c - fat binaries that the test writes itself: stored, zstd, LZ4, several entries, every header size; cut
 * at every byte, and with every byte changed. Buffers are exactly as long as they claim, so that a sanitizer sees a
 * read beyond them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "driver/module/fatbin.h"
#include "driver/module/ptx_object.h"

static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n// some text that compresses, compresses, "
                          "compresses, compresses, compresses\n.visible .entry k() { ret; }\n";

enum packing { STORED, ZSTD, LZ4 };

struct buffer {
    u8 *at;
    size_t len;
};

static void append(struct buffer *b, const void *p, size_t n)
{
    b->at = realloc(b->at, b->len + n);
    memcpy(b->at + b->len, p, n);
    b->len += n;
}

static void put(u8 *p, u64 v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (u8)(v >> 8 * i);
}

/* An entry of the given kind; its payload is padded to 8 bytes. */
static void add_entry(struct buffer *b, u16 kind, u32 sm, const char *text, enum packing how, u32 header_size)
{
    u8 header[256] = {0}, payload[4096] = {0};
    size_t len = strlen(text) + 1, packed = len;
    if (how == STORED)
        memcpy(payload, text, len);
    else if (how == ZSTD)
        packed = ZSTD_compress(payload, sizeof payload, text, len, 3);
    else
        packed = (size_t)LZ4_compress_default(text, (char *)payload, (int)len, sizeof payload);
    size_t padded = (packed + 7) / 8 * 8;
    put(header, kind, 2);
    put(header + 2, 0x101, 2);
    put(header + 4, header_size, 4);
    put(header + 8, padded, 8);
    put(header + 0x10, how == STORED ? 0 : packed, 4);
    put(header + 0x1c, sm, 4);
    put(header + 0x28, 0x11 | (how == ZSTD ? 0x8000 : how == LZ4 ? 0x2000 : 0), 8);
    put(header + 0x38, how == STORED ? 0 : len, 8);
    append(b, header, header_size);
    append(b, payload, padded);
}

static struct buffer begin(void)
{
    struct buffer b = {0};
    u8 head[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    append(&b, head, sizeof head);
    return b;
}

static void finish(struct buffer *b) { put(b->at + 8, b->len - 16, 8); }

static enum ls_status extract(const struct buffer *b, u32 sm, struct image *img)
{
    *img = (struct image){0};
    return image_read(img, b->at, b->len, sm, "test");
}

static void every_packing_and_header_size(void **state)
{
    (void)state;
    static const u32 headers[] = {0x40, 0x48, 0x50, 0x60, 0x80};
    for (int how = STORED; how <= LZ4; how++)
        for (size_t h = 0; h < LS_ARRAY_LEN(headers); h++) {
            struct buffer b = begin();
            struct image img;
            add_entry(&b, 1, 90, ptx, (enum packing)how, headers[h]);
            finish(&b);
            assert_int_equal(extract(&b, 90, &img), LS_OK);
            assert_int_equal(img.n, 1);
            assert_string_equal(img.texts[0].text, ptx);
            assert_int_equal(img.texts[0].len, strlen(ptx)); /* trailing NULs are stripped */
            image_free(&img);
            free(b.at);
        }
}

static void the_best_entry_is_chosen(void **state)
{
    (void)state;
    struct buffer b = begin();
    struct image img;
    add_entry(&b, 2, 90, "machine code", STORED, 0x40);
    add_entry(&b, 1, 70, "seventy", ZSTD, 0x48);
    add_entry(&b, 1, 80, "eighty", LZ4, 0x40);
    add_entry(&b, 1, 100, "hundred", STORED, 0x40);
    finish(&b);
    assert_int_equal(extract(&b, 90, &img), LS_OK);
    assert_string_equal(img.texts[0].text, "eighty");
    image_free(&img);
    assert_int_equal(extract(&b, 75, &img), LS_OK);
    assert_string_equal(img.texts[0].text, "seventy");
    image_free(&img);
    assert_int_equal(extract(&b, 60, &img), LS_ERR_NOT_FOUND);
    assert_non_null(strstr(img.why, "sm_"));
    image_free(&img);
    free(b.at);
}

static void machine_code_alone_says_how_to_rebuild(void **state)
{
    (void)state;
    struct buffer b = begin();
    struct image img = {0};
    add_entry(&b, 2, 90, "machine code", STORED, 0x40);
    finish(&b);
    assert_int_equal(extract(&b, 90, &img), LS_ERR_NOT_FOUND);
    assert_non_null(strstr(img.why, "holds no PTX"));
    assert_non_null(strstr(img.why, "-gencode arch=compute_90,code=compute_90"));
    image_free(&img);
    assert_int_equal(image_read(&img,
                                "\x7f"
                                "ELF....",
                                8, 90, "x"),
                     LS_ERR_NOT_FOUND);
    assert_non_null(strstr(img.why, "-gencode"));
    image_free(&img);
    free(b.at);
}

/* The wrapper's claimed length is kept at what was there, so a cut one is always an error; and a container whose
 * length is corrected must not crash either. */
static void a_cut_container_is_an_error(void **state)
{
    (void)state;
    for (int how = STORED; how <= LZ4; how++) {
        struct buffer b = begin();
        add_entry(&b, 1, 90, ptx, (enum packing)how, 0x40);
        finish(&b);
        for (size_t n = 4; n < b.len; n++) {
            struct buffer cut = {malloc(n), n};
            struct image img;
            memcpy(cut.at, b.at, n);
            assert_int_not_equal(extract(&cut, 90, &img), LS_OK);
            assert_int_equal(img.n, 0);
            assert_true(img.why[0] != 0);
            image_free(&img);
            if (n >= 16) {
                finish(&cut);
                /* only a container that ends with its header is well formed: it is empty */
                assert_int_equal(extract(&cut, 90, &img), n == 16 ? LS_ERR_NOT_FOUND : LS_ERR_SYNTAX);
                image_free(&img);
            }
            free(cut.at);
        }
        free(b.at);
    }
}

static void a_changed_byte_never_crashes(void **state)
{
    (void)state;
    static const u8 values[] = {0, 1, 0x40, 0x7f, 0x80, 0xff};
    unsigned good = 0, bad = 0;
    for (int how = STORED; how <= LZ4; how++) {
        struct buffer b = begin();
        add_entry(&b, 1, 90, ptx, (enum packing)how, 0x48);
        finish(&b);
        for (size_t i = 0; i < b.len; i++)
            for (size_t v = 0; v < sizeof values; v++) {
                u8 before = b.at[i];
                struct image img;
                b.at[i] = values[v];
                if (extract(&b, 90, &img) == LS_OK)
                    good++;
                else
                    bad++;
                image_free(&img);
                b.at[i] = before;
            }
        free(b.at);
    }
    assert_true(good > 0 && bad > 0);
}

static void impossible_sizes_are_not_allocated(void **state)
{
    (void)state;
    struct buffer b = begin();
    struct image img;
    add_entry(&b, 1, 90, ptx, ZSTD, 0x40);
    finish(&b);
    put(b.at + 16 + 0x38, (u64)1 << 62, 8);
    assert_int_equal(extract(&b, 90, &img), LS_ERR_SYNTAX);
    assert_non_null(strstr(img.why, "impossible size"));
    put(b.at + 16 + 0x38, strlen(ptx) + 2, 8); /* one more than it decompresses to */
    assert_int_equal(extract(&b, 90, &img), LS_ERR_SYNTAX);
    put(b.at + 16 + 0x38, strlen(ptx), 8); /* one less */
    assert_int_equal(extract(&b, 90, &img), LS_ERR_SYNTAX);
    image_free(&img);
    free(b.at);
}

struct wrapper {
    u32 magic, version;
    const void *data, *list;
};

static void wrappers_are_followed(void **state)
{
    (void)state;
    struct buffer a = begin(), b = begin();
    struct image img = {0};
    add_entry(&a, 1, 90, "first", ZSTD, 0x40);
    add_entry(&b, 1, 90, "second", LZ4, 0x40);
    finish(&a);
    finish(&b);
    const void *list[] = {a.at, b.at, NULL};
    struct wrapper one = {FATBIN_WRAPPER_MAGIC, 1, b.at, NULL}, two = {FATBIN_WRAPPER_MAGIC, 2, NULL, list};
    assert_int_equal(image_open(&img, &one, 90, "x"), LS_OK);
    assert_int_equal(img.n, 1);
    assert_string_equal(img.texts[0].text, "second");
    image_free(&img);
    assert_int_equal(image_open(&img, &two, 90, "x"), LS_OK);
    assert_int_equal(img.n, 2);
    assert_string_equal(img.texts[0].text, "first");
    assert_string_equal(img.texts[1].text, "second");
    image_free(&img);
    one.version = 9;
    assert_int_equal(image_open(&img, &one, 90, "x"), LS_ERR_UNSUPPORTED);
    one = (struct wrapper){FATBIN_WRAPPER_MAGIC, 1, NULL, NULL};
    assert_int_equal(image_open(&img, &one, 90, "x"), LS_ERR_SYNTAX);
    assert_int_equal(image_open(&img, ptx, 90, "x"), LS_OK);
    assert_string_equal(img.texts[0].text, ptx);
    image_free(&img);
    free(a.at);
    free(b.at);
}

static void packed_images_come_back(void **state)
{
    (void)state;
    struct image img = {0}, back = {0};
    size_t size;
    assert_int_equal(image_add(&img, "one", 3, "a"), LS_OK);
    assert_int_equal(image_add(&img, "three", 5, "b"), LS_OK);
    u8 *block = image_pack(&img, &size);
    assert_non_null(block);
    assert_int_equal(image_open(&back, block, 90, "x"), LS_OK);
    assert_int_equal(back.n, 2);
    assert_string_equal(back.texts[1].text, "three");
    image_free(&back);
    for (size_t n = 4; n < size; n++) {
        u8 *cut = malloc(n);
        memcpy(cut, block, n);
        assert_int_equal(image_read(&back, cut, n, 90, "x"), LS_ERR_SYNTAX);
        image_free(&back);
        free(cut);
    }
    ls_free(block);
    image_free(&img);
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    struct image img = {0};
    assert_int_equal(image_read(&img, "\x01\x02\x03\x04\x05", 5, 90, "x"), LS_ERR_SYNTAX);
    assert_int_equal(image_read(&img, "", 0, 90, "x"), LS_ERR_SYNTAX);
    assert_int_equal(image_read(&img, ".version 9.0\n\0\0", 15, 90, "x"), LS_OK);
    assert_int_equal(img.texts[0].len, 13);
    image_free(&img);
}

/* Fails the n-th allocation for every n: an error each time, and nothing is lost (a sanitizer looks). */
static unsigned fail_at, allocations;

/* An object of lockstep-ptxas for that GPU. Ends with the table of sections, as libelf writes it. */
static struct buffer object(u32 flags)
{
    static const char names[] = "\0" PTX_OBJECT_SECTION;
    struct buffer b = {0};
    Elf64_Ehdr e = {.e_type = ET_EXEC,
                    .e_version = EV_CURRENT,
                    .e_flags = flags,
                    .e_ehsize = sizeof e,
                    .e_shnum = 3,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shstrndx = 2,
                    .e_shoff = sizeof e + sizeof ptx + sizeof names};
    const Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof e, .sh_size = sizeof ptx},
        {.sh_name = 0, .sh_type = SHT_STRTAB, .sh_offset = sizeof e + sizeof ptx, .sh_size = sizeof names}};
    memcpy(e.e_ident, ELFMAG, SELFMAG);
    e.e_ident[EI_CLASS] = ELFCLASS64;
    e.e_ident[EI_DATA] = ELFDATA2LSB;
    append(&b, &e, sizeof e);
    append(&b, ptx, sizeof ptx);
    append(&b, names, sizeof names);
    append(&b, sections, sizeof sections);
    return b;
}

static void objects_hold_ptx_for_their_gpu(void **state)
{
    static const struct {
        u32 flags, sm;
        enum ls_status want;
    } cases[] = {{90, 90, LS_OK},
                 {90 | PTX_OBJECT_ARCH, 90, LS_OK},
                 {80, 86, LS_OK},
                 {80, 90, LS_ERR_NOT_FOUND},
                 {86, 80, LS_ERR_NOT_FOUND},
                 {100 | PTX_OBJECT_ARCH, 103, LS_ERR_NOT_FOUND}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int sized = 0; sized < 2; sized++) {
            struct buffer b = object(cases[i].flags);
            struct image img = {0};
            assert_int_equal(image_elf_size(b.at), b.len);
            assert_int_equal(sized ? image_read(&img, b.at, b.len, cases[i].sm, "x")
                                   : image_open(&img, b.at, cases[i].sm, "x"),
                             cases[i].want);
            assert_int_equal(img.n, cases[i].want == LS_OK);
            if (img.n)
                assert_string_equal(img.texts[0].text, ptx);
            else
                assert_non_null(strstr(img.why, "--gpu-name=sm_"));
            image_free(&img);
            free(b.at);
        }
}

static void a_cut_object_is_an_error(void **state)
{
    (void)state;
    for (size_t len = 4;; len++) {
        struct buffer b = object(90);
        struct image img = {0};
        if (len == b.len) {
            free(b.at);
            return;
        }
        b.at = realloc(b.at, len);
        assert_int_not_equal(image_read(&img, b.at, len, 90, "x"), LS_OK);
        assert_true(img.why[0]);
        image_free(&img);
        free(b.at);
    }
}

static void *failing(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return allocations++ == fail_at ? NULL : realloc(p, size);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct buffer b = begin();
    add_entry(&b, 1, 90, ptx, ZSTD, 0x40);
    finish(&b);
    unsigned failed = 0;
    enum ls_status s;
    ls_set_realloc(failing, NULL);
    for (fail_at = 0;; fail_at++) {
        struct image img;
        allocations = 0;
        s = extract(&b, 90, &img);
        image_free(&img);
        if (s == LS_OK)
            break;
        assert_int_equal(s, LS_ERR_NOMEM);
        failed++;
    }
    ls_set_realloc(NULL, NULL);
    assert_true(failed >= 2);
    free(b.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_and_header_size),
        cmocka_unit_test(the_best_entry_is_chosen),
        cmocka_unit_test(machine_code_alone_says_how_to_rebuild),
        cmocka_unit_test(a_cut_container_is_an_error),
        cmocka_unit_test(a_changed_byte_never_crashes),
        cmocka_unit_test(impossible_sizes_are_not_allocated),
        cmocka_unit_test(wrappers_are_followed),
        cmocka_unit_test(packed_images_come_back),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(objects_hold_ptx_for_their_gpu),
        cmocka_unit_test(a_cut_object_is_an_error),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
