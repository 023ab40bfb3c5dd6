/* printf.c - vprintf(const char *format, const void *arguments) on the device.
 *
 * The compiler has stored the arguments one after the other, each at a multiple of its size: 4 bytes for int and what
 * is promoted to it, 8 for double, pointers and the long sizes. The conversions are CUDA's (programming guide,
 * "Formatted output": flags, width, precision, h l ll, and d i o u x X c s p e E f F g G a A %), and C99's hh; each is
 * done by the host's snprintf. A conversion that is none of these is printed as it stands, as an H200 prints %zu. The result is the number of arguments used, -1 for a null format.
 *
 * Each lane's text goes to the launch's buffer in one piece, so lanes and warps do not mix within a call. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/device/builtin.h"

/* Widths and precisions beyond this are cut, so that a kernel cannot exhaust the host's memory. */
enum { MAX_WIDTH = 65535, MAX_FORMAT = 1 << 20, FLAGS = 5 };

/* One lane's call. */
struct print_lane {
    struct builtin_call *c;
    unsigned lane;
    u64 args, used; /* the buffer's address, bytes used of it */
    u32 count;      /* arguments used */
    char *text;
    size_t len, cap;
};

static bool no_memory(struct print_lane *p)
{
    warp_fault(p->c->w, p->c->pc, FAULT_NOMEM, p->lane, 0, 0, 0, false, false);
    return false;
}

static bool make_room(struct print_lane *p, size_t n)
{
    if (p->cap - p->len > n)
        return true;
    const size_t cap = p->len + n + 128 + p->cap;
    char *text = ls_realloc(p->text, cap);
    if (!text)
        return no_memory(p);
    p->text = text;
    p->cap = cap;
    return true;
}

static bool put_text(struct print_lane *p, const char *s, size_t n)
{
    if (!make_room(p, n))
        return false;
    memcpy(p->text + p->len, s, n);
    p->len += n;
    return true;
}

static bool put_format(struct print_lane *p, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    const bool ok = n >= 0 && make_room(p, (size_t)n + 1);
    if (ok) {
        vsnprintf(p->text + p->len, (size_t)n + 1, fmt, again);
        p->len += (size_t)n;
    }
    va_end(again);
    va_end(args);
    return ok;
}

/* The next argument, of 4 or 8 bytes, zero-extended. */
static bool next_argument(struct print_lane *p, unsigned bytes, u64 *value)
{
    u32 narrow;
    p->used = ls_align_up(p->used, bytes);
    const u64 at = p->args + p->used;
    p->used += bytes;
    p->count++;
    if (bytes == 8)
        return builtin_read(p->c, p->lane, at, value, 8);
    if (!builtin_read(p->c, p->lane, at, &narrow, 4))
        return false;
    *value = narrow;
    return true;
}

/* ---- one conversion ---- */

struct conversion {
    char flags[FLAGS + 1];
    int width, precision; /* -1: none */
    char size;            /* 'H' for hh, 'h', 'l' for everything of 8 bytes, or 0 */
    char type;
};

static int digits(const char **at)
{
    int n = 0;
    while (**at >= '0' && **at <= '9') {
        n = n * 10 + (*(*at)++ - '0');
        n = n > MAX_WIDTH ? MAX_WIDTH : n;
    }
    return n;
}

/* A number or '*', which takes an int argument. */
static bool read_number(struct print_lane *p, const char **at, int *n)
{
    u64 v;
    if (**at != '*') {
        *n = digits(at);
        return true;
    }
    ++*at;
    if (!next_argument(p, 4, &v))
        return false;
    const i32 given = (i32)v;
    *n = given > MAX_WIDTH ? MAX_WIDTH : given < -MAX_WIDTH ? -MAX_WIDTH : given;
    return true;
}

static void add_flag(struct conversion *k, char flag)
{
    const size_t n = strlen(k->flags);
    if (!strchr(k->flags, flag) && n < FLAGS)
        k->flags[n] = flag;
}

static char read_size(const char **at)
{
    static const char *const sizes[] = {"hh", "h", "ll", "l"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(sizes); k++) {
        const size_t n = strlen(sizes[k]);
        if (strncmp(*at, sizes[k], n) == 0) {
            *at += n;
            return k == 0 ? 'H' : k == 1 ? 'h' : 'l';
        }
    }
    return 0;
}

/* What follows a '%'; false after a fault. */
static bool read_conversion(struct print_lane *p, const char **at, struct conversion *k)
{
    *k = (struct conversion){.width = -1, .precision = -1};
    while (**at && strchr("#0- +", **at))
        add_flag(k, *(*at)++);
    if (**at == '*' || (**at >= '1' && **at <= '9')) {
        if (!read_number(p, at, &k->width))
            return false;
        if (k->width < 0) { /* C11 7.21.6.1: a negative width is a '-' flag and a width */
            add_flag(k, '-');
            k->width = -k->width;
        }
    }
    if (**at == '.' && (*at)[1] != '*') { /* a precision of '*' is none to an H200: it prints the letters */
        ++*at;
        if (!read_number(p, at, &k->precision))
            return false;
        if (k->precision < 0) /* as if it were not there */
            k->precision = -1;
    }
    k->size = read_size(at);
    k->type = **at;
    if (k->type)
        ++*at;
    return true;
}

/* "%-08.3lld" for the host. */
static void host_format(const struct conversion *k, const char *size, char *buf, size_t n)
{
    char width[16] = "", precision[16] = "";
    if (k->width >= 0)
        snprintf(width, sizeof width, "%d", k->width);
    if (k->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", k->precision);
    snprintf(buf, n, "%%%s%s%s%s%c", k->flags, width, precision, size, k->type);
}

static bool put_integer(struct print_lane *p, const struct conversion *k, const char *fmt, bool is_signed)
{
    u64 v;
    if (!next_argument(p, k->size == 'l' ? 8 : 4, &v))
        return false;
    if (k->size == 'H')
        v = is_signed ? (u64)(i64)(i8)v : (u8)v;
    else if (k->size == 'h')
        v = is_signed ? (u64)(i64)(i16)v : (u16)v;
    else if (k->size == 0 && is_signed)
        v = (u64)(i64)(i32)v;
    return put_format(p, fmt, (long long)v);
}

static bool put_string(struct print_lane *p, const struct conversion *k, const char *fmt)
{
    u64 address;
    if (!next_argument(p, 8, &address))
        return false;
    if (!address)
        return put_format(p, fmt, "(null)");
    char *s = builtin_string(p->c, p->lane, address, k->precision >= 0 ? (u64)k->precision : MAX_FORMAT);
    const bool ok = s && put_format(p, fmt, s);
    ls_free(s);
    return ok;
}

static bool put_float(struct print_lane *p, const char *fmt)
{
    u64 bits;
    double x;
    if (!next_argument(p, 8, &bits))
        return false;
    memcpy(&x, &bits, sizeof x);
    return put_format(p, fmt, x);
}

/* `begin` is the '%', `end` is behind the conversion. */
static bool put_conversion(struct print_lane *p, const struct conversion *k, const char *begin, const char *end)
{
    char fmt[64];
    u64 v;
    switch (k->type) {
    case '%':
        return put_text(p, "%", 1);
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        host_format(k, "ll", fmt, sizeof fmt);
        return put_integer(p, k, fmt, k->type == 'd' || k->type == 'i');
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        host_format(k, "", fmt, sizeof fmt);
        return put_float(p, fmt);
    case 'c':
        host_format(k, "", fmt, sizeof fmt);
        return next_argument(p, 4, &v) && put_format(p, fmt, (int)(u8)v);
    case 's':
        host_format(k, "", fmt, sizeof fmt);
        return put_string(p, k, fmt);
    case 'p':
        host_format(k, "", fmt, sizeof fmt);
        return next_argument(p, 8, &v) && put_format(p, fmt, (void *)(uintptr_t)v);
    case 'n': /* takes its argument and writes nothing: kernels may not write through it */
        return next_argument(p, 8, &v);
    default:
        return put_text(p, begin, (size_t)(end - begin));
    }
}

static bool print_format(struct print_lane *p, const char *at)
{
    while (*at) {
        const size_t plain = strcspn(at, "%");
        struct conversion k;
        if (!put_text(p, at, plain))
            return false;
        at += plain;
        if (!*at)
            break;
        const char *begin = at++;
        if (!read_conversion(p, &at, &k) || !put_conversion(p, &k, begin, at))
            return false;
    }
    return true;
}

static bool print_one(struct builtin_call *c, unsigned lane)
{
    u64 args[2];
    i32 result = -1;
    memcpy(args, c->args + (size_t)lane * c->arg_stride, sizeof args);
    if (args[0]) {
        struct print_lane p = {.c = c, .lane = lane, .args = args[1]};
        char *format = builtin_string(c, lane, args[0], MAX_FORMAT);
        const bool ok = format && print_format(&p, format);
        if (ok && p.len)
            exec_print(c->w, p.text, p.len);
        ls_free(format);
        ls_free(p.text);
        if (!ok)
            return false;
        result = (i32)p.count;
    }
    memcpy(c->rets + (size_t)lane * c->ret_stride, &result, sizeof result);
    return true;
}

bool builtin_vprintf(struct builtin_call *c)
{
    for (u32 m = c->mask; m; m &= m - 1)
        if (!print_one(c, (unsigned)__builtin_ctz(m)))
            return false;
    return true;
}
