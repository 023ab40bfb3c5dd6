/* test_table.c - walks ops.def and its companions: every row complete, every form usable, every name unique. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

static void rows_are_complete(void **state)
{
    (void)state;
    static const char *const classes[] = {"ARITH",        "INTEGER", "BIT",     "CONVERSION", "CONTROL",
                                          "INTER_THREAD", "MEMORY",  "TEXTURE", "TENSOR",     "MISC"};
    for (unsigned i = 1; i < PTX_NOPS; i++) {
        const struct ptx_op_row *r = ptx_op_row(i);
        bool known = false;
        for (size_t k = 0; k < LS_ARRAY_LEN(classes); k++)
            known |= strcmp(classes[k], r->cls) == 0;
        if (!known)
            print_error("%s: class %s\n", r->name, r->cls);
        assert_true(known);
        assert_memory_equal(r->section, "9.7.", 4);
        assert_true(strlen(r->semantics) > 4);
        assert_true(strchr(r->forms, ':') != NULL);
        for (unsigned k = 1; k < i; k++)
            assert_string_not_equal(r->name, ptx_op_name(k));
    }
    assert_true(PTX_NOPS > 180);
}

static bool is_excused(enum ptx_op op)
{
    static const u16 excused[] = {
#define PTX_UNSUPPORTED(id, reason) OP_##id,
#include "ptx/unsupported.def"
#undef PTX_UNSUPPORTED
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(excused); i++)
        if (excused[i] == op)
            return true;
    return false;
}

/* Whether the first operand of form n is a destination; n is counted down, and -1 behind the last form. */
static int writes(const struct ptx_op_row *r, unsigned n)
{
    const char *form = r->forms;
    for (; n && form; n--)
        form = strchr(form, ';') ? strchr(form, ';') + 1 : NULL;
    if (!form || !*form)
        return -1;
    const char *colon = strchr(form, ':');
    while (colon && colon[1] == ':') /* a modifier such as shared::cta */
        colon = strchr(colon + 2, ':');
    assert_non_null(colon);
    const char *operand = colon + 1 + strspn(colon + 1, " ");
    return *operand == '=' || *operand == '~';
}

/* The columns say the same of an opcode: a word that was copied from a neighbour shows. */
static void columns_agree(void **state)
{
    (void)state;
    static const struct {
        const char *lowering, *cost;
    } words[PTX_NOPS] = {
        {"", ""},
#define PTX_OP(id, name, forms, class, section, semantics, lowering, flow, memory, result, cost, weight)               \
    {#lowering, #cost},
#include "ptx/ops.def"
#undef PTX_OP
    };
    unsigned wrong = 0;
    for (unsigned i = 1; i < PTX_NOPS; i++) {
        const struct ptx_op_row *r = ptx_op_row(i);
        const bool runs = strcmp(words[i].lowering, "none") != 0;
        const bool together = r->class == PTX_CLASS_INTER_THREAD;
        const bool leaves =
            r->flow == FLOW_BRANCH || r->flow == FLOW_TABLE || r->flow == FLOW_END || r->flow == FLOW_CALL;
        bool bad = runs == is_excused(i);                /* a body, or a reason why there is none */
        bad |= runs && together && r->flow != FLOW_STOP; /* lanes meet there */
        bad |= leaves && r->class != PTX_CLASS_CONTROL;
        bad |= !runs && r->flow != FLOW_NEXT;
        bad |= r->memory == PTX_MEM_BARRIER && !together;
        for (unsigned n = 0; writes(r, n) >= 0; n++) {
            const bool dest = writes(r, n);
            bad |= dest && !strcmp(words[i].cost, "slot");
            bad |= dest && leaves;
            bad |= !dest && (r->result != PTX_RESULT_OTHER || r->memory == PTX_MEM_LOAD);
            bad |= dest && (r->memory == PTX_MEM_STORE || r->memory == PTX_MEM_MATRIX_STORE);
        }
        if (bad)
            print_error("the columns of %s do not agree\n", r->name);
        wrong += bad;
    }
    assert_int_equal(wrong, 0);
}

/* What fills a special register is known where it is a constant of a frame, and nowhere else. */
static void special_registers_are_complete(void **state)
{
    (void)state;
    static const char *const fills[PTX_NSREGS] = {
#define PTX_SREG(name, type, vector, scope, fill) #fill,
#include "ptx/sregs.def"
#undef PTX_SREG
    };
    for (unsigned i = 0; i < PTX_NSREGS; i++) {
        const struct ptx_sreg_row *r = &ptx_sreg_rows[i];
        const bool constant = r->scope != SREG_SCOPE_NONE && r->scope != SREG_SCOPE_MOVING;
        assert_int_equal(r->name[0], '%');
        assert_int_equal(constant, strcmp(fills[i], "none") != 0);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(r->name, ptx_sreg_rows[k].name);
    }
}

static void modifiers_and_types_are_unique(void **state)
{
    (void)state;
    for (unsigned i = 1; i < PTX_NMODS; i++) {
        for (unsigned k = 1; k < i; k++)
            assert_string_not_equal(ptx_mod_name(i), ptx_mod_name(k));
        for (unsigned k = 1; k < PTX_NTYPES; k++)
            assert_string_not_equal(ptx_mod_name(i), ptx_type_name(k));
    }
    for (unsigned i = 1; i < PTX_NTYPES; i++)
        for (unsigned k = 1; k < i; k++)
            assert_string_not_equal(ptx_type_name(i), ptx_type_name(k));
}

/* A member of group g, for the generated opcode. */
static const char *member(const char *g, size_t n)
{
    static const char *const groups[] = {
#define PTX_MOD(id, text, group) #group,
#include "ptx/mods.def"
#undef PTX_MOD
    };
    for (unsigned i = 0; i < LS_ARRAY_LEN(groups); i++)
        if (strlen(groups[i]) == n && memcmp(groups[i], g, n) == 0)
            return ptx_mod_name(i + 1);
    return NULL;
}

/* Writes the opcode of one form with its first alternatives, optional parts or not. Returns the form's colon. */
static const char *spell(const char *form, const char *name, bool optional, char *out, size_t size)
{
    size_t len = (size_t)snprintf(out, size, "%s", name);
    while (*form) {
        while (*form == ' ')
            form++;
        if (form[0] == ':' && form[1] != ':')
            return form;
        const char *end = form;
        while (*end && *end != ' ' && !(end[0] == ':' && end[1] != ':'))
            end += *end == ':' ? 2 : 1;
        const char *alt = form;
        while (alt < end && *alt != '/' && *alt != '?')
            alt++;
        if (end[-1] != '?' || optional) {
            const char *g = *form == '@' ? member(form + 1, (size_t)(alt - form - 1)) : NULL;
            if (*form == '@')
                assert_non_null(g);
            if (*form == '%')
                len += (size_t)snprintf(out + len, size - len, ".b32");
            else
                len += (size_t)snprintf(out + len, size - len, ".%.*s", g ? (int)strlen(g) : (int)(alt - form),
                                        g ? g : form);
        }
        assert_true(len < size);
        form = end;
    }
    return NULL;
}

/* Any complaint may be about the operands, none about the opcode: a form with a misspelt modifier or set is found. */
static void every_form_is_known(void **state)
{
    (void)state;
    unsigned n = 0, wrong = 0;
    for (unsigned i = 1; i < PTX_NOPS; i++)
        for (const char *form = ptx_op_row(i)->forms; form && *form;) {
            for (int optional = 0; optional < 2; optional++) {
                char op[512], text[1024], *said;
                assert_non_null(spell(form, ptx_op_name(i), optional, op, sizeof(op)));
                snprintf(text, sizeof(text), ".version 9.0\n.target sm_90\n.entry k() { %s 1, 2, 3; }", op);
                ptx_free(parse_text(text, strlen(text), "form", &said));
                const bool bad =
                    strstr(said, "unknown") || strstr(said, "not allowed here") || strstr(said, "not complete");
                if (bad)
                    print_error("%s\n", said);
                wrong += bad;
                n++;
                ls_free(said);
            }
            const char *next = strchr(form, ';');
            form = next ? next + 1 : NULL;
        }
    assert_true(n > 600);
    assert_int_equal(wrong, 0);
}

static void unsupported_opcodes_have_a_reason_and_stand_once(void **state)
{
    (void)state;
    static const struct {
        enum ptx_op op;
        const char *reason;
    } rows[] = {
#define PTX_UNSUPPORTED(id, reason) {OP_##id, reason},
#include "ptx/unsupported.def"
#undef PTX_UNSUPPORTED
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(rows); i++) {
        assert_true(strlen(rows[i].reason) > 10);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(rows[i].op, rows[k].op);
    }
}

/* 5.2.1: the fundamental types' sizes; 9.4: their classes. */
static void types_have_their_sizes(void **state)
{
    (void)state;
    static const struct {
        enum ptx_type t;
        u32 bits;
        bool is_signed, is_float;
    } want[] = {
        {PTX_PRED, 1, false, false},   {PTX_U8, 8, false, false},     {PTX_S16, 16, true, false},
        {PTX_B32, 32, false, false},   {PTX_F16, 16, false, true},    {PTX_F64, 64, false, true},
        {PTX_F16X2, 32, false, true},  {PTX_BF16, 16, false, true},   {PTX_S16X2, 32, true, false},
        {PTX_B128, 128, false, false}, {PTX_E4M3X2, 16, false, true},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(want); i++) {
        assert_int_equal(ptx_type_bits(want[i].t), want[i].bits);
        assert_int_equal(ptx_type_signed(want[i].t), want[i].is_signed);
        assert_int_equal(ptx_type_float(want[i].t), want[i].is_float);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(columns_agree),
        cmocka_unit_test(special_registers_are_complete),
        cmocka_unit_test(modifiers_and_types_are_unique),
        cmocka_unit_test(every_form_is_known),
        cmocka_unit_test(unsupported_opcodes_have_a_reason_and_stand_once),
        cmocka_unit_test(types_have_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
