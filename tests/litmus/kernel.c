/* kernel.c - a litmus test as a kernel in PTX; see program.h. */
#include "program.h"
#include "text.h"
#include <stdio.h>

const char *const width_names[WIDTHS] = {"b32", "b64", "v2.b32", "v4.b32", "v2.b64", "b128"};

unsigned width_bytes(enum width w)
{
    static const unsigned bytes[WIDTHS] = {4, 8, 8, 16, 16, 16};
    return bytes[w];
}

/* ---- one access: %v is a value of 32 bits, %w of 64, %q of 128, %v0 to %v3 the elements of a vector ---- */

static const char *operand(enum width w, const char *v, const char *v64, const char *v128, char *to, size_t size)
{
    switch (w) {
    case W_V2_B32:
        snprintf(to, size, "{%s0, %s1}", v, v);
        return to;
    case W_V4_B32:
        snprintf(to, size, "{%s0, %s1, %s2, %s3}", v, v, v, v);
        return to;
    case W_V2_B64:
        snprintf(to, size, "{%s0, %s1}", v64, v64);
        return to;
    default:
        return w == W_B32 ? "%v0" : w == W_B64 ? v64 : v128;
    }
}

static void put_value(struct text *t, unsigned value)
{
    for (unsigned k = 0; k < 4; k++)
        put(t, "\tmov.b32 %%v%u, %u;\n", k, value);
    put(t, "\tmov.b64 %%w0, {%%v0, %%v1};\n\tmov.b64 %%w1, {%%v2, %%v3};\n\tmov.b64 %%w, %%w0;\n");
    put(t, "\tmov.b128 %%q, {%%w0, %%w1};\n");
}

static const char *order_of(const struct event *e, bool load)
{
    if (e->weak)
        return ".weak";
    if (e->kind == EXCHANGE && e->release && e->acquire)
        return ".acq_rel";
    return e->release ? ".release" : e->acquire && (load || e->kind == EXCHANGE) ? ".acquire" : ".relaxed";
}

static void put_access(struct text *t, const struct event *e, enum width w, enum place place)
{
    const char *scope = e->weak ? "" : place == IN_WARPS ? ".cta" : ".gpu", *name = width_names[w];
    const unsigned bytes = width_bytes(w);
    char v[64];
    if (e->kind == FENCE)
        put(t, "\tfence.%s%s;\n", e->sc ? "sc" : "acq_rel", place == IN_WARPS ? ".cta" : ".gpu");
    if (e->kind == WRITE)
        put(t, "\tst%s%s.global.%s [%%a%u], %s;\n", order_of(e, false), scope, name, e->location,
            operand(w, "%v", "%w", "%q", v, sizeof v));
    if (e->kind == READ)
        put(t, "\tld%s%s.global.%s %s, [%%a%u];\n", order_of(e, true), scope, name,
            operand(w, "%v", "%w", "%q", v, sizeof v), e->location);
    if (e->kind == EXCHANGE)
        put(t, "\tatom%s%s.global.exch.b%u %s, [%%a%u], %s;\n", order_of(e, false), scope, 8 * bytes,
            bytes == 4   ? "%v0"
            : bytes == 8 ? "%w"
                         : "%q",
            e->location,
            bytes == 4   ? "%v0"
            : bytes == 8 ? "%w"
                         : "%q");
}

/* The value that was read goes to %r<read>; UINT32_MAX when its words differ. */
static void put_read(struct text *t, enum width w, bool exchange, unsigned read)
{
    const unsigned bytes = width_bytes(w);
    if (bytes == 16 && (exchange || w == W_B128))
        put(t, "\tmov.b128 {%%w0, %%w1}, %%q;\n");
    if (bytes == 8 && (exchange || w == W_B64))
        put(t, "\tmov.b64 {%%v0, %%v1}, %%w;\n");
    if (bytes == 16 && (exchange || w != W_V4_B32))
        put(t, "\tmov.b64 {%%v0, %%v1}, %%w0;\n\tmov.b64 {%%v2, %%v3}, %%w1;\n");
    put(t, "\tmov.b32 %%r%u, %%v0;\n", read);
    for (unsigned k = 1; k < bytes / 4; k++)
        put(t, "\tsetp.ne.u32 %%p, %%v0, %%v%u;\n\t@%%p mov.b32 %%r%u, -1;\n", k, read);
}

/* ---- the kernel ---- */

static void put_head(struct text *t, const struct program *p, enum width w, enum place place)
{
    put(t, "// %s (%s, %s)\n.version 8.4\n.target sm_90\n.address_size 64\n", p->text, width_names[w],
        place == IN_WARPS ? "warps" : "blocks");
    put(t, ".visible .entry litmus(.param .u64 locations, .param .u64 results, .param .u64 counters, "
           ".param .u32 instances)\n{\n");
    put(t,
        "\t.reg .pred %%p;\n\t.reg .b128 %%q;\n\t.reg .b64 %%w, %%w0, %%w1, %%a<3>, %%base, %%out, %%count, %%at;\n");
    put(t, "\t.reg .b32 %%v<4>, %%r<16>, %%group, %%thread, %%lane, %%groups, %%i, %%n, %%rounds, %%k, %%seen;\n");
    put(t, "\tld.param.u64 %%base, [locations];\n\tld.param.u64 %%out, [results];\n");
    put(t, "\tld.param.u64 %%count, [counters];\n\tld.param.u32 %%n, [instances];\n");
    put(t, "\tmov.u32 %%group, %%ctaid.x;\n\tmov.u32 %%groups, %%nctaid.x;\n");
    put(t, "\tmov.u32 %%lane, %%tid.x;\n\tshr.u32 %%thread, %%lane, 5;\n\tand.b32 %%lane, %%lane, 31;\n");
    if (place == IN_BLOCKS)
        put(t, "\trem.u32 %%thread, %%group, %u;\n\tdiv.u32 %%group, %%group, %u;\n\tdiv.u32 %%groups, %%groups, %u;\n",
            p->threads, p->threads, p->threads);
    /* another place for each thread in each group */
    put(t, "\tadd.u32 %%thread, %%thread, %%group;\n\trem.u32 %%thread, %%thread, %u;\n", p->threads);
    put(t, "\tdiv.u32 %%rounds, %%n, %%groups;\n\tmad.lo.u32 %%i, %%group, %%rounds, %%lane;\n");
    put(t, "\tdiv.u32 %%rounds, %%rounds, %u;\n", LANES * ROUND);
    put(t, "\tmul.lo.u32 %%k, %%group, %%rounds;\n\tmad.wide.u32 %%count, %%k, 4, %%count;\n");
    for (unsigned k = 0; k < p->threads; k++)
        put(t, "\tsetp.eq.u32 %%p, %%thread, %u;\n\t@%%p bra THREAD%u;\n", k, k);
    put(t, "\tret;\n");
}

/* All threads of the group come here before any goes on. */
static void put_meeting(struct text *t, const struct program *p, unsigned thread)
{
    put(t, "THREAD%u:\n\tsetp.eq.u32 %%p, %%lane, 0;\n\t@%%p red.relaxed.gpu.global.add.u32 [%%count], 1;\n", thread);
    put(t,
        "POLL%u:\n\tld.relaxed.gpu.global.u32 %%seen, [%%count];\n\tsetp.lt.u32 %%p, %%seen, %u;\n"
        "\t@%%p bra POLL%u;\n",
        thread, p->threads, thread);
    put(t, "\tmov.u32 %%k, 0;\n");
}

static void put_thread(struct text *t, const struct program *p, enum width w, enum place place, unsigned thread)
{
    unsigned read = 0;
    put_meeting(t, p, thread);
    put(t, "NEXT%u:\n", thread);
    for (unsigned k = 0; k < p->locations; k++) {
        put(t, "\tmul.wide.u32 %%at, %%n, %u;\n\tadd.u64 %%at, %%at, %%base;\n", k * width_bytes(w));
        put(t, "\tmad.wide.u32 %%a%u, %%i, %u, %%at;\n", k, width_bytes(w));
    }
    for (unsigned k = 0; k < p->events; k++) {
        const struct event *e = &p->event[k];
        if (e->thread == thread && e->kind & WRITE)
            put_value(t, e->value);
        if (e->thread == thread)
            put_access(t, e, w, place);
        if (e->thread == thread && e->kind & READ)
            put_read(t, w, e->kind == EXCHANGE, read);
        read += (e->kind & READ) != 0;
    }
    read = 0;
    for (unsigned k = 0; k < p->events; k++) {
        if (!(p->event[k].kind & READ))
            continue;
        if (p->event[k].thread == thread)
            put(t,
                "\tmul.wide.u32 %%at, %%n, %u;\n\tadd.u64 %%at, %%at, %%out;\n\tmad.wide.u32 %%at, %%i, 4, %%at;\n"
                "\tst.global.u32 [%%at], %%r%u;\n",
                4 * read, read);
        read++;
    }
    put(t, "\tadd.u32 %%i, %%i, %u;\n\tadd.u32 %%k, %%k, 1;\n", LANES);
    put(t, "\tsetp.lt.u32 %%p, %%k, %u;\n\t@%%p bra NEXT%u;\n", ROUND, thread);
    put(t, "\tadd.u64 %%count, %%count, 4;\n\tsub.u32 %%rounds, %%rounds, 1;\n");
    put(t, "\tsetp.ne.u32 %%p, %%rounds, 0;\n\t@%%p bra THREAD%u;\n\tret;\n", thread);
}

char *program_kernel(const struct program *p, enum width w, enum place place)
{
    struct text t = {0};
    put_head(&t, p, w, place);
    for (unsigned k = 0; k < p->threads; k++)
        put_thread(&t, p, w, place, k);
    put(&t, "}\n");
    return t.at;
}
