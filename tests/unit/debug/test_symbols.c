/* test_symbols.c - what both compilers tell of functions, lines, frames and variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static struct rig rig;

static u32 first_inst(u32 line)
{
    rig_at_line(&rig, line);
    return rig.c.at.inst;
}

/* A variable's location as text: "%r1", "__local_depot2+16", "lost", pieces after one another. */
static const char *where(const char *name)
{
    static char text[256];
    const struct debug_variable *v = debug_variable_find(rig.info, rig.c.at, rig.c.frame, name);
    if (!v)
        return "none";
    const struct debug_location l = debug_location(rig.info, v, rig.c.at);
    size_t n = 0;
    for (u32 k = 0; k < l.n; k++) {
        const struct debug_piece *p = &l.pieces[k];
        const char *base = p->reg ? p->reg->name : p->var ? p->var->name : p->kind == DEBUG_VALUE ? "value" : "lost";
        n += (size_t)snprintf(text + n, sizeof text - n,
                              p->kind == DEBUG_REGISTER || !strcmp(base, "lost") ? "%s%s" : "%s%s+%lld", k ? " " : "",
                              base, (long long)p->offset);
    }
    return text;
}

static const char *type_of_variable(const char *name)
{
    const struct debug_variable *v = debug_variable_find(rig.info, rig.c.at, rig.c.frame, name);
    assert_non_null(v);
    return debug_type_name(rig.info, v->type);
}

static void functions(void **state)
{
    static const char *const files[] = {"nvcc-G.ptx", "clang-O0-g.ptx", "clang-O2-g.ptx"};
    (void)state;
    for (size_t k = 0; k < LS_ARRAY_LEN(files); k++) {
        rig_open(&rig, files[k]);
        u32 n;
        const struct debug_function *f = debug_functions(rig.info, &n);
        assert_int_equal(n, 3);
        assert_string_equal(f[0].name, "sq");
        assert_string_equal(f[0].func->name, "_Z2sqi");
        assert_string_equal(f[0].file, "symbols.cu");
        assert_int_equal(f[0].line, 23);
        assert_ptr_equal(debug_function_find(rig.info, "scale"), &f[1]);
        assert_ptr_equal(debug_function_find(rig.info, "_Z5scalefRK5Point"), &f[1]);
        assert_ptr_equal(debug_function_of(rig.info, f[2].func), &f[2]);
        assert_null(debug_function_find(rig.info, "cale"));
        assert_true(debug_info_has_variables(rig.info));
        rig_close(&rig);
    }
}

static void lines_of_nvcc(void **state)
{
    (void)state;
    rig_open(&rig, "nvcc-G.ptx");
    assert_int_equal(first_inst(39), 22);
    assert_int_equal(first_inst(46), 46); /* the loop's beginning, not its end */
    const struct debug_function *kern = debug_function_find(rig.info, "kern");
    assert_int_equal(debug_function_start(rig.info, kern->func).inst, 22);
    const struct debug_place *places;
    u32 found;
    assert_int_equal(debug_line_places(rig.info, "symbols.cu", 41, &places, &found), 1);
    assert_int_equal(found, 42); /* the next line with code */
    assert_int_equal(debug_line_places(rig.info, "mbols.cu", 42, &places, &found), 0);
    assert_int_equal(debug_line_places(rig.info, "symbols.cu", 1000, &places, &found), 0);
    assert_int_equal(found, 0);
    /* Line 0 is nobody's: the line before it holds on. */
    const struct debug_line l = debug_line_at(rig.info, (struct debug_place){kern->func, 48});
    assert_int_equal(l.line, 46);
    assert_false(l.statement);
    rig_close(&rig);
}

static void inlined_by_lineinfo(void **state)
{
    (void)state;
    rig_open(&rig, "nvcc-lineinfo.ptx");
    assert_false(debug_info_has_variables(rig.info));
    const struct debug_place *places;
    u32 found;
    assert_int_equal(debug_line_places(rig.info, "symbols.cu", 25, &places, &found), 1);
    struct debug_frame frames[DEBUG_FRAMES];
    assert_int_equal(debug_frames(rig.info, places[0], frames), 2);
    assert_string_equal(frames[0].function, "sq");
    assert_true(frames[0].inlined);
    assert_int_equal(frames[0].line.line, 25);
    assert_string_equal(frames[1].function, "kern");
    assert_false(frames[1].inlined);
    assert_int_equal(frames[1].line.line, 47);
    assert_string_equal(debug_function_find(rig.info, "scale")->func->name, "_Z5scalefRK5Point");
    assert_int_equal(debug_function_find(rig.info, "scale")->line, 29);
    rig_close(&rig);
}

static void inlined_by_scopes(void **state)
{
    (void)state;
    rig_open(&rig, "clang-O2-g.ptx");
    const struct debug_place *places;
    u32 found;
    assert_int_equal(debug_line_places(rig.info, "symbols.cu", 25, &places, &found), 2); /* itself, and in kern */
    rig.c.at = places[1];
    struct debug_frame frames[DEBUG_FRAMES];
    assert_int_equal(debug_frames(rig.info, rig.c.at, frames), 2);
    assert_string_equal(frames[0].function, "sq");
    assert_string_equal(frames[1].function, "kern");
    assert_int_equal(frames[1].line.line, 47);
    assert_string_equal(where("r"), "lost"); /* clang has no registers to tell */
    assert_string_equal(where("tile"), "none");
    rig.c.frame = 1;
    assert_string_equal(where("r"), "none");
    assert_string_equal(where("tile"), "_ZZ4kernE4tile+0");
    assert_string_equal(where("p"), "__local_depot2+0");
    rig_close(&rig);
}

static void variables_of_nvcc(void **state)
{
    (void)state;
    rig_open(&rig, "nvcc-G.ptx");
    rig_at_line(&rig, 47);
    assert_string_equal(where("q"), "%r23");
    assert_string_equal(where("k"), "%r4"); /* by its list of locations */
    assert_string_equal(where("s"), "%fd2");
    assert_string_equal(where("name"), "%rd1");
    assert_string_equal(where("p"), "__local_depot2+0");
    assert_string_equal(where("a"), "__local_depot2+16");
    assert_string_equal(where("in"), "kern_param_0+0");
    assert_string_equal(where("tile"), "_ZZ4kernE4tile+0");
    assert_string_equal(where("ns::count"), "_ZN2ns5countE+0");
    assert_string_equal(where("count"), "_ZN2ns5countE+0");
    assert_string_equal(where("t"), "none"); /* another function's */
    rig_at_line(&rig, 45);
    assert_string_equal(where("s"), "lost"); /* not yet */
    assert_string_equal(where("q"), "none"); /* not in scope */
    rig_at_line(&rig, 33);
    assert_string_equal(where("t"), "%f5");
    rig_close(&rig);
}

static void variables_of_clang(void **state)
{
    (void)state;
    rig_open(&rig, "clang-O0-g.ptx");
    rig_at_line(&rig, 47);
    assert_string_equal(where("q"), "__local_depot2+68");
    assert_string_equal(where("in"), "__local_depot2+16");
    assert_string_equal(where("tile"), "_ZZ4kernE4tile+0");
    const struct debug_variable *v;
    const u32 n = debug_variables(rig.info, rig.c.at, 0, &v);
    assert_int_equal(n, 13);
    assert_string_equal(v[0].name, "q"); /* the innermost block first */
    assert_int_equal(v[0].block, 3);
    assert_int_equal(v[0].line, 47);
    assert_int_equal(v[n - 1].block, 0);
    u32 arguments = 0;
    for (u32 k = 0; k < n; k++)
        arguments += v[k].kind == DEBUG_ARGUMENT;
    assert_int_equal(arguments, 5);
    rig_close(&rig);
}

/* nvcc's lists go on in the order of the text, whatever control does. */
static void lists_follow_control(void **state)
{
    (void)state;
    rig_open(&rig, "nvcc-G-flow.ptx");
    rig_at_line(&rig, 22);
    assert_string_equal(where("n"), "%r4");
    rig_at_line(&rig, 24); /* the list has %r9, to which the loop's end copies it */
    assert_string_equal(where("n"), "%r4");
    rig_at_line(&rig, 25);
    assert_string_equal(where("n"), "%r8");
    rig_at_line(&rig, 33);
    assert_string_equal(where("a"), "%rd1");
    assert_string_equal(where("b"), "%rd2");
    rig_at_line(&rig, 34); /* the list has %rd9, which is c by now */
    assert_string_equal(where("b"), "%rd2");
    assert_string_equal(where("a"), "lost");
    rig_close(&rig);
}

static void lists_of_llvm(void **state)
{
    (void)state;
    rig_open(&rig, "llvm20-O2-flow.ptx");
    rig_at_line(&rig, 18);
    assert_string_equal(where("t"), "lost"); /* not written yet */
    rig_at_line(&rig, 21);
    assert_string_equal(where("t"), "%r1");
    assert_string_equal(where("n"), "lost"); /* a constant, of which DWARF 2 cannot say that it is no address */
    rig_at_line(&rig, 24);
    assert_string_equal(where("n"), "lost");
    rig_at_line(&rig, 25);
    assert_string_equal(where("n"), "%r4");
    rig_close(&rig);
}

/* In front of its declaration a name is an outer variable's. */
static void hidden_names(void **state)
{
    (void)state;
    rig_open(&rig, "clang-O0-flow.ptx");
    const struct debug_place *places;
    u32 found;
    static const struct {
        u32 line, declared;
    } all[] = {{43, 41}, {44, 41}, {45, 44}, {47, 41}, {48, 47}, {49, 41}};
    for (size_t k = 0; k < LS_ARRAY_LEN(all); k++) {
        rig_at_line(&rig, all[k].line);
        assert_int_equal(debug_variable_find(rig.info, rig.c.at, 0, "x")->line, all[k].declared);
    }
    /* Two inlined copies of one line, which .loc does not tell apart. */
    assert_int_equal(debug_line_places(rig.info, "flow.cu", 11, &places, &found), 2);
    rig_close(&rig);
}

static void types(void **state)
{
    static const char *const files[] = {"nvcc-G.ptx", "clang-O0-g.ptx"};
    (void)state;
    for (size_t k = 0; k < LS_ARRAY_LEN(files); k++) {
        rig_open(&rig, files[k]);
        rig_at_line(&rig, 51);
        assert_string_equal(type_of_variable("in"), "const float *");
        assert_string_equal(type_of_variable("tile"), "float [4][8]");
        assert_string_equal(type_of_variable("c"), "Color");
        assert_string_equal(type_of_variable("a"), k ? "Arr<int, 3>" : "Arr<int,3>");
        const struct debug_type *point = debug_type_find(rig.info, "Point");
        assert_non_null(point);
        assert_int_equal(point->size, 16);
        const struct debug_members *m = debug_members(rig.info, point);
        assert_int_equal(m->n, 5);
        assert_true(m->at[0].base);
        assert_string_equal(m->at[3].name, "flags");
        assert_int_equal(m->at[3].bits, 3);
        assert_int_equal(m->at[3].offset * 8 + m->at[3].bit, 12 * 8);
        assert_int_equal(m->at[4].offset * 8 + m->at[4].bit, 12 * 8 + 3);
        rig_at_line(&rig, 32);
        assert_string_equal(type_of_variable("p"), "const Point &");
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),
        cmocka_unit_test(lines_of_nvcc),
        cmocka_unit_test(inlined_by_lineinfo),
        cmocka_unit_test(inlined_by_scopes),
        cmocka_unit_test(variables_of_nvcc),
        cmocka_unit_test(variables_of_clang),
        cmocka_unit_test(lists_follow_control),
        cmocka_unit_test(lists_of_llvm),
        cmocka_unit_test(hidden_names),
        cmocka_unit_test(types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
